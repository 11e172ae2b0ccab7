import type { Queryable } from '../../../kernel/db/database.ts'
import { listProgramsBefore } from '../../../kernel/db/inspect-database.ts'
import { unavailable } from '../../../kernel/problem-error.ts'

/** The first version whose calendar knows the end of a policy. */
const SINCE = '0.3.0'

/** Throws 503 while a program runs that would open the window and begin grace over an end. */
export async function refuseOlderPrograms(db: Queryable): Promise<void> {
  const [older] = await listProgramsBefore(db, SINCE)
  if (older) throw unavailable(`a ${older.role} of ${older.build} runs, which does not know ends of policies`)
}
