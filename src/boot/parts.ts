import type { Config, DatabaseConfig } from '../settings/config.ts'
import type { MovableClock } from '../kernel/clock.ts'
import { migrate } from '../kernel/db/migrate.ts'
import { STORED_TABLES } from '../data-map/tables.ts'
import { describe } from '../kernel/http/problems.ts'
import { type Log, createLog } from '../kernel/log.ts'
import { type Metrics, serveMetrics } from '../kernel/metrics.ts'
import { traceFields } from '../kernel/tracing.ts'
import { type DatabaseUrls, prepareDatabaseUrls } from './database.ts'
import { JOBS } from '../record/jobs.ts'

/** The running parts; `stop` ends them in reverse order. */
export type Running = {
  log: Log
  stop(): Promise<void>
  /** Lets clients move to other processes before `stop`. */
  drain?(): Promise<void>
  /** Replaces the processes one by one; no request fails. */
  restart?(): Promise<void>
  /** The names of processes that do not respond. */
  hung?(): Promise<string[]>
  /** The names of processes that did not start and are tried again. */
  missing?: readonly string[]
}

export type Roles = { api: boolean; worker: boolean; sandbox: boolean; migrate: boolean }

/** Returns whether the program with these roles may run only once on a data folder. */
export const isMain = ({ api, worker }: Roles): boolean => api && worker

/** Starts parts in order. When one fails, stops the previous ones. */
export async function createParts(
  log: Log,
  start: (context: { log: Log; closers: AsyncDisposableStack }) => Promise<Omit<Running, 'log' | 'stop'>>,
): Promise<Running> {
  const closers = new AsyncDisposableStack()
  const stop = async () => {
    for (const error of await collectFailures(closers.disposeAsync())) {
      log.warn({ error: describe(error) }, 'a component did not shut down cleanly')
    }
    log.flush()
  }
  try {
    return { ...(await start({ log, closers })), log, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Everything is closed, also when some of it fails. */
const collectFailures = (closing: Promise<void>): Promise<unknown[]> => closing.then(() => [], flattened)

const flattened = (error: unknown): unknown[] =>
  error instanceof SuppressedError ? [...flattened(error.suppressed), error.error] : [error]

/** Opens the log of this process; lines of traced requests name their trace. */
export const createProcessLog = ({ logLevel, tracing }: Config, process?: string): Log =>
  createLog(logLevel, { process, fields: tracing ? traceFields : undefined })

export async function createMetricsPage(
  { metricsHost: host, metricsPort: port }: Pick<Config, 'metricsHost' | 'metricsPort'>,
  page: Metrics['page'],
) {
  const server = await serveMetrics(page, { host, port })
  return async () => server.close().closeAllConnections()
}

type MigrateOptions = { contract?: boolean; force?: boolean; restored?: boolean }

/** Migrates the database to this version, and returns a description of the database for the command's output. */
export async function migrateDatabase(config: DatabaseConfig, options: MigrateOptions): Promise<string> {
  const log = createLog(config.logLevel)
  await using closers = new AsyncDisposableStack()
  closers.defer(() => log.flush())
  return await migrateAll(await prepareDatabaseUrls(config, { closers, connects: ['ownerUrl'] }), log, options)
}

/** Applies the migrations of the schema and of the queue, and returns a description of the database. */
export async function migrateAll(urls: DatabaseUrls, log: Log, options: MigrateOptions = {}): Promise<string> {
  const onApplied = (name: string) => log.info({ migration: name }, 'migration applied')
  const migrations = await migrate({ ...urls, ...options, tables: STORED_TABLES, onApplied })
  const { migrateQueue } = await import('../kernel/jobs/queue.ts')
  await migrateQueue(urls.ownerUrl, JOBS, urls.appRole)
  return migrations
}

/** Starts the sandbox, which is loaded nowhere else. */
export async function createSandbox(
  { host, sandboxPort: port, operator, origin: appOrigin }: Config,
  options: { calendar?: MovableClock },
): Promise<() => Promise<void>> {
  const { startSandbox } = await import('../../sandbox/server.ts')
  return startSandbox({ host, port, operatorSecret: operator.secret, appOrigin, ...options })
}
