import { WRITING_ADMINISTRATORS } from '../../../access/caller.ts'
import { machine, type Transition } from '../../../record/index.ts'

export const SPONSOR_STATUSES = ['PENDING', 'ACTIVE', 'INACTIVE'] as const
export type SponsorStatus = (typeof SPONSOR_STATUSES)[number]

const TRANSITIONS: readonly Transition<SponsorStatus>[] = [
  { from: 'PENDING', to: 'ACTIVE', who: WRITING_ADMINISTRATORS },
  { from: 'PENDING', to: 'INACTIVE', who: WRITING_ADMINISTRATORS },
  { from: 'ACTIVE', to: 'INACTIVE', who: WRITING_ADMINISTRATORS },
  { from: 'INACTIVE', to: 'ACTIVE', who: WRITING_ADMINISTRATORS },
  { from: 'ACTIVE', to: 'PENDING', who: ['system'] }, // PAN or kind changed: needs another review
]

export const SPONSOR_MACHINE = machine({
  table: TRANSITIONS,
  event: 'sponsor.status_changed',
  ids: ({ id }: { id: string }) => ({ sponsor_id: id }),
})
