import { Type } from 'typebox'
import { USER_ID } from '../access/user-id.ts'

/** A user id in a response. */
export const UserIdText = (options: { description?: string; examples?: string[] } = {}) =>
  Type.String({ pattern: USER_ID.source, ...options })
