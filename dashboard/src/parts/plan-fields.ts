export const PLAN_FIELDS = [
  { name: 'plan_code', label: 'Plan code, such as FAMILY_5L' },
  { name: 'plan_name', label: 'Name on documents; without one, the code stands there' },
  { name: 'term_months', label: 'Term in months' },
  { name: 'daily', label: 'Premium a day, ₹' },
  { name: 'annual', label: 'Premium a year, ₹' },
  { name: 'sponsor_contribution', label: 'The sponsor pays a year, ₹' },
  { name: 'renewal_window_days', label: 'Renewal opens, days before the end' },
  { name: 'grace_days', label: 'Grace, days after the end' },
  { name: 'grace_cover', label: 'Covered in grace' },
  { name: 'premium_gate', label: 'Premium' },
] as const

export const AMOUNTS = ['daily', 'annual', 'sponsor_contribution'] as const

export type Name = (typeof PLAN_FIELDS)[number]['name']
/** What is chosen, and not typed. */
export const CHOICES: Readonly<Partial<Record<Name, readonly { value: string; label: string }[]>>> = {
  grace_cover: [
    { value: 'FULL', label: 'As before' },
    { value: 'NONE', label: 'Nothing until it is renewed or paid' },
  ],
  premium_gate: [
    { value: 'none', label: 'Cover does not wait for it' },
    { value: 'deposit', label: 'Before cover, from the sponsor’s deposit' },
  ],
}

export const isText = (name: Name): boolean => name === 'plan_code' || name === 'plan_name'

export const pointerOf = (index: number, name: Name): string =>
  AMOUNTS.some((amount) => amount === name) ? `/plans/${index}/premium_amounts/${name}` : `/plans/${index}/${name}`

/** The pointers of everything that stands alongside a field of a plan; an error of an amount can be about its value. */
export const pointersOf = (index: number): string[] =>
  PLAN_FIELDS.flatMap(({ name }) => [pointerOf(index, name), `${pointerOf(index, name)}/value`])
