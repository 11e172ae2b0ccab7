import {
  afterCalendar,
  awaitReissue,
  correctedEvent,
  LINKED_CORRECTIONS,
  createCorrection,
  nextDayOf,
  storedDays,
  withCurrentIds,
} from '../policies/index.ts'
import {
  decodePending,
  LINKED_DECISIONS,
  LINKED_ENDORSEMENTS,
  requestEndorsement,
  settle,
} from '../endorsements/index.ts'
import type { LinkedRecords, NewVersion, PropagationTime } from '../../people/users/index.ts'
import {
  decodeLinkedPolicies,
  LINKED_POLICIES,
  type LinkedPolicy,
  POLICIES_GUARD,
  POLICIES_OF_DEPENDANT,
  POLICIES_OF_USER,
  encodeSeen,
} from './store.ts'

const LINKED_TO_POLICIES = [LINKED_ENDORSEMENTS, LINKED_DECISIONS]

/**
 * The policies that follow a new version of a dependant: open policies refer to the new version and count it, and an ISSUED
 * policy must be reissued. Part of the write that creates the version.
 */
export const LINKED_TO_DEPENDANT: LinkedRecords = {
  read: POLICIES_OF_DEPENDANT,
  guard: POLICIES_GUARD,
  linked: [LINKED_POLICIES, ...LINKED_TO_POLICIES],
  propagate(rows, version, now) {
    const { propagated: _propagated, ...change } = decidePropagations(rows, version, now)
    return change
  },
}

/**
 * The policies that follow a change of a user's personal details. Each keeps the correction, because a user has no
 * versions to read it from.
 */
export const LINKED_TO_USER: LinkedRecords = {
  read: POLICIES_OF_USER,
  guard: POLICIES_GUARD,
  linked: [LINKED_POLICIES, ...LINKED_TO_POLICIES, LINKED_CORRECTIONS],
  propagate(rows, version, now) {
    const { author } = now
    const { propagated, ...change } = decidePropagations(rows, version, now)
    const corrected = propagated.filter(({ status }) => status !== 'EXPIRED')
    const { userId } = version.previous
    const corrections = corrected.map((row) => createCorrection({ userId, id: row.policy_id }, version.fields, author))
    return { ...change, rows: { ...change.rows, ...LINKED_CORRECTIONS.rows(corrections) } }
  },
}

function decidePropagations(rows: readonly object[], version: NewVersion, now: PropagationTime) {
  const linked = decodeLinkedPolicies(rows)
  const decided = linked.map((policy) => decidePropagation(policy, version, now))
  const propagated = decided.map(({ row }) => ({ ...row, at: now.author.at }))
  return {
    seen: encodeSeen(linked),
    propagated,
    rows: {
      ...LINKED_POLICIES.rows(propagated),
      ...LINKED_ENDORSEMENTS.rows(decided.flatMap(({ requested }) => requested)),
      ...LINKED_DECISIONS.rows(decided.flatMap(({ settled }) => settled)),
    },
    history: decided.flatMap(({ history }) => history),
    events: decided.flatMap(({ events }) => events),
  }
}

/** Decides how one policy follows a correction; what follows from it is by the caller who corrected. Pure. */
export function decidePropagation(policy: LinkedPolicy, { previous, id, fields }: NewVersion, now: PropagationTime) {
  const { userId, platformId, key } = previous
  const { today, author } = now
  const owned = { ...policy, userId, platformId, key }
  const late = afterCalendar(owned, today)
  const propagated = awaitReissue(late.policy, today)
  const { policy: changed } = propagated
  const isOpen = changed.status !== 'EXPIRED'
  const isCounted = isOpen && fields.length > 0
  const personsVersion = policy.personsVersion + (isCounted ? 1 : 0)
  const corrected = correctedEvent({ ...policy, userId, platformId, personsVersion }, { id, fields })
  const requested =
    isCounted && policy.issue > 0
      ? [requestEndorsement(owned, { kind: 'CORRECTION', personId: id, personsVersion }, now)]
      : []
  const over = { isOver: !isOpen, issue: null }
  const settled = settle(owned, decodePending(policy.pending), over, author.at)
  const currentId = (personId: string) => (personId === previous.id && isOpen ? id : personId)
  return {
    row: {
      policy_id: policy.id,
      status: changed.status,
      dependant_ids: changed.dependantIds.map(currentId),
      member_days: withCurrentIds(storedDays(changed), currentId),
      nominee_dependant_id: policy.nomineeDependantId && currentId(policy.nomineeDependantId),
      grace_until: changed.graceUntil,
      next_move_on: nextDayOf(changed),
      persons_version: personsVersion,
    },
    requested: requested.map(({ row }) => row),
    settled: settled.decided,
    history: [
      ...late.history,
      ...propagated.history,
      ...requested.flatMap(({ history }) => history),
      ...settled.history,
    ],
    events: [
      ...late.events,
      ...(isCounted ? [corrected] : []),
      ...propagated.events,
      ...requested.flatMap(({ events }) => events),
      ...settled.events,
    ],
  }
}
