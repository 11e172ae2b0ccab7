import { type Clock, todayIn } from '../../kernel/clock.ts'
import type { PartRow } from '../../kernel/db/write-statement.ts'
import { type Recorded, transition } from '../../record/index.ts'
import type { Followers, NewVersion } from '../dependants/index.ts'
import { graceUntil, nextMoveOn, POLICY_MACHINE } from './states.ts'
import { decodeFollowers, FOLLOW_PART, type Follower, FOLLOWERS, FOLLOWERS_GUARD } from './store.ts'

const SYSTEM = { kind: 'system', job: 'dependant-version' } as const

/**
 * How the policies that name a dependant follow its new version: all that are open name it from now on, and one that is
 * ISSUED has to be issued again (completion 5). Part of the write that makes the version.
 */
export const followDependant = (calendar: Clock): Followers => ({
  read: FOLLOWERS,
  guard: FOLLOWERS_GUARD,
  parts: [FOLLOW_PART],
  follow(rows, version, { at }) {
    const followers = decodeFollowers(rows)
    const followed = followers.map((policy) => decideFollowing(policy, version, todayIn(calendar)))
    return {
      seen: JSON.stringify(followers.map(({ id, revision }) => ({ policy_id: id, revision }))),
      rows: { followed: followed.map(({ row }) => ({ ...row, at })) },
      history: followed.flatMap(({ history }) => history.map((change) => ({ ...change, by: SYSTEM }))),
      events: followed.flatMap(({ events }) => events),
    }
  },
})

/** Decides how one policy follows. Pure. */
export function decideFollowing(
  policy: Follower,
  { previous, id }: NewVersion,
  today: string,
): Recorded & { row: PartRow } {
  const subject = { ...policy, userId: previous.userId, platformId: previous.platformId, key: previous.key }
  const isIssued = policy.status === 'ISSUED'
  const { history, events } = isIssued
    ? transition(POLICY_MACHINE, subject, { to: 'REQUIRES_POLICY_REISSUANCE', who: 'system' })
    : { history: [], events: [] }
  const status = isIssued ? 'REQUIRES_POLICY_REISSUANCE' : policy.status
  const changed = { ...policy, status, ...(isIssued && { graceUntil: graceUntil({ ...policy, status }, today) }) }
  const newest = (of: string) => (of === previous.id ? id : of)
  return {
    row: {
      user_id: previous.userId,
      policy_id: policy.id,
      status,
      dependant_ids: policy.dependantIds.map(newest),
      nominee_dependant_id: policy.nomineeDependantId && newest(policy.nomineeDependantId),
      grace_until: changed.graceUntil,
      next_move_on: nextMoveOn(changed),
    },
    history,
    events,
  }
}
