import { scopeOnUser } from '../../../access/scope.ts'
import { todayIn } from '../../../kernel/clock.ts'
import type { Day } from '../../../kernel/date.ts'
import { newId } from '../../../kernel/id.ts'
import { applyWithRetry, type Deps, unchanged } from '../../../record/index.ts'
import { calendarChange } from './set-policy-status.ts'
import { CALENDAR } from './states.ts'
import { type DuePolicy, findPolicyToChange, hasDuePolicies, listDuePolicies } from './store.ts'
import { BATCH, workOff } from './work-off.ts'

/**
 * Makes every due transition and returns their number. Uses the same decision as the API, with one write for each
 * policy. Restartable at any point: due policies are read again, and one that was changed concurrently is
 * skipped. Runs in one worker; safe to run in several. Costs one index lookup when nothing is due.
 */
export async function runCalendar(deps: Deps, stop?: AbortSignal): Promise<number> {
  const today = todayIn(deps.calendar)
  if (!(await hasDuePolicies(deps.db, today))) return 0
  return workOff(
    (without) => listDuePolicies(deps, { today, without, limit: BATCH }),
    (policy) => changeDue(deps, policy, today),
    stop,
  )
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
