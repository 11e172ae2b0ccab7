import { createCardTokens } from '../access/card-tokens.ts'
import { createConsentRules } from '../access/consent-rules.ts'
import { checkKeys } from '../access/key-fingerprints.ts'
import { createRateLimits } from '../access/rate-limits.ts'
import type { Config } from '../settings/config.ts'
import type { Deps } from '../record/index.ts'
import { createWalletLimits } from '../access/wallet-limits.ts'
import { findGiven, findSelfGiven } from '../domains/privacy/consents/index.ts'
import { createCredentialUses } from '../domains/partners/credentials/index.ts'
import type { Clock } from '../kernel/clock.ts'
import { createVault } from '../kernel/crypto/vault.ts'
import { isCluster } from '../kernel/cluster/cluster.ts'
import { type DatabaseClock, createDatabaseClock } from '../kernel/db/database-clock.ts'
import { type Database, connectDatabase } from '../kernel/db/database.ts'
import type { VersionGuard } from '../kernel/db/version-guard.ts'
import { describe } from '../kernel/http/problems.ts'
import { dateIdsBy } from '../kernel/id.ts'
import type { Log } from '../kernel/log.ts'
import type { Metrics } from '../kernel/metrics.ts'
import { createTargets } from '../kernel/outbound/public-address.ts'
import { createPdfInspector } from '../kernel/pdf-inspection/inspector.ts'
import { createTypesetter } from '../kernel/pdf/typesetter.ts'
import type { Child } from '../kernel/processes/child.ts'
import { programFile } from '../kernel/program-files.ts'
import { StartError } from '../kernel/start-error.ts'
import { createStorage } from '../kernel/storage/create-storage.ts'
import { checkMigrated, type DatabaseUrls } from './database.ts'
import { mainTokens, loadVaultKeys } from './keys.ts'
import type { Roles } from './parts.ts'

const TEMPLATES = programFile('templates')

/** The share of the connections that statements of one caller may use. */
const CALLER_SHARE = 1 / 4

/** What the parts of a process are opened with. */
export type OpenContext = {
  urls: DatabaseUrls
  roles: Roles
  log: Log
  metrics: Metrics
  closers: AsyncDisposableStack
  calendar: Clock
  child: Child | undefined
}

/** The same when the database is open, for the API and the worker. */
export type PartContext = OpenContext & { deps: Deps & { clock: DatabaseClock }; guard: VersionGuard }

/** Opens what the API and the worker both use. */
export async function createDeps(
  config: Config,
  { urls, log, metrics, closers, calendar }: OpenContext,
): Promise<PartContext['deps']> {
  const database = connectDatabase({
    url: urls.appUrl,
    poolSize: config.poolSize,
    batching: false,
    statementsPerCaller: Math.max(1, Math.floor(config.poolSize * CALLER_SHARE)),
    onLostConnection: (error) => log.warn({ error: describe(error) }, 'database connection lost'),
  })
  closers.defer(database.close)
  watchPool(metrics, database, config.poolSize)
  await checkMigrated(database)
  const clock = await createDatabaseClock(database, { log })
  closers.defer(clock.stop)
  dateIdsBy(clock)
  metrics.watch(CLOCK_GAUGES, () => ({ clock_offset_seconds: clock.ahead_s() }))
  const db = { ...database, batching: mayBatch(config, await isCluster(database)) }
  const vaultKeys = await loadVaultKeys(config)
  await checkKeys(db, vaultKeys)
  const consentRules = createConsentRules(db, { findGiven, findSelfGiven })
  await consentRules.read()
  const typesetter = createTypesetter({ templates: TEMPLATES })
  const inspector = createPdfInspector()
  closers.defer(typesetter.stop)
  closers.defer(inspector.stop)
  return {
    production: config.production,
    db,
    vault: createVault(vaultKeys),
    clock,
    calendar: { now: () => new Date(calendar.now().getTime() + clock.now().getTime() - clock.own().getTime()) },
    tokens: mainTokens(config, clock),
    cards: createCardTokens({ keys: config.keys.signingKeys }),
    consentRules,
    limits: config.limits,
    deadlines: config.deadlines,
    rates: createRateLimits(db, config.limits, { processes: config.processes }),
    uses: createCredentialUses(db, clock),
    walletLimits: createWalletLimits(db),
    erasure: config.erasure,
    targets: createTargets(config.webhookTargets),
    storage: await createStorage(config.storage),
    typesetter,
    inspector,
  }
}

export const CLOCK_GAUGES = {
  clock_offset_seconds: {
    help:
      'By how much the clock of this process is ahead of the database’s, negative when behind; ' +
      'beyond a minute, a worker stops',
  },
}

export const POOL_GAUGES = {
  db_pool_connections: { help: 'Connections to the database, in_use and idle', labels: ['state'] },
  db_pool_connections_max: { help: 'Maximum number of connections to the database' },
  db_pool_waiting: { help: 'Statements that wait for a connection' },
  db_wait_seconds: {
    help: 'For how long the oldest waiting call has waited for the database; requests are refused from DATABASE_WAIT_MS on',
  },
}

function watchPool(metrics: Metrics, db: Database, poolSize: number): void {
  metrics.watch(POOL_GAUGES, () => {
    const { total, idle, waiting } = db.connections()
    return {
      db_pool_connections: [
        { labels: { state: 'in_use' }, value: total - idle },
        { labels: { state: 'idle' }, value: idle },
      ],
      db_pool_connections_max: poolSize,
      db_pool_waiting: waiting,
      db_wait_seconds: db.waiting.oldest_ms() / 1_000,
    }
  })
}

/**
 * Returns whether statements are shared. Throws `StartError` when sharing is required on a cluster, where a statement
 * for many users goes to every shard.
 */
export function mayBatch({ shareStatements }: Pick<Config, 'shareStatements'>, isSpread: boolean): boolean {
  if (isSpread && shareStatements === true) {
    throw new StartError(
      'SHARE_STATEMENTS is true, and this is a Citus cluster, where a statement is for one user; leave it out.',
    )
  }
  return shareStatements ?? !isSpread
}
