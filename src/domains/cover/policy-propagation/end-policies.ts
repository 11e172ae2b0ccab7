import { type Clock, todayIn } from '../../../kernel/clock.ts'
import type { Day } from '../../../kernel/date.ts'
import type { LinkedRows } from '../../../kernel/db/write-statement.ts'
import type { Recorded } from '../../../record/index.ts'
import { decodePending, LINKED_DECISIONS, settle } from '../endorsements/index.ts'
import { afterCalendar, nextDayOf, programTransition, storedDays } from '../policies/index.ts'
import type { LinkedRecords } from '../../people/users/index.ts'
import {
  decodeLinkedPolicies,
  LINKED_POLICIES,
  type LinkedPolicy,
  POLICIES_GUARD,
  POLICIES_OF_USER,
  encodeSeen,
} from './store.ts'

/** The user whose policies end; none of their sealed data is opened. */
type Person = { userId: string; platformId: string }

/** The policies that end with a user: how they are read and guarded, and what ending them writes. */
export type Endings = Pick<LinkedRecords, 'read' | 'guard' | 'linked'> & {
  end: (rows: readonly object[], person: Person, at: Date) => Ended
}

/** `seen` is for the guard; `inForce` are the ids of the policies that cover somebody until they end. */
type Ended = Recorded & { seen: string; inForce: string[]; rows: LinkedRows }

const ENDING = { kind: 'system', job: 'erase-user' } as const

/** Returns how a user's policies end when the user is erased: those that were issued expire, the others are rejected. */
export const endPolicies = (calendar: Clock): Endings => ({
  read: POLICIES_OF_USER,
  guard: POLICIES_GUARD,
  linked: [LINKED_POLICIES, LINKED_DECISIONS],
  end(rows, person, at) {
    const policies = decodeLinkedPolicies(rows)
    const now = { today: todayIn(calendar), at }
    const ended = policies.map((policy) => decideEnding(policy, person, now))
    return {
      seen: encodeSeen(policies),
      inForce: ended.filter(({ wasInForce }) => wasInForce).map(({ row }) => row.policy_id),
      rows: {
        ...LINKED_POLICIES.rows(ended.map(({ row }) => row)),
        ...LINKED_DECISIONS.rows(ended.flatMap(({ decided }) => decided)),
      },
      history: ended.flatMap(({ history }) => history),
      events: ended.flatMap(({ events }) => events),
    }
  },
})

/** Decides how one open policy ends. Pure. */
function decideEnding(policy: LinkedPolicy, { userId, platformId }: Person, { today, at }: { today: Day; at: Date }) {
  const owned = { ...policy, userId, platformId, key: null }
  const late = afterCalendar(owned, today)
  const isOver = late.policy.status === 'EXPIRED'
  const to = policy.issue > 0 ? 'EXPIRED' : 'REJECTED'
  const { policy: ended, ...recorded } = isOver
    ? { policy: late.policy, history: [], events: [] }
    : programTransition(late.policy, { to, author: ENDING, today })
  const settled = settle(owned, decodePending(policy.pending), { isOver: true, issue: null }, at)
  return {
    wasInForce: policy.issue > 0 && !isOver,
    decided: settled.decided,
    row: {
      policy_id: policy.id,
      status: ended.status,
      dependant_ids: ended.dependantIds,
      member_days: storedDays(ended),
      nominee_dependant_id: policy.nomineeDependantId,
      grace_until: ended.graceUntil,
      next_move_on: nextDayOf(ended),
      persons_version: policy.personsVersion,
      at,
    },
    history: [...late.history, ...recorded.history, ...settled.history],
    events: [...late.events, ...recorded.events, ...settled.events],
  }
}
