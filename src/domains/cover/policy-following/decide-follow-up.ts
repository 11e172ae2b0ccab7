import { actorOf } from '../../../access/caller.ts'
import type { Day } from '../../../kernel/date.ts'
import { newId } from '../../../kernel/id.ts'
import type { By } from '../../../record/index.ts'
import { afterCalendar, nextMoveOn, programTransition } from '../policies/index.ts'
import type { Followers, NewVersion } from '../../people/users/index.ts'
import {
  CORRECTIONS_PART,
  decodeFollowers,
  FOLLOW_PART,
  type Follower,
  FOLLOWERS_GUARD,
  FOLLOWERS_OF_DEPENDANT,
  FOLLOWERS_OF_USER,
  seenOf,
} from './store.ts'

/**
 * The policies that follow a new version of a dependant: open policies refer to the new version, and an ISSUED policy must
 * be reissued. Part of the write that creates the version.
 */
export const DEPENDANT_FOLLOWERS: Followers = {
  read: FOLLOWERS_OF_DEPENDANT,
  guard: FOLLOWERS_GUARD,
  parts: [FOLLOW_PART],
  follow(rows, version, now) {
    const { followed, ...change } = decideFollowUps(rows, version, now)
    return { ...change, rows: FOLLOW_PART.rows(followed) }
  },
}

/**
 * The policies that follow a change of a user's personal details. Each keeps the correction, because a user has no
 * versions to read it from.
 */
export const USER_FOLLOWERS: Followers = {
  read: FOLLOWERS_OF_USER,
  guard: FOLLOWERS_GUARD,
  parts: [FOLLOW_PART, CORRECTIONS_PART],
  follow(rows, version, now) {
    const { by } = now
    const { followed, ...change } = decideFollowUps(rows, version, now)
    const corrected = followed.filter(({ status }) => status !== 'EXPIRED')
    const corrections = corrected.map(({ policy_id }) => ({
      user_id: version.previous.userId,
      policy_id,
      correction_id: newId('cor'),
      actor: actorOf(by.caller),
      request_id: by.requestId,
      at: by.at,
    }))
    return { ...change, rows: { ...FOLLOW_PART.rows(followed), ...CORRECTIONS_PART.rows(corrections) } }
  },
}

function decideFollowUps(rows: readonly object[], version: NewVersion, { today, by }: { today: Day; by: By }) {
  const followers = decodeFollowers(rows)
  const decided = followers.map((policy) => decideFollowUp(policy, version, today))
  return {
    seen: seenOf(followers),
    followed: decided.map(({ row }) => ({ ...row, at: by.at })),
    history: decided.flatMap(({ history }) => history),
    events: decided.flatMap(({ events }) => events),
  }
}

/** Decides how one policy follows a correction; what follows from it is by the caller who corrected. Pure. */
export function decideFollowUp(policy: Follower, { previous, id }: NewVersion, today: Day) {
  const { userId, platformId, key } = previous
  const late = afterCalendar({ ...policy, userId, platformId, key }, today)
  const isInForce = late.policy.status === 'ISSUED' // after overdue transitions
  const followed = isInForce
    ? programTransition(late.policy, { to: 'REQUIRES_POLICY_REISSUANCE', today })
    : { policy: late.policy, history: [], events: [] }
  const { policy: changed } = followed
  const isOpen = changed.status !== 'EXPIRED'
  const currentId = (personId: string) => (personId === previous.id && isOpen ? id : personId)
  return {
    row: {
      policy_id: policy.id,
      status: changed.status,
      dependant_ids: policy.dependantIds.map(currentId),
      nominee_dependant_id: policy.nomineeDependantId && currentId(policy.nomineeDependantId),
      grace_until: changed.graceUntil,
      next_move_on: nextMoveOn(changed),
    },
    history: [...late.history, ...followed.history],
    events: [...late.events, ...followed.events],
  }
}
