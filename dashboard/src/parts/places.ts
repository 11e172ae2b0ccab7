/** The addresses of records, for links between screens. */
export const places = {
  search: '/search',
  events: '/events',
  webhooks: '/webhooks',
  policies: '/policies',
  policy: (userId: string, id: string) => `/users/${userId}/policies/${id}`,
  /** Opens with those that wait. */
  endorsements: '/endorsements',
  /** The page of its policy, where it is marked. */
  endorsement: (userId: string, policyId: string, id: string) =>
    `/users/${userId}/policies/${policyId}?endorsement=${id}`,
  /** Opens with the failed ones. */
  wallets: '/wallets',
  /** Opens with the pending ones. */
  accounts: '/accounts',
  /** Opens with those that wait for a reply. */
  consultations: '/consultations',
  consultation: (userId: string, id: string) => `/users/${userId}/consultations/${id}`,
  person: (userId: string, tab?: string) => `/users/${userId}${tab === undefined ? '' : `?tab=${tab}`}`,
  platform: (id: string) => `/platforms/${id}`,
  benefitProvider: (id: string) => `/benefit_providers/${id}`,
  sponsor: (id: string) => `/sponsors/${id}`,
  deposit: (sponsorId: string, providerId: string) => `/sponsors/${sponsorId}/deposits/${providerId}`,
  administrator: (id: string) => `/administrators?person=${id}`,
  exposure: (credentialId: string) => `/exposure/${credentialId}`,
  benefit: (id: string) => `/benefits/${id}`,
}
