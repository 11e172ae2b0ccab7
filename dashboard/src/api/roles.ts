import type { CurrentSession } from '@banyan/client'
import { ROLES } from '../generated/tables.ts'

export { ROLES } from '../generated/tables.ts'
export type Role = (typeof ROLES)[number]

/** Who may change what administrators may change. */
export const WRITERS = ['operator', 'owner'] as const satisfies readonly Role[]
export const ADMINISTRATORS = ['viewer', ...WRITERS] as const satisfies readonly Role[]

export const isRole = (role: string): role is Role => ROLES.some((known) => known === role)

export const roleOf = ({ role }: CurrentSession): Role => (isRole(role) ? role : 'viewer')

export const ROLE_NAMES: Readonly<Record<Role, string>> = {
  viewer: 'Viewer',
  operator: 'Operator',
  owner: 'Owner',
  benefit_provider: 'Insurer’s desk',
  platform: 'Partner’s support',
}

export const mayWrite = (role: Role): boolean => WRITERS.some((writer) => writer === role)
