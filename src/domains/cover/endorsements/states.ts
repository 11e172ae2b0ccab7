import { WRITING_ADMINISTRATORS } from '../../../access/caller.ts'
import type { DataKey } from '../../../kernel/crypto/vault.ts'
import { machine, type Transition } from '../../../record/index.ts'

export const ENDORSEMENT_KINDS = ['JOIN', 'LEAVE', 'CORRECTION', 'NOMINEE', 'END'] as const
export type EndorsementKind = (typeof ENDORSEMENT_KINDS)[number]

export const ENDORSEMENT_STATES = ['REQUESTED', 'ACCEPTED', 'REFUSED', 'WITHDRAWN'] as const
export type EndorsementState = (typeof ENDORSEMENT_STATES)[number]

/** The states that people set. */
export const DECISIONS = ['ACCEPTED', 'REFUSED', 'WITHDRAWN'] as const satisfies EndorsementState[]

const people = ['provider', ...WRITING_ADMINISTRATORS] as const
const askers = ['platform', ...WRITING_ADMINISTRATORS] as const

/** The program accepts with an issue of the whole policy, and withdraws what the end of a policy makes pointless. */
const TRANSITIONS: readonly Transition<EndorsementState>[] = [
  { from: 'REQUESTED', to: 'ACCEPTED', who: ['system', ...people] },
  { from: 'REQUESTED', to: 'REFUSED', who: people },
  { from: 'REQUESTED', to: 'WITHDRAWN', who: ['system', ...askers] },
]

/** An endorsement with what its transitions need of its policy and user. */
export type EndorsementSubject = {
  id: string
  kind: EndorsementKind
  status: EndorsementState
  userId: string
  platformId: string
  key: DataKey | null
  policyId: string
  benefitProviderId: string
}

export const ENDORSEMENT_MACHINE = machine({
  table: TRANSITIONS,
  event: 'endorsement.status_changed',
  ids: ({ userId, policyId, benefitProviderId, id, kind }: EndorsementSubject) => ({
    user_id: userId,
    insurance_policy_id: policyId,
    benefit_provider_id: benefitProviderId,
    endorsement_id: id,
    kind,
  }),
})
