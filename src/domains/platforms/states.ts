import { WRITING_ADMINISTRATORS as who } from '../../access/caller.ts'
import { machine, type Transition } from '../../record/index.ts'

export const PLATFORM_STATUSES = ['ACTIVE', 'INACTIVE'] as const
export type PlatformStatus = (typeof PLATFORM_STATUSES)[number]

const TRANSITIONS: readonly Transition<PlatformStatus>[] = [
  { from: 'ACTIVE', to: 'INACTIVE', who },
  { from: 'INACTIVE', to: 'ACTIVE', who },
]

/** The states of a platform. Disabling it cuts it and its users off; it can be enabled again. */
export const PLATFORM_MACHINE = machine({
  table: TRANSITIONS,
  event: 'platform.status_changed',
  ids: ({ id }: { id: string }) => ({ platform_id: id }),
})

/** Returns a platform as its transitions take it: its events are its own, and it is no person's. */
export const subjectOf = (platform: { id: string; status: PlatformStatus }) => ({
  ...platform,
  userId: null,
  platformId: platform.id,
  key: null,
})

/** The types of purpose-bound accounts; they stand here, at the lowest domain that speaks of them. */
export const ACCOUNT_TYPES = ['SAVINGS', 'HSA', 'EDUCATION', 'SPONSOR'] as const
export type AccountType = (typeof ACCOUNT_TYPES)[number]
