import { actorOf, type CallerKind } from '../../../access/caller.ts'
import { addDays, type Day } from '../../../kernel/date.ts'
import type { LinkedRowOf } from '../../../kernel/db/write-statement.ts'
import { newId } from '../../../kernel/id.ts'
import { type Author, initialTransition, type Recorded, transition } from '../../../record/index.ts'
import type { LINKED_DECISIONS } from './linked-store.ts'
import type { Endorsement } from './records.ts'
import type { Policy } from '../policies/records.ts'
import { ENDORSEMENT_MACHINE, type EndorsementSubject, type EndorsementState } from './states.ts'
import { isOfPersons, type PendingEndorsement } from './pending-store.ts'

/** The policy that endorsements belong to, with what their history and events need. */
export type EndorsedPolicy = Pick<EndorsementSubject, 'id' | 'userId' | 'platformId' | 'key' | 'benefitProviderId'>
type SettledPolicy = EndorsedPolicy & Pick<Policy, 'endsOn'>

export const toSubject = (
  { id: policyId, userId, platformId, key, benefitProviderId }: EndorsedPolicy,
  { id, kind, state }: Pick<Endorsement, 'id' | 'kind' | 'state'>,
): EndorsementSubject => ({ id, kind, status: state, userId, platformId, key, policyId, benefitProviderId })

type Request = Pick<Endorsement, 'kind' | 'personId' | 'personsVersion'> &
  Partial<Pick<Endorsement, 'id' | 'event' | 'eventOn' | 'on' | 'refundDays' | 'refundEstimatePaise'>>

/** Requests an endorsement of an issued policy. Pure. */
export function requestEndorsement(
  policy: EndorsedPolicy,
  { id = newId('edo'), kind, personId, personsVersion, on, ...more }: Request,
  { author, today, endorsementDays }: { author: Author; today: Day; endorsementDays: number },
) {
  const row = {
    user_id: policy.userId,
    endorsement_id: id,
    policy_id: policy.id,
    platform_id: policy.platformId,
    benefit_provider_id: policy.benefitProviderId,
    kind,
    person_id: personId,
    on_day: on ?? today,
    event: more.event ?? null,
    event_on: more.eventOn ?? null,
    refund_days: more.refundDays ?? null,
    refund_estimate_paise: more.refundEstimatePaise ?? null,
    persons_version: personsVersion,
    due_on: addDays(today, endorsementDays),
    state: 'REQUESTED' as const,
    actor: actorOf(author.caller),
    created_at: author.at,
    last_modified_at: author.at,
  }
  return { row, ...initialTransition(ENDORSEMENT_MACHINE, toSubject(policy, { id, kind, state: 'REQUESTED' })) }
}

export type DecidedRow = LinkedRowOf<typeof LINKED_DECISIONS>

type After = {
  isOver: boolean
  /** The issue that the change makes of the running term; null when it makes none. */
  issue: number | null
  /** The decision that the change is. */
  decision?: EndorsementDecision | undefined
}

/** Returns the row of an endorsement that is decided; only the benefit provider's own decision says more. */
export const decidedRow = (
  { userId }: Pick<EndorsedPolicy, 'userId'>,
  id: string,
  decided: Pick<DecidedRow, 'state' | 'issue' | 'at'>,
): DecidedRow => ({
  on_day: null,
  provider_reference: null,
  amount_paise: null,
  user_id: userId,
  endorsement_id: id,
  ...decided,
})

/** A decision on an endorsement: its row, history and events. */
export type EndorsementDecision = Recorded & { row: DecidedRow }

type Decided = Pick<DecidedRow, 'issue' | 'at'> & { state: EndorsementState; who: CallerKind }

/** Decides an endorsement without a word of its own. Pure. Throws what `transition` throws. */
export const decisionOn = (
  policy: EndorsedPolicy,
  one: Pick<Endorsement, 'id' | 'kind' | 'state'>,
  { state, issue, who, at }: Decided,
): EndorsementDecision => ({
  ...transition(ENDORSEMENT_MACHINE, toSubject(policy, one), { to: state, who }),
  row: decidedRow(policy, one.id, { state, issue, at }),
})

/**
 * Decides what becomes of the other pending endorsements of a policy with a change of it: an issue accepts those that were requested and
 * certifies those that were accepted, the end of the policy withdraws what was requested. An END waits beyond that for what is paid back, and
 * is withdrawn with the day that it asks for. Pure.
 */
export function settle(
  policy: SettledPolicy,
  pending: readonly PendingEndorsement[],
  { isOver, issue, decision }: After,
  at: Date,
): Recorded & { decided: DecidedRow[] } {
  const ofPersons = isOver || issue !== null ? pending.filter(isOfPersons) : []
  const requested = ofPersons.filter((one) => one.state === 'REQUESTED')
  const certified = isOver ? [] : ofPersons.filter((one) => one.state === 'ACCEPTED')
  const ends = policy.endsOn === null ? pending.filter((one) => !isOfPersons(one)) : []
  const become = (state: 'ACCEPTED' | 'WITHDRAWN', by: number | null) => (one: PendingEndorsement) =>
    decisionOn(policy, one, { state, issue: by, who: 'system', at })
  const decisions = [
    ...(decision ? [decision] : []),
    ...requested.map(isOver ? become('WITHDRAWN', null) : become('ACCEPTED', issue)),
    ...ends.map(become('WITHDRAWN', null)),
  ]
  return {
    decided: [
      ...decisions.map(({ row }) => row),
      ...certified.map(({ id }) => decidedRow(policy, id, { state: 'ACCEPTED', issue, at })),
    ],
    history: decisions.flatMap(({ history }) => history),
    events: decisions.flatMap(({ events }) => events),
  }
}
