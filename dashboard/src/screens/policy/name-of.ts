export type Name = { first_name: string | null; last_name: string | null }

export const nameOf = ({ first_name, last_name }: Name): string =>
  [first_name, last_name].filter((name) => name !== null).join(' ') || 'Name not given'
