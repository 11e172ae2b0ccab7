import { machine, type Transition } from '../../../record/index.ts'

export const RIGHTS_STATES = ['RECEIVED', 'IN_PROGRESS', 'ANSWERED', 'REFUSED'] as const
export type RightsState = (typeof RIGHTS_STATES)[number]

export const RIGHTS_KINDS = ['ACCESS', 'CORRECTION', 'ERASURE', 'NOMINATION', 'GRIEVANCE'] as const
export type RightsKind = (typeof RIGHTS_KINDS)[number]

const who = ['platform', 'operator', 'owner'] as const

const TRANSITIONS: readonly Transition<RightsState>[] = [
  { from: 'RECEIVED', to: 'IN_PROGRESS', who },
  { from: 'IN_PROGRESS', to: 'ANSWERED', who },
  { from: 'IN_PROGRESS', to: 'REFUSED', who },
]

export const RIGHTS_MACHINE = machine({
  table: TRANSITIONS,
  event: 'rights_request.status_changed',
  ids: ({ userId, id, kind }: { userId: string; id: string; kind: RightsKind }) => ({
    user_id: userId,
    rights_request_id: id,
    kind,
  }),
})
