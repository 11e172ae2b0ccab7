import type { Clock } from '../clock.ts'
import { onlyRow, type Queryable, statement } from './database.ts'

/** More than the drift of clocks kept by NTP plus a slow response of the database. */
const DRIFT_MS_MAX = 60_000

const NOW = statement('clock_now', 'select extract(epoch from now())::float8 * 1000 as now_ms')

/**
 * Throws when the clocks of this machine and the database differ by more than a minute, because either may be wrong.
 */
export async function checkClock(db: Queryable, clock: Clock): Promise<void> {
  const { now_ms } = onlyRow(await db.query<{ now_ms: number }>(NOW))
  const own = clock.now()
  if (Math.abs(own.getTime() - now_ms) <= DRIFT_MS_MAX) return
  throw new Error(
    `the clock of this worker (${own.toISOString()}) differs from the database's (${new Date(now_ms).toISOString()}); ` +
      'the policy calendar is paused until they agree',
  )
}
