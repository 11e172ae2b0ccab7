import { Type } from 'typebox'
import { USER_ID } from '../access/user-id.ts'

export const UserIdText = (options: { description?: string; examples?: string[] } = {}) =>
  Type.String({ pattern: USER_ID.source, ...options })
