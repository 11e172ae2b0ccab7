import { onlyRow, type Queryable, statement } from '../kernel/db/database.ts'
import { hasEveryMigration, isTableMissing } from '../kernel/db/migrate.ts'
import { HEARTBEAT_TIMEOUT_SECONDS } from '../kernel/jobs/heartbeat.ts'
import type { ProcessCount } from '../kernel/processes/messages.ts'
import { isOlderVersion, RELEASE } from '../kernel/program-version.ts'
import { IS_BEHIND } from './log-positions.ts'

type State = 'ok' | 'failed' | 'unknown'
/** `version` is `outdated` when the database is for later versions of the program only. */
type Readiness = Record<'database' | 'migrations' | 'worker', State> & {
  version: State | 'outdated'
  processes?: State
}

const READY_SHARE_MIN = 1 / 2

/** One statement: three would wait for three connections and distort what they measure. */
const FIND = statement(
  'readiness_find',
  `select array(select name from migrations) as migrations,
          (select oldest from program_versions) as oldest,
          ${IS_BEHIND} as is_behind,
          exists (select from workers where seen_at > now() - $1 * interval '1 second') as has_worker`,
)

/**
 * Returns the state of each required component, `processes` when there are several. Never throws; a check that could not
 * run is `unknown`.
 */
export async function findReadiness(db: Queryable, processes?: ProcessCount): Promise<Readiness> {
  const okIf = (condition: boolean): State => (condition ? 'ok' : 'failed')
  const counted = processes && { processes: okIf(processes.ready >= processes.all * READY_SHARE_MIN) }
  try {
    type Row = { migrations: string[]; oldest: string; is_behind: boolean; has_worker: boolean }
    const found = onlyRow(await db.query<Row>(FIND, [HEARTBEAT_TIMEOUT_SECONDS]))
    const isMigrated = hasEveryMigration(found.migrations) && !found.is_behind
    return {
      database: 'ok',
      migrations: okIf(isMigrated),
      version: isOlderVersion(RELEASE, found.oldest) ? 'outdated' : 'ok',
      worker: okIf(found.has_worker),
      ...counted,
    }
  } catch (error) {
    const isReachable = isTableMissing(error)
    return {
      database: okIf(isReachable),
      migrations: isReachable ? 'failed' : 'unknown',
      version: 'unknown',
      worker: 'unknown',
      ...counted,
    }
  }
}
