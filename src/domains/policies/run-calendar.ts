import type { Actor } from '../../access/caller.ts'
import type { Deps } from '../../deps.ts'
import { todayIn } from '../../kernel/clock.ts'
import { newId } from '../../kernel/id.ts'
import { releaseLease, takeLease } from '../../kernel/jobs/lease.ts'
import { movePolicy } from './move-policy.ts'
import { dueMove } from './states.ts'
import { hasDuePolicies, listDuePolicies, lockPolicy } from './store.ts'

const LEASE = 'policy-calendar'
const BATCH = 200
/** Moves at once: enough to hide round trips, few enough that requests keep their connections. */
const MOVES_AT_ONCE = 4

type Due = { user_id: string; policy_id: string }

/**
 * Makes every move whose day has come (completion 5), each by the guarded function that people use, in a transaction of
 * its own. Restartable at any point: what is due is read again, and a policy that was moved meanwhile is left alone.
 * Costs one look into an index when nothing is due.
 */
export async function runCalendar(deps: Deps, holder = newId('cal')): Promise<number> {
  const today = todayIn(deps.calendar)
  if (!(await hasDuePolicies(deps.db, today))) return 0
  const lease = { name: LEASE, holder }
  let moved = 0
  while (await takeLease(deps.db, lease)) {
    const due = await listDuePolicies(deps.db, today, BATCH)
    const before = moved
    await eachOf(due, MOVES_AT_ONCE, async (policy) => {
      if (await moveDue(deps, policy, today)) moved++
    })
    // A batch in which nothing could be moved would come again for ever.
    if (due.length < BATCH || moved === before) break
  }
  await releaseLease(deps.db, lease)
  return moved
}

/** One move of one policy; one that is late by several moves is due again afterwards. */
async function moveDue(
  { db, vault, calendar }: Deps,
  { user_id: userId, policy_id: policyId }: Due,
  today: string,
): Promise<boolean> {
  const by: Actor = { caller: { kind: 'system', job: LEASE }, requestId: newId('job') }
  return db.transaction(async (tx) => {
    const policy = await lockPolicy(
      tx,
      vault,
      { userId: userId as never, platformId: null, providerId: null },
      policyId,
    )
    const status = dueMove(policy, today)
    if (!status) return false
    await movePolicy(tx, { vault, calendar }, { userId, policyId, form: { status }, ifMatch: undefined, by })
    return true
  })
}

/** Runs the work for every item, so many at a time. */
async function eachOf<T>(items: T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values()
  const lane = async () => {
    for (const item of queue) await work(item)
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
}
