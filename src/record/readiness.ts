import { onlyRow, type Queryable, statement } from '../kernel/db/database.ts'
import { hasEveryMigration, isTableMissing } from '../kernel/db/migrate.ts'
import type { ProcessCount } from '../kernel/processes/messages.ts'
import { isOlderVersion, RELEASE } from '../kernel/program-version.ts'
import { IS_BEHIND } from './log-positions.ts'

type State = 'ok' | 'failed' | 'unknown'
/** `version` is `outdated` when the database is for later versions of the program only. */
type Readiness = {
  database: State | 'read_only'
  migrations: State
  version: State | 'outdated'
  processes?: State
}

const READY_SHARE_MIN = 1 / 2

/** One statement: three would wait for three connections and distort what they measure. A standby says `on`, too. */
const FIND = statement(
  'readiness_find',
  `select array(select name from migrations) as migrations,
          (select oldest from program_versions) as oldest,
          ${IS_BEHIND} as is_behind,
          current_setting('transaction_read_only') = 'on' as is_read_only`,
)

/**
 * Returns the state of what this process needs to serve, `processes` when there are several. Whatever it does without is not asked
 * for, such as a worker: where that fails, it fails for all nodes at once, and a balancer would be left with none. Never throws; a
 * check that could not run is `unknown`.
 */
export async function findReadiness(db: Queryable, processes?: ProcessCount): Promise<Readiness> {
  const okIf = (condition: boolean): State => (condition ? 'ok' : 'failed')
  const counted = processes && { processes: okIf(processes.ready >= processes.all * READY_SHARE_MIN) }
  try {
    type Row = { migrations: string[]; oldest: string; is_behind: boolean; is_read_only: boolean }
    const row = onlyRow(await db.query<Row>(FIND))
    const isMigrated = hasEveryMigration(row.migrations) && !row.is_behind
    return {
      database: row.is_read_only ? 'read_only' : 'ok',
      migrations: okIf(isMigrated),
      version: isOlderVersion(RELEASE, row.oldest) ? 'outdated' : 'ok',
      ...counted,
    }
  } catch (error) {
    const isReachable = isTableMissing(error)
    return {
      database: okIf(isReachable),
      migrations: isReachable ? 'failed' : 'unknown',
      version: 'unknown',
      ...counted,
    }
  }
}
