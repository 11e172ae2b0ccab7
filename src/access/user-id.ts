import assert from 'node:assert/strict'
import { Type } from 'typebox'

declare const userIdBrand: unique symbol

/** Exactly 12 digits; leading zeros are significant (contract 2.1). */
export type UserId = string & { readonly [userIdBrand]: true }

const USER_ID = /^[0-9]{12}$/

/** Checks a stored user id. A failure is an internal error, a 500. */
export function decodeUserId(stored: string): UserId {
  assert(USER_ID.test(stored), 'a stored user_id has 12 digits')
  return stored as UserId
}

/** A user id in a response. */
export const UserIdText = (options: { description?: string; examples?: string[] } = {}) =>
  Type.String({ pattern: USER_ID.source, ...options })
