import assert from 'node:assert/strict'

declare const userIdBrand: unique symbol

/** Exactly 12 digits; leading zeros are significant. */
export type UserId = string & { readonly [userIdBrand]: true }

export const USER_ID = /^[0-9]{12}$/

/** Checks a stored user id. A failure is an internal error, a 500. */
export function decodeUserId(stored: string): UserId {
  assert(USER_ID.test(stored), 'a stored user_id has 12 digits')
  return stored as UserId
}
