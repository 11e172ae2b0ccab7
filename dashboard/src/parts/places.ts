/** The addresses of records, for links between screens. */
export const places = {
  policies: '/policies',
  policy: (userId: string, id: string) => `/users/${userId}/policies/${id}`,
  person: (userId: string) => `/users/${userId}`,
}
