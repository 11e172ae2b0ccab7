import { ADMINISTRATORS } from '../../access/caller.ts'
import { machine, type Transition } from '../../record/index.ts'

export const ADMINISTRATOR_STATUSES = ['ACTIVE', 'DISABLED'] as const
export type AdministratorStatus = (typeof ADMINISTRATOR_STATUSES)[number]

export const ROLES = ADMINISTRATORS

const TRANSITIONS: readonly Transition<AdministratorStatus>[] = [
  { from: 'ACTIVE', to: 'DISABLED', who: ['owner'] },
  { from: 'DISABLED', to: 'ACTIVE', who: ['owner'] },
]

/** The states of an administrator. A disabled one is logged out everywhere, and does not get in again until it is active. */
export const ADMINISTRATOR_MACHINE = machine({
  table: TRANSITIONS,
  event: 'administrator.status_changed',
  ids: ({ id }: { id: string }) => ({ administrator_id: id }),
})
