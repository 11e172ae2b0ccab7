import { newId } from '../../../kernel/id.ts'
import { ProblemError } from '../../../kernel/problem-error.ts'
import { applyWithRetry, type Change, type Deps, unchanged } from '../../../record/index.ts'
import { CALENDAR } from './states.ts'

export const BATCH = 200

/**
 * Changes every policy that `list` returns, one by one, to keep the load on the API low, and returns the number of changes. One that needs none, because it was
 * changed concurrently, is not listed again. One that fails does not block the others; the first error is thrown at the end. Stops after the
 * current batch when `stop` is aborted.
 */
export async function workOff<P extends { id: string }>(
  list: (without: string[]) => Promise<P[]>,
  change: (policy: P) => Promise<number>,
  stop: AbortSignal | undefined,
): Promise<number> {
  const skipped: string[] = []
  const failures: unknown[] = []
  let changed = 0
  while (true) {
    const due = await list(skipped)
    if (due.length === 0 || stop?.aborted) break
    for (const policy of due) {
      try {
        const made = await change(policy)
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

/**
 * Applies what is decided on a record read with the batch, and returns the number of changes. One that was changed concurrently is for the next
 * round: it is not decided again.
 */
export function applyOnce(
  deps: Deps,
  id: string,
  decide: () => Omit<Change<number>, 'result'> | undefined,
): Promise<number> {
  let isFirst = true
  return applyWithRetry(
    deps,
    { caller: CALENDAR, requestId: newId('job') },
    () => {
      const change = isFirst ? decide() : undefined
      isFirst = false
      return change ? { ...change, result: 1 } : unchanged(0)
    },
    { serializeBy: id },
  )
}
