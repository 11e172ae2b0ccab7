import { type Clock, todayIn } from '../../kernel/clock.ts'
import type { PartRow } from '../../kernel/db/write-statement.ts'
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
 * How the policies that name a dependant follow its new version: all that are open name it from now on, and one that is
 * ISSUED has to be issued again (completion 5). Part of the write that makes the version.
 */
export const followDependant = (calendar: Clock): Followers =>
  followPerson({ calendar, read: FOLLOWERS_OF_DEPENDANT, job: 'dependant-version' })

/** How the policies of a user follow a new name or birth of theirs: as those of a dependant follow its new version. */
export const followUser = (calendar: Clock): Followers =>
  followPerson({ calendar, read: FOLLOWERS_OF_USER, job: 'user-profile' })

type Following = Pick<Followers, 'read'> & { calendar: Clock; job: string }

export const followPerson = ({ calendar, read, job }: Following): Followers => ({
  read,
  guard: FOLLOWERS_GUARD,
  parts: [FOLLOW_PART],
  follow(rows, version, { at }) {
    const followers = decodeFollowers(rows)
    const circumstances = { today: todayIn(calendar), by: { kind: 'system', job } as const }
    const followed = followers.map((policy) => decideFollowing(policy, version, circumstances))
    return {
      seen: JSON.stringify(followers.map(({ id, revision }) => ({ policy_id: id, revision }))),
      rows: { followed: followed.map(({ row }) => ({ ...row, at })) },
      history: followed.flatMap(({ history }) => history),
      events: followed.flatMap(({ events }) => events),
    }
  },
})

/** Decides how one policy follows. Pure. */
export function decideFollowing(
  policy: Follower,
  { previous, id }: NewVersion,
  { today, by }: { today: string; by: Extract<Caller, { kind: 'system' }> },
): Recorded & { row: PartRow } {
  const { userId, platformId, key } = previous
  const late = afterCalendar({ ...policy, userId, platformId, key }, today)
  const isInForce = late.policy.status === 'ISSUED' // and nothing was late
  const {
    policy: changed,
    history,
    events,
  } = isInForce ? programTransition(late.policy, { to: 'REQUIRES_POLICY_REISSUANCE', by, today }) : late
  const isOpen = changed.status !== 'EXPIRED'
  const newest = (of: string) => (of === previous.id && isOpen ? id : of)
  return {
    row: {
      user_id: userId,
      policy_id: policy.id,
      status: changed.status,
      dependant_ids: policy.dependantIds.map(newest),
      nominee_dependant_id: policy.nomineeDependantId && newest(policy.nomineeDependantId),
      grace_until: changed.graceUntil,
      next_move_on: nextMoveOn(changed),
    },
    history,
    events,
  }
}
