import type { Queryable } from '../../kernel/db/database.ts'
import { type By, type Decision, unchanged } from '../../record/index.ts'
import { endingOf } from './log-out.ts'
import { hasSession } from './store.ts'

type Ending = { administratorId: string; sessionId: string }

/** Ends a session of an administrator; the result is false when it has none of this id. Throws 404 for no administrator. */
export async function endSession(db: Queryable, ending: Ending, by: By): Promise<Decision<boolean>> {
  if (!(await hasSession(db, ending, by.at))) return unchanged(false)
  return { ...endingOf(ending.sessionId, by), result: true }
}
