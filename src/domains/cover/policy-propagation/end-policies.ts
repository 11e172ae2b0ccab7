import { type Clock, todayIn } from '../../../kernel/clock.ts'
import type { Day } from '../../../kernel/date.ts'
import type { LinkedRows } from '../../../kernel/db/write-statement.ts'
import type { Recorded } from '../../../record/index.ts'
import { afterCalendar, nextMoveOn, programTransition } from '../policies/index.ts'
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
  end: (rows: readonly object[], person: Person) => Ended
}

/** `seen` is for the guard; `inForce` are the ids of the policies that cover somebody until they end. */
type Ended = Recorded & { seen: string; inForce: string[]; rowsAt: (at: Date) => LinkedRows }

const ENDING = { kind: 'system', job: 'erase-user' } as const

/** Returns how a user's policies end when the user is erased: those that were issued expire, the others are rejected. */
export const endPolicies = (calendar: Clock): Endings => ({
  read: POLICIES_OF_USER,
  guard: POLICIES_GUARD,
  linked: [LINKED_POLICIES],
  end(rows, person) {
    const policies = decodeLinkedPolicies(rows)
    const ended = policies.map((policy) => decideEnding(policy, person, todayIn(calendar)))
    return {
      seen: encodeSeen(policies),
      inForce: ended.filter(({ wasInForce }) => wasInForce).map(({ row }) => row.policy_id),
      rowsAt: (at) => LINKED_POLICIES.rows(ended.map(({ row }) => ({ ...row, at }))),
      history: ended.flatMap(({ history }) => history),
      events: ended.flatMap(({ events }) => events),
    }
  },
})

/** Decides how one open policy ends. Pure. */
function decideEnding(policy: LinkedPolicy, { userId, platformId }: Person, today: Day) {
  const late = afterCalendar({ ...policy, userId, platformId, key: null }, today)
  const isOver = late.policy.status === 'EXPIRED'
  const to = policy.issue > 0 ? 'EXPIRED' : 'REJECTED'
  const { policy: ended, ...recorded } = isOver
    ? { policy: late.policy, history: [], events: [] }
    : programTransition(late.policy, { to, author: ENDING, today })
  return {
    wasInForce: policy.issue > 0 && !isOver,
    row: {
      policy_id: policy.id,
      status: ended.status,
      dependant_ids: policy.dependantIds,
      nominee_dependant_id: policy.nomineeDependantId,
      grace_until: ended.graceUntil,
      next_move_on: nextMoveOn(ended),
      persons_version: policy.personsVersion,
    },
    history: [...late.history, ...recorded.history],
    events: [...late.events, ...recorded.events],
  }
}
