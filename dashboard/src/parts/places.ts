/** The addresses of records, for links between screens. */
export const places = {
  policies: '/policies',
  policy: (userId: string, id: string) => `/users/${userId}/policies/${id}`,
  platform: (id: string) => `/platforms/${id}`,
  benefitProvider: (id: string) => `/benefit_providers/${id}`,
  sponsor: (id: string) => `/sponsors/${id}`,
  benefit: (id: string) => `/benefits/${id}`,
  person: (userId: string) => `/users/${userId}`,
}
