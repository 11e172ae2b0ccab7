import { RIGHTS } from '../generated/tables.ts'
import type { Role } from './roles.ts'

/** The operations that people may call, each with the roles that may. What a role may not do is not shown; the service decides in each case. */
export { RIGHTS } from '../generated/tables.ts'
export type Right = keyof typeof RIGHTS

export const may = (role: Role, right: Right): boolean => (RIGHTS[right] as readonly Role[]).includes(role)
