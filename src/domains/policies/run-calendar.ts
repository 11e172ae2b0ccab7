import type { Actor } from '../../access/caller.ts'
import type { Deps } from '../../deps.ts'
import { todayIn } from '../../kernel/clock.ts'
import { newId } from '../../kernel/id.ts'
import { releaseLease, takeLease } from '../../kernel/jobs/lease.ts'
import { Refusal } from '../../kernel/refusal.ts'
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
 * One that cannot be moved does not keep the others waiting; the first failure is thrown when they are done. Costs one
 * look into an index when nothing is due; ends after the batch in which it is told to stop.
 */
export async function runCalendar(deps: Deps, holder = newId('cal'), stop?: AbortSignal): Promise<number> {
  const today = todayIn(deps.calendar)
  if (!(await hasDuePolicies(deps.db, today))) return 0
  const lease = { name: LEASE, holder }
  const notMoved: string[] = [] // and not asked for again in this run
  const failures: unknown[] = []
  let moved = 0
  while (await takeLease(deps.db, lease)) {
    const due = await listDuePolicies(deps.db, { today, without: notMoved, limit: BATCH })
    if (due.length === 0 || stop?.aborted) break
    await eachOf(due, MOVES_AT_ONCE, async (policy) => {
      try {
        if (await moveDue(deps, policy, today)) moved++
        else notMoved.push(policy.policy_id)
      } catch (error) {
        // The database is away: no policy is at fault, and no other could be moved.
        if (error instanceof Refusal && error.code === 'unavailable') throw error
        notMoved.push(policy.policy_id)
        failures.push(error)
      }
    })
  }
  await releaseLease(deps.db, lease)
  if (failures.length > 0) throw failures[0]
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
