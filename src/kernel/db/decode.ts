import assert from 'node:assert/strict'

declare const userIdBrand: unique symbol

/** Exactly 12 digits; leading zeros count (contract 2.1). */
export type UserId = string & { readonly [userIdBrand]: true }

const USER_ID = /^[0-9]{12}$/

/** Checks a user id that was stored. A failure is an internal error, a 500. */
export function decodeUserId(stored: string): UserId {
  assert(USER_ID.test(stored), 'a stored user_id has 12 digits')
  return stored as UserId
}

/** A check that a stored word is one of its list. */
export function decoderOf<const T extends string>(words: readonly T[], what: string): (stored: string) => T {
  const known = new Set<string>(words)
  return (stored) => {
    assert(known.has(stored), `a stored ${what} is one of its list`)
    return stored as T
  }
}
