import { scopeOnUser } from '../../access/scope.ts'
import type { Deps } from '../../deps.ts'
import { todayIn } from '../../kernel/clock.ts'
import type { Day } from '../../kernel/date.ts'
import { newId } from '../../kernel/id.ts'
import { releaseLease, takeLease } from '../../kernel/jobs/lease.ts'
import { ProblemError } from '../../kernel/problem-error.ts'
import { commit, unchanged } from '../../record/index.ts'
import { changePolicy, decidePolicyTransition } from './set-policy-status.ts'
import { CALENDAR, dueTransition } from './states.ts'
import { type DuePolicy, findPolicy, hasDuePolicies, listDuePolicies } from './store.ts'

const BATCH = 200

/**
 * Makes every transition whose day has come (completion 5), decided by the function that people use, each in a write of
 * its own. Restartable at any point: what is due is read again, and a policy that was changed meanwhile is left alone.
 * One after another, so that the API hardly notices. One that cannot be changed does not keep the others waiting; the
 * first failure is thrown when they are done. Costs one look into an index when nothing is due; ends after the batch in
 * which it is told to stop.
 */
export async function runCalendar(deps: Deps, holder = newId('cal'), stop?: AbortSignal): Promise<number> {
  const today = todayIn(deps.calendar)
  if (!(await hasDuePolicies(deps.db, today))) return 0
  const lease = { name: CALENDAR.job, holder }
  const left: string[] = [] // and not asked for again in this run
  const failures: unknown[] = []
  let changed = 0
  while (await takeLease(deps.db, lease)) {
    const due = await listDuePolicies(deps, { today, without: left, limit: BATCH })
    if (due.length === 0 || stop?.aborted) break
    for (const policy of due) {
      try {
        if (await changeDue(deps, policy, today)) changed++
        else left.push(policy.id)
      } catch (error) {
        // The database is away: no policy is at fault, and no other could be changed.
        if (error instanceof ProblemError && error.code === 'unavailable') throw error
        left.push(policy.id)
        failures.push(error)
      }
    }
  }
  await releaseLease(deps.db, lease)
  if (failures.length > 0) throw failures[0]
  return changed
}

/** One transition of one policy, as it was read with the batch; one that is late by several is due again afterwards. */
function changeDue(deps: Deps, { userId, id, open }: DuePolicy, today: Day): Promise<boolean> {
  const by = { caller: CALENDAR, requestId: newId('job') }
  let isFirst = true
  return commit(
    deps,
    by,
    async (now) => {
      const policy = isFirst ? open() : await findPolicy(deps, scopeOnUser(by.caller, userId), id)
      isFirst = false
      const status = dueTransition(policy, today)
      if (!status) return unchanged(false)
      const decided = decidePolicyTransition(policy, { status }, { who: by.caller.kind, at: now.at, today })
      return { ...changePolicy(decided, now), result: true }
    },
    { turn: id },
  )
}
