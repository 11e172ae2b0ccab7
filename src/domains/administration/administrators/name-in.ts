import type { Identity } from './identity-provider.ts'

const NAME_LENGTH_MAX = 200

/** The person's name, from the first of the usual claims. */
export function nameIn(claims: Identity['claims']): string | null {
  const named = ['name', 'preferred_username', 'email'].map((claim) => claims[claim])
  const name = named.find((value) => typeof value === 'string' && value.trim() !== '')
  return typeof name === 'string' ? name.slice(0, NAME_LENGTH_MAX).toWellFormed() : null
}
