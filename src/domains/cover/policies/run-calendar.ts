import { scopeOnUser } from '../../../access/scope.ts'
import { todayIn } from '../../../kernel/clock.ts'
import type { Day } from '../../../kernel/date.ts'
import { newId } from '../../../kernel/id.ts'
import { ProblemError } from '../../../kernel/problem-error.ts'
import { applyWithRetry, type Deps, unchanged } from '../../../record/index.ts'
import { calendarChange } from './set-policy-status.ts'
import { CALENDAR } from './states.ts'
import { type DuePolicy, findPolicyToChange, hasDuePolicies, listDuePolicies } from './store.ts'

const BATCH = 200

/**
 * Makes every due transition and returns their number. Uses the same decision as the API, with one write for each
 * policy. Restartable at any point: due policies are read again, and one that was changed concurrently is
 * skipped. Runs sequentially, and in one worker, to keep the load on the API low; safe to run in several. A policy that fails does not block the others; the first
 * error is thrown at the end. Costs one index lookup when nothing is due. Stops after the current batch when `stop` is
 * aborted.
 */
export async function runCalendar(deps: Deps, stop?: AbortSignal): Promise<number> {
  const today = todayIn(deps.calendar)
  if (!(await hasDuePolicies(deps.db, today))) return 0
  const skipped: string[] = [] // not listed again in this run
  const failures: unknown[] = []
  let changed = 0
  while (true) {
    const due = await listDuePolicies(deps, { today, without: skipped, limit: BATCH })
    if (due.length === 0 || stop?.aborted) break
    for (const policy of due) {
      try {
        const made = await changeDue(deps, policy, today)
        if (made === 0) skipped.push(policy.id)
        changed += made
      } catch (error) {
        // The database is unavailable: no other policy could be changed either.
        if (error instanceof ProblemError && error.code === 'unavailable') throw error
        skipped.push(policy.id)
        failures.push(error)
      }
    }
  }
  if (failures.length > 0) throw failures[0]
  return changed
}

/** Makes the due transitions of a policy read with the batch, and returns their number; 1 where only its members change. */
function changeDue(deps: Deps, { userId, id, unseal }: DuePolicy, today: Day): Promise<number> {
  const author = { caller: CALENDAR, requestId: newId('job') }
  let isFirst = true
  return applyWithRetry(
    deps,
    author,
    async (now) => {
      const scope = scopeOnUser(author.caller, userId)
      const changing = isFirst ? unseal() : await findPolicyToChange(deps, scope, { id, isIssue: false })
      isFirst = false
      const change = calendarChange(changing, today, now)
      return change ? { ...change, result: Math.max(1, change.history.length) } : unchanged(0)
    },
    { serializeBy: id },
  )
}
