import type { Queryable } from '../../../kernel/db/database.ts'
import { type By, type Decision, unchanged } from '../../../record/index.ts'
import { endingOf } from './log-out.ts'
import { hasSession } from './store.ts'

type SessionRef = { administratorId: string; sessionId: string }

/**
 * Ends a session of an administrator; false when it has no such session. Throws 404 when the administrator is missing.
 */
export async function endSession(db: Queryable, session: SessionRef, by: By): Promise<Decision<boolean>> {
  if (!(await hasSession(db, session, by.at))) return unchanged(false)
  return { ...endingOf(session.sessionId, by), result: true }
}
