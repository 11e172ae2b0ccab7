import { type Clock, todayIn } from '../../kernel/clock.ts'
import type { RowOf } from '../../kernel/db/write-statement.ts'
import type { Caller } from '../../access/caller.ts'
import type { Recorded } from '../../record/index.ts'
import { afterCalendar, nextMoveOn, programTransition } from '../policies/index.ts'
import type { Followers, NewVersion } from '../users/index.ts'
import {
  decodeFollowers,
  FOLLOW_PART,
  type Follower,
  FOLLOWERS_GUARD,
  FOLLOWERS_OF_DEPENDANT,
  FOLLOWERS_OF_USER,
} from './store.ts'

/**
 * Returns how policies follow a new version of a dependant: open policies refer to the new version, and an ISSUED
 * policy must be reissued (completion 5). Part of the write that creates the version.
 */
export const followDependant = (calendar: Clock): Followers =>
  followPerson({ calendar, read: FOLLOWERS_OF_DEPENDANT, job: 'dependant-version' })

/** Returns how a user's policies follow a change of the user's personal details, likewise. */
export const followUser = (calendar: Clock): Followers =>
  followPerson({ calendar, read: FOLLOWERS_OF_USER, job: 'user-profile' })

type FollowOptions = Pick<Followers, 'read'> & { calendar: Clock; job: string }

export const followPerson = ({ calendar, read, job }: FollowOptions): Followers => ({
  read,
  guard: FOLLOWERS_GUARD,
  parts: [FOLLOW_PART],
  follow(rows, version, { at }) {
    const followers = decodeFollowers(rows)
    const context = { today: todayIn(calendar), by: { kind: 'system', job } as const }
    const followed = followers.map((policy) => decideFollowUp(policy, version, context))
    return {
      seen: JSON.stringify(followers.map(({ id, revision }) => ({ policy_id: id, revision }))),
      rows: FOLLOW_PART.rows(followed.map(({ row }) => ({ ...row, at }))),
      history: followed.flatMap(({ history }) => history),
      events: followed.flatMap(({ events }) => events),
    }
  },
})

/** Decides how one policy follows a correction. Pure. */
export function decideFollowUp(
  policy: Follower,
  { previous, id }: NewVersion,
  { today, by }: { today: string; by: Extract<Caller, { kind: 'system' }> },
): Recorded & { row: Omit<RowOf<typeof FOLLOW_PART>, 'at'> } {
  const { userId, platformId, key } = previous
  const late = afterCalendar({ ...policy, userId, platformId, key }, today)
  const isInForce = late.policy.status === 'ISSUED' // after overdue transitions
  const {
    policy: changed,
    history,
    events,
  } = isInForce ? programTransition(late.policy, { to: 'REQUIRES_POLICY_REISSUANCE', by, today }) : late
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
    history,
    events,
  }
}
