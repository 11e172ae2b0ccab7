import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { StartError } from '../start-error.ts'
import { isConnectionError } from '../db/database.ts'
import { prepareHome } from './embedded-home.ts'
import { type EmbeddedServer, createServer } from './embedded-server.ts'

const OWNER = 'banyan_owner'
const APP_ROLE = 'banyan_app'
const DATABASE = 'banyan'

/** Locks of sessions in the database `postgres`; they end with the session, however its process ends. */
const IN_USE = 1 // shared by every process that uses the server
const IS_MAIN = 2 // held by the one main process
const IS_PREPARED = 3 // while database and role are created

const START_TIMEOUT_MS = 30_000
const CONNECT_TIMEOUT_MS = 2_000
const PAUSE_MS = 50
/** Maximum number of starts within the window; a server that dies more often is not fixed by starting it again. */
const STARTS_MAX = 8
const STARTS_WINDOW_MS = 10 * 60_000
const RETRY_MS_MAX = 800
/** The session of a killed process ends within this time. */
const KILLED_MS_MAX = 2_000

export type Embedded = { ownerUrl: string; appUrl: string; appRole: string; stop(): Promise<void> }

type EmbeddedSettings = {
  dataDir: string
  serverSettings?: Record<string, string>
  /** True for the program that may run only once on a data folder. */
  isMain?: boolean
  /** Called when the server died and is being restarted. */
  onLost?: () => void
}

/**
 * Runs a real PostgreSQL on a socket that only its owner can open. Uses a server that is already running; the last
 * process to use it stops it. Restarts a server that dies, until it has died too often: then a `StartError` is thrown
 * as an uncaught error, just as this call throws one when the server does not start at all.
 */
export async function startEmbedded(settings: EmbeddedSettings): Promise<Embedded> {
  const { dataDir, serverSettings = {}, isMain = false, onLost = () => {} } = settings
  const server = createServer(await prepareHome({ dataDir, owner: OWNER }), serverSettings)
  const stopping = new AbortController()
  const attach = attacherTo(server, stopping.signal)
  let session: pg.Client
  let recovering: Promise<void> = Promise.resolve()

  /** A server that is lost on the way is started again, as often as one that is lost later. */
  async function enter(attempts = STARTS_MAX): Promise<void> {
    session = await attach()
    try {
      if (isMain) await becomeMain(session, dataDir)
      await prepare(session)
    } catch (error) {
      if (isConnectionError(error) && attempts > 1 && !stopping.signal.aborted) {
        discard(session)
        return enter(attempts - 1)
      }
      await leave(server, session)
      throw error
    }
    session.once('end', () => {
      if (stopping.signal.aborted) return
      onLost()
      recovering = enter()
    })
  }

  await enter()
  return {
    ownerUrl: server.url(OWNER, DATABASE),
    appUrl: server.url(APP_ROLE, DATABASE),
    appRole: APP_ROLE,
    stop: async () => {
      stopping.abort()
      await recovering.catch(() => {})
      await leave(server, session)
    },
  }
}

export const hasCluster = (dataDir: string): boolean => existsSync(join(clusterBelow(dataDir), 'PG_VERSION'))

/** A file that a restore has left: the next to start the server marks the database, and takes the file away. */
export const restoreMark = (dataDir: string): string => join(dataDir, 'postgres', 'restored')

const clusterBelow = (dataDir: string): string => join(dataDir, 'postgres', 'cluster')

/** Returns the URLs of a server that is running on the data folder; undefined when none is. Starts and writes nothing. */
export function findEmbedded(dataDir: string): Pick<Embedded, 'appUrl' | 'ownerUrl'> | undefined {
  const cluster = clusterBelow(dataDir)
  const server = createServer({ cluster, binaries: '', as: { cwd: cluster } }, {})
  if (!server.isRunning()) return undefined
  return { ownerUrl: server.url(OWNER, DATABASE), appUrl: server.url(APP_ROLE, DATABASE) }
}

/** Returns a function that waits until the server accepts connections, and starts it when it is not running. */
function attacherTo(server: EmbeddedServer, stopping: AbortSignal): () => Promise<pg.Client> {
  let startedAt: number[] = []
  return async () => {
    const deadline = performance.now() + START_TIMEOUT_MS
    let pause_ms = PAUSE_MS
    let notBefore = 0
    for (let now = performance.now(); now < deadline && !stopping.aborted; now = performance.now()) {
      const session = await connect(server)
      if (session) return session
      if (!server.isRunning() && now >= notBefore) {
        startedAt = startedAt.filter((at) => at > now - STARTS_WINDOW_MS)
        if (startedAt.push(now) > STARTS_MAX) break
        await server.start()
        pause_ms = Math.min(2 * pause_ms, RETRY_MS_MAX)
        notBefore = now + pause_ms
      }
      await sleep(PAUSE_MS)
    }
    throw new StartError(`The embedded database is not running. See its log: ${server.logFile}.`)
  }
}

/** Opens a session that marks the server as in use; undefined while the server is starting or stopping. */
async function connect(server: EmbeddedServer): Promise<pg.Client | undefined> {
  if (!server.isRunning()) return undefined
  const session = new pg.Client({
    connectionString: server.url(OWNER, 'postgres'),
    application_name: `banyan ${process.pid}`,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: CONNECT_TIMEOUT_MS,
  })
  session.on('error', () => {}) // `end` follows
  const hasEntered = await session
    .connect()
    .then(
      () => isTrue(session, 'select pg_try_advisory_lock_shared($1) as it', [IN_USE]), // fails while the last user stops the server
      () => false,
    )
    .catch(() => false)
  if (hasEntered) return session
  discard(session)
  return undefined
}

/** Ends a session whose connection may be lost, without waiting. */
function discard(session: pg.Client): void {
  void session.end().catch(() => {})
}

/** Throws `StartError` when another live main process holds the data folder. */
async function becomeMain(session: pg.Client, dataDir: string): Promise<void> {
  const deadline = performance.now() + KILLED_MS_MAX
  while (!(await isTrue(session, 'select pg_try_advisory_lock($1) as it', [IS_MAIN]))) {
    const { rows } = await session.query<{ holder: string }>(
      `select a.application_name as holder
         from pg_locks l join pg_stat_activity a on a.pid = l.pid
        where l.locktype = 'advisory' and l.objid = $1 and l.granted`,
      [IS_MAIN],
    )
    const pid = rows[0]?.holder.split(' ')[1]
    if (pid !== undefined && performance.now() > deadline) {
      throw new StartError(`Process ${pid} already runs on ${dataDir}. Stop it first, or set a different DATA_DIR.`)
    }
    await sleep(PAUSE_MS)
  }
}

/** Ends the session, and stops the server when nobody else uses it. */
async function leave(server: EmbeddedServer, session: pg.Client): Promise<void> {
  const isLast = await session
    .query('select pg_advisory_unlock_shared($1)', [IN_USE])
    .then(() => isTrue(session, 'select pg_try_advisory_lock($1) as it', [IN_USE]))
    .catch(() => !server.isRunning())
  if (isLast) await server.stop()
  await session.end().catch(() => {})
}

async function isTrue(session: pg.Client, text: string, values: unknown[]): Promise<boolean> {
  return (await session.query<{ it: boolean }>(text, values)).rows[0]?.it === true
}

/** Creates the database and the role of the app, if they are missing. */
async function prepare(session: pg.Client): Promise<void> {
  await session.query('select pg_advisory_lock($1)', [IS_PREPARED])
  const exists = (text: string, name: string) => isTrue(session, `select exists (${text}) as it`, [name])
  if (!(await exists('select from pg_roles where rolname = $1', APP_ROLE))) {
    await session.query(`create role ${APP_ROLE} login`)
  }
  if (!(await exists('select from pg_database where datname = $1', DATABASE))) {
    await session.query(`create database ${DATABASE}`)
  }
  await session.query('select pg_advisory_unlock($1)', [IS_PREPARED])
}
