import { machine, type Transition } from '../../../record/index.ts'

export const ADMINISTRATOR_STATUSES = ['ACTIVE', 'DISABLED'] as const
export type AdministratorStatus = (typeof ADMINISTRATOR_STATUSES)[number]

const TRANSITIONS: readonly Transition<AdministratorStatus>[] = [
  { from: 'ACTIVE', to: 'DISABLED', who: ['owner'] },
  { from: 'DISABLED', to: 'ACTIVE', who: ['owner'] },
]

/** The state machine of administrators. Disabled ones are logged out everywhere and cannot log in. */
export const ADMINISTRATOR_MACHINE = machine({
  table: TRANSITIONS,
  event: 'administrator.status_changed',
  ids: ({ id }: { id: string }) => ({ administrator_id: id }),
})
