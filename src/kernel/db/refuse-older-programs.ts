import { unavailable } from '../problem-error.ts'
import type { Queryable } from './database.ts'
import { listProgramsBefore } from './inspect-database.ts'

/** The first version that knows what 0.2.0 does not: ends of policies, days of members, limits of wallets. */
const SINCE = '0.3.0'

/** Throws 503 while a program runs that would act as if `what` did not exist. */
export async function refuseOlderPrograms(db: Queryable, what: string): Promise<void> {
  const [older] = await listProgramsBefore(db, SINCE)
  if (older) throw unavailable(`a ${older.role} of ${older.build} runs, which does not know ${what}`)
}
