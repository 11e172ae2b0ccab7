import type { Inspected } from '../../settings/config.ts'
import { type Clock, systemClock } from '../../kernel/clock.ts'
import { connectDatabase } from '../../kernel/db/database.ts'
import { findEmbedded } from '../../kernel/embedded-postgres/embedded.ts'
import { companyChecks } from './company-checks.ts'
import { databaseChecks, poolerCheck } from './database-checks.ts'
import { type Check, type Report, runChecks, skipped } from './finding.ts'
import { machineChecks } from './machine-checks.ts'

/** Checks run one after the other; one that is late may still use its own. */
const CONNECTIONS = 2

/** Examines the installation with these settings. Nothing is started or sent, here or at a company, and nothing that is written stays. */
export async function* examine(
  inspected: Inspected,
  { clock = systemClock }: { clock?: Clock } = {},
): AsyncGenerator<Report> {
  const { config } = inspected
  const url = config.databaseUrl ?? findEmbedded(config.dataDir)?.appUrl
  // Addresses of invalid settings are not tried.
  const isValid = inspected.errors.length === 0
  await using closers = new AsyncDisposableStack()
  const checks = [...machineChecks(inspected)]
  if (isValid && url !== undefined) {
    const db = connectDatabase({
      url,
      poolSize: CONNECTIONS,
      batching: false,
      readOnly: true,
      onLostConnection: () => {},
    })
    closers.defer(db.close)
    checks.push(...databaseChecks({ ...inspected, url, db, clock }))
    if (config.databaseUrl !== null) checks.push(poolerCheck(url))
  } else {
    checks.push(withoutDatabase(isValid))
  }
  if (isValid) checks.push(...companyChecks(config))
  yield* runChecks(checks)
}

const withoutDatabase = (isValid: boolean): Check => ({
  name: 'database',
  run: async () => skipped(isValid ? 'the embedded database is not running' : 'the settings are invalid'),
})
