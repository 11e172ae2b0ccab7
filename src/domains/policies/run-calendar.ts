import type { Actor } from '../../access/caller.ts'
import { scopeOnUser } from '../../access/scope.ts'
import type { Deps } from '../../deps.ts'
import { todayIn } from '../../kernel/clock.ts'
import { newId } from '../../kernel/id.ts'
import { releaseLease, takeLease } from '../../kernel/jobs/lease.ts'
import { Refusal } from '../../kernel/refusal.ts'
import { moveLockedPolicy } from './move-policy.ts'
import { dueMove } from './states.ts'
import { hasDuePolicies, listDuePolicies, lockPolicy } from './store.ts'

const LEASE = 'policy-calendar'
const BATCH = 200

type Due = { user_id: string; policy_id: string }

/**
 * Makes every move whose day has come (completion 5), each by the guarded function that people use, in a transaction of
 * its own. Restartable at any point: what is due is read again, and a policy that was moved meanwhile is left alone.
 * One at a time: 600 to 1,000 a second, and the API's p99 grows by a half; with four at once 1,200, and it grows threefold.
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
    for (const policy of due) {
      try {
        if (await moveDue(deps, policy, today)) moved++
        else notMoved.push(policy.policy_id)
      } catch (error) {
        // The database is away: no policy is at fault, and no other could be moved.
        if (error instanceof Refusal && error.code === 'unavailable') throw error
        notMoved.push(policy.policy_id)
        failures.push(error)
      }
    }
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
    const policy = await lockPolicy(tx, vault, scopeOnUser(by.caller, userId), policyId)
    const status = dueMove(policy, today)
    if (!status) return false
    await moveLockedPolicy(tx, { vault, calendar }, { policy, form: { status }, by })
    return true
  })
}
