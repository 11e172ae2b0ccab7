import { fileURLToPath } from 'node:url'
import { startSandbox } from '../sandbox/server.ts'
import { openCardTokens } from './access/card-tokens.ts'
import { openCredentialUses } from './domains/credentials/index.ts'
import { openAuditHeads } from './access/audit-heads.ts'
import { checkKeys } from './access/key-fingerprints.ts'
import { openRateLimits } from './access/rate-limits.ts'
import { openRevocations } from './access/revocations.ts'
import { buildApp } from './app.ts'
import { BASE_PATH, type Config, type DatabaseConfig, VERSION, WALLET_BASE_PATH } from './config.ts'
import type { Deps } from './deps.ts'
import { openAccountProviderClient } from './domains/accounts/index.ts'
import { type Login, openOidcIdentityProvider, roleFrom } from './domains/administrators/index.ts'
import { openSandboxSms, openTwilioSms, type Sms } from './domains/wallet-sessions/index.ts'
import { openOperator } from './domains/wallets/index.ts'
import { type Clock, type MovableClock, movableClock, systemClock } from './kernel/clock.ts'
import { openVault } from './kernel/crypto/vault.ts'
import { isCluster } from './kernel/db/cluster.ts'
import { type Database, openDatabase } from './kernel/db/database.ts'
import { migrate } from './kernel/db/migrate.ts'
import { drain } from './kernel/http/drain.ts'
import { describe } from './kernel/http/problems.ts'
import type { App } from './kernel/http/server.ts'
import { startPeriodic } from './kernel/jobs/periodic.ts'
import { migrateQueue, openQueue } from './kernel/jobs/queue.ts'
import { type Log, openLog } from './kernel/log.ts'
import { type Metrics, openMetrics, serveMetrics } from './kernel/metrics.ts'
import type { TracingSettings } from './kernel/otlp-tracing.ts'
import { onCallDone } from './kernel/outbound/measured-call.ts'
import { openTargets } from './kernel/outbound/public-address.ts'
import { openPdfInspector } from './kernel/pdf-inspection/inspector.ts'
import { openTypesetter } from './kernel/pdf/typesetter.ts'
import type { Child } from './kernel/processes/child.ts'
import { traceFields } from './kernel/tracing.ts'
import { StartError } from './kernel/start-error.ts'
import { checkStorage } from './kernel/storage/check-storage.ts'
import { openStorage } from './kernel/storage/open-storage.ts'
import { openReadLog } from './record/read-log.ts'
import { checkMigrated, type Closers, type DatabaseUrls, openDatabaseUrls, withDatabaseUrls } from './open-database.ts'
import { mainTokens, openVaultKeys, walletTokens } from './open-keys.ts'
import { JOBS, type ExternalCompanies, startWorker } from './worker.ts'

/** The running parts; `stop` ends them in reverse order. */
export type Running = {
  log: Log
  stop(): Promise<void>
  /** Lets clients move to other processes before `stop`. */
  drain?(): Promise<void>
  /** Replaces the processes one by one; no request fails. */
  restart?(): Promise<void>
  /** The names of processes that did not start and are tried again. */
  missing?: readonly string[]
}

export type Roles = { api: boolean; worker: boolean; sandbox: boolean; migrate: boolean }

/** Returns whether the program with these roles may run only once on a data folder. */
export const isMain = ({ api, worker }: Roles): boolean => api && worker

/** Opens the parts these roles need, in order; `child` when a supervisor started this process. */
export function run(config: Config, roles: Roles, child?: Child): Promise<Running> {
  return openParts(openProcessLog(config, child?.name), async ({ log, closers }) => {
    if (config.tracing) closers.push(await startTracing(config.tracing, log))
    const calendar = movableClock()
    child?.on({ calendar: calendar.moveBy })
    const urls =
      roles.api || roles.worker ? await openDatabaseUrls(config, { closers, log, isMain: isMain(roles) }) : undefined
    if (roles.sandbox) closers.push(await openSandbox(config, urls ? { calendar } : {}))
    const app = urls && (await openCore(config, { urls, roles, log, closers, calendar, child }))
    return app ? { drain: () => drain(app) } : {}
  })
}

/** Opens parts in order. When one fails, closes the previous ones. */
export async function openParts(
  log: Log,
  open: (opening: { log: Log; closers: Closers }) => Promise<Omit<Running, 'log' | 'stop'>>,
): Promise<Running> {
  const closers: Closers = []
  const stop = async () => {
    for (const close of closers.splice(0).toReversed()) {
      await close().catch((error: unknown) =>
        log.warn({ error: describe(error) }, 'a component did not shut down cleanly'),
      )
    }
    log.flush()
  }
  try {
    return { ...(await open({ log, closers })), log, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Opens the log of this process; lines of traced requests name their trace. */
export const openProcessLog = ({ logLevel, tracing }: Config, process?: string): Log =>
  openLog(logLevel, { process, fields: tracing ? traceFields : undefined })

/** Loads OpenTelemetry, which is only loaded when tracing is on. */
async function startTracing(settings: TracingSettings, log: Log): Promise<() => Promise<void>> {
  const { startOtlpTracing } = await import('./kernel/otlp-tracing.ts')
  return startOtlpTracing({ ...settings, version: VERSION, log })
}

type Core = { urls: DatabaseUrls; roles: Roles; log: Log; closers: Closers; calendar: Clock; child: Child | undefined }

async function openCore(config: Config, core: Core): Promise<App | undefined> {
  const { urls, roles, log, closers, calendar, child } = core
  if (roles.migrate) await migrateAll(urls, log)
  const metrics = openMetrics()
  metrics.watchProcess({ version: VERSION })
  const removeListener = onCallDone(metrics.callDone)
  closers.push(async () => removeListener())
  const deps = await openDeps(config, { urls, log, metrics, closers, calendar })
  if (roles.worker) {
    const queue = await openQueue({ url: urls.appUrl, log, metrics })
    closers.push(queue.stop)
    const auditHeads = openAuditHeads({ keys: config.keys.signingKeys })
    closers.push(
      await startWorker(
        { ...deps, queue },
        { url: urls.appUrl, companies: companiesOf(config), log, metrics, auditHeads },
      ),
    )
  }
  const app = roles.api ? await openApi(config, { deps, log, metrics, closers, child }) : undefined
  if (child) child.on({ metrics: metrics.page })
  else closers.push(await openMetricsPage(config, metrics.page))
  return app
}

/** Serves the metrics on their own address and port. */
export async function openMetricsPage(
  { metricsHost: host, metricsPort: port }: Pick<Config, 'metricsHost' | 'metricsPort'>,
  page: Metrics['page'],
) {
  const server = await serveMetrics(page, { host, port })
  return async () => server.close().closeAllConnections()
}

/** Migrates the database to this version, and returns in words what kind it is; for the command. */
export async function migrateDatabase(config: DatabaseConfig): Promise<string> {
  const log = openLog(config.logLevel)
  try {
    return await withDatabaseUrls(config, (urls) => migrateAll(urls, log))
  } finally {
    log.flush()
  }
}

/** Applies the migrations of the schema and of the queue, and returns in words what kind of database it is. */
export async function migrateAll(urls: DatabaseUrls, log: Log): Promise<string> {
  const found = await migrate({ ...urls, onApplied: (name) => log.info({ migration: name }, 'migration applied') })
  await migrateQueue(urls.ownerUrl, JOBS, urls.appRole)
  return found
}

export const openSandbox = (
  { host, sandboxPort: port, operatorSecret, origin: appOrigin }: Config,
  options: { calendar?: MovableClock },
) => startSandbox({ host, port, operatorSecret, appOrigin, ...options })

/** Opens the clients of the external companies that jobs call. */
function companiesOf(config: Config): ExternalCompanies {
  return {
    accountProvider: openAccountProviderClient({
      url: config.accountProviderUrl,
      apiKey: config.accountProviderApiKey,
    }),
    operator: operatorOf(config),
    operatorCallbackUrl: `${config.origin}${WALLET_BASE_PATH}/operator/events`,
    sms: openSms(config.sms),
  }
}

/** Opens the operator of the wallets: workers call it, and it sends events to the API. */
const operatorOf = ({ operatorUrl: url, operatorApiKey: apiKey, operatorSecret: secret }: Config) =>
  openOperator({ url, apiKey, secret, clock: systemClock })

type SmsGateway = Config['sms']['gateway']
type SmsSettings<G extends SmsGateway> = Extract<Config['sms'], { gateway: G }>

const SMS_GATEWAYS: { [G in SmsGateway]: (settings: SmsSettings<G>) => Sms } = {
  sandbox: openSandboxSms,
  twilio: openTwilioSms,
}

const openSms = <G extends SmsGateway>(settings: SmsSettings<G>): Sms => SMS_GATEWAYS[settings.gateway](settings)

const TEMPLATES = fileURLToPath(new URL('../templates', import.meta.url))

/** The share of the connections that statements of one caller may use. */
const CALLER_SHARE = 1 / 4

type OpenContext = { urls: DatabaseUrls; log: Log; metrics: Metrics; closers: Closers; calendar: Clock }

async function openDeps(config: Config, { urls, log, metrics, closers, calendar }: OpenContext): Promise<Deps> {
  const opened = openDatabase({
    url: urls.appUrl,
    poolSize: config.poolSize,
    sharing: false,
    laneWidth: Math.max(1, Math.floor(config.poolSize * CALLER_SHARE)),
    onLostConnection: (error) => log.warn({ error: describe(error) }, 'database connection lost'),
  })
  closers.push(opened.close)
  watchPool(metrics, opened, config.poolSize)
  await checkMigrated(opened)
  const db = { ...opened, sharing: mayShare(config, await isCluster(opened)) }
  const vaultKeys = await openVaultKeys(config)
  await checkKeys(db, vaultKeys)
  const typesetter = openTypesetter({ templates: TEMPLATES })
  const inspector = openPdfInspector()
  closers.push(typesetter.stop, inspector.stop)
  return {
    db,
    vault: openVault(vaultKeys),
    clock: systemClock,
    calendar,
    tokens: mainTokens(config),
    cards: openCardTokens({ keys: config.keys.signingKeys }),
    limits: config.limits,
    rates: openRateLimits(db, config.limits, { processes: config.processes }),
    uses: openCredentialUses(db, systemClock),
    erasure: config.erasure,
    targets: openTargets(config.webhookTargets),
    storage: await openStorage(config.storage),
    typesetter,
    inspector,
  }
}

const POOL_GAUGES = {
  db_pool_connections: { help: 'Connections to the database, by state', labels: ['state'] },
  db_pool_connections_max: { help: 'Maximum number of connections to the database' },
  db_pool_waiting: { help: 'Statements that wait for a connection' },
  db_wait_seconds: { help: 'For how long the oldest waiting call has waited for the database' },
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
export function mayShare({ shareStatements }: Pick<Config, 'shareStatements'>, isSpread: boolean): boolean {
  if (isSpread && shareStatements === true) {
    throw new StartError(
      'SHARE_STATEMENTS is true, and this is a Citus cluster, where a statement is for one user; leave it out.',
    )
  }
  return shareStatements ?? !isSpread
}

/** Returns the administrators' login; null where it is not configured. */
export function loginOf({ oidc, origin }: Pick<Config, 'oidc' | 'origin'>): Login | null {
  if (!oidc) return null
  const callbackUrl = `${origin}${BASE_PATH}/auth/oidc/callback`
  return { provider: openOidcIdentityProvider({ ...oidc, callbackUrl }), roleOf: (claims) => roleFrom(claims, oidc) }
}

const READ_GAUGES = { audit_reads_pending: { help: 'Reads of personal data that are not in the audit yet' } }

/**
 * Loading the fonts takes a third of a second, which the first download need not wait for. It begins when the start is
 * over, because processes that start together compete for the cores.
 */
const WARM_UP_AFTER_MS = 3_000

type ServeContext = { deps: Deps; log: Log; metrics: Metrics; closers: Closers; child: Child | undefined }

async function openApi(config: Config, { deps, log, metrics, closers, child }: ServeContext): Promise<App> {
  await checkStorage(deps.storage, (cause) =>
    log.warn({ error: describe(cause) }, 'the document storage is unavailable'),
  )
  const revocations = openRevocations(deps.db, log)
  await revocations.start()
  const reads = openReadLog(deps.db)
  metrics.watch(READ_GAUGES, () => ({ audit_reads_pending: reads.pending() }))
  const periodic = startPeriodic([deps.rates.sharingTask, deps.uses.writingTask, reads.writingTask], log)
  closers.push(revocations.stop, deps.uses.write, reads.write, periodic)
  const { origin, trustedProxies, keys } = config
  const app = await buildApp(deps, {
    origin,
    trustedProxies,
    adminApiKeys: keys.adminApiKeys,
    version: VERSION,
    walletTokens: walletTokens(config),
    operatorEvents: operatorOf(config),
    login: loginOf(config),
    revocations,
    audit: { reads, requirePurpose: config.requirePurpose },
    log,
    metrics,
    ...(child && { processes: child.count }),
  })
  await app.listen({ host: config.host, port: config.port })
  closers.push(() => app.close())
  const warmUp = setTimeout(() => {
    deps.typesetter
      .warmUp()
      .catch((error: unknown) => log.warn({ error: describe(error) }, 'typesetter warm-up failed'))
  }, WARM_UP_AFTER_MS)
  closers.push(async () => clearTimeout(warmUp))
  return app
}
