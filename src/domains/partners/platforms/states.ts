import { WRITING_ADMINISTRATORS as who } from '../../../access/caller.ts'
import { machine, type Transition } from '../../../record/index.ts'

export const PLATFORM_STATUSES = ['ACTIVE', 'INACTIVE'] as const
export type PlatformStatus = (typeof PLATFORM_STATUSES)[number]

const TRANSITIONS: readonly Transition<PlatformStatus>[] = [
  { from: 'ACTIVE', to: 'INACTIVE', who },
  { from: 'INACTIVE', to: 'ACTIVE', who },
]

export const PLATFORM_MACHINE = machine({
  table: TRANSITIONS,
  event: 'platform.status_changed',
  ids: ({ id }: { id: string }) => ({ platform_id: id }),
})

/** Returns a platform as the subject of a transition: it belongs to itself and to no user. */
export const subjectOf = (platform: { id: string; status: PlatformStatus }) => ({
  ...platform,
  userId: null,
  platformId: platform.id,
  key: null,
})

/** The types of purpose-bound accounts, defined in the lowest domain that uses them. */
export const ACCOUNT_TYPES = ['SAVINGS', 'HSA', 'EDUCATION', 'SPONSOR'] as const
export type AccountType = (typeof ACCOUNT_TYPES)[number]
