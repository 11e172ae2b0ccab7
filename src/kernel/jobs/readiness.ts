import { onlyRow, type Queryable, statement } from '../db/database.ts'
import { hasEveryMigration, isTableMissing } from '../db/migrate.ts'
import { SILENCE_SECONDS_MAX } from './heartbeat.ts'

type State = 'ok' | 'failed' | 'unknown'
type Readiness = Record<'database' | 'migrations' | 'worker', State> & { processes?: State }

/** Of the processes that answer on one port, so many have to be there. */
const ENOUGH = 1 / 2

/** One statement: three would wait for three connections, and blame what they wait for. */
const FIND = statement(
  'readiness_find',
  `select array(select name from migrations) as migrations,
          exists (select from workers where seen_at > now() - $1 * interval '1 second') as has_worker`,
)

/**
 * Says which of the parts that the program needs are there, `processes` where there are several. Never throws; what could not be
 * asked is unknown.
 */
export async function findReadiness(db: Queryable, counted?: { ready: number; all: number }): Promise<Readiness> {
  const okIf = (isSo: boolean): State => (isSo ? 'ok' : 'failed')
  const processes = counted && { processes: okIf(counted.ready >= counted.all * ENOUGH) }
  try {
    type Row = { migrations: string[]; has_worker: boolean }
    const { migrations, has_worker } = onlyRow(await db.query<Row>(FIND, [SILENCE_SECONDS_MAX]))
    return { database: 'ok', migrations: okIf(hasEveryMigration(migrations)), worker: okIf(has_worker), ...processes }
  } catch (error) {
    const isThere = isTableMissing(error)
    return { database: okIf(isThere), migrations: isThere ? 'failed' : 'unknown', worker: 'unknown', ...processes }
  }
}
