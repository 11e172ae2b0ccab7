import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { StartError } from '../start-error.ts'
import { openHome } from './embedded-home.ts'
import { type EmbeddedServer, openServer } from './embedded-server.ts'

const OWNER = 'banyan_owner'
const APP_ROLE = 'banyan_app'
const DATABASE = 'banyan'

/** Locks of sessions in the database `postgres`; they end with the session, however its process ends. */
const IN_USE = 1 // shared by every process that uses the server
const IS_MAIN = 2 // held by the one that may be there once
const IS_PREPARED = 3 // while database and role are made

const START_TIMEOUT_MS = 30_000
const CONNECT_TIMEOUT_MS = 2_000
const PAUSE_MS = 50
/** So often it is started within the time; where it dies more often, starting it again mends nothing. */
const STARTS_MAX = 8
const STARTS_WINDOW_MS = 10 * 60_000
const RETRY_MS_MAX = 800
/** The session of a process that was killed is gone this soon. */
const KILLED_MS_MAX = 2_000

export type Embedded = { ownerUrl: string; appUrl: string; appRole: string; stop(): Promise<void> }

type EmbeddedSettings = {
  dataDir: string
  serverSettings?: Record<string, string>
  /** True for a program that there may be one of on a data folder. */
  isMain?: boolean
  /** Told when the server ended by itself and is started again. */
  onLost?: () => void
}

/**
 * Runs a real PostgreSQL on a socket that only its owner can open. A server that is there already is used too, and the
 * last process to use it stops it. When it ends by itself it is started again, until it has ended too often: then a
 * `StartError` is thrown from outside of any call, as it is from this one when the server does not run at all.
 */
export async function startEmbedded(settings: EmbeddedSettings): Promise<Embedded> {
  const { dataDir, serverSettings = {}, isMain = false, onLost = () => {} } = settings
  const server = openServer(await openHome({ dataDir, owner: OWNER }), serverSettings)
  const stopping = new AbortController()
  const attach = attacherTo(server, stopping.signal)
  let session: pg.Client
  let recovering: Promise<void> = Promise.resolve()

  async function enter(): Promise<void> {
    session = await attach()
    try {
      if (isMain) await becomeMain(session, dataDir)
      await prepare(session)
    } catch (error) {
      await leave(server, session)
      throw error
    }
    session.once('end', () => {
      if (!stopping.signal.aborted) recovering = recover()
    })
  }

  async function recover(): Promise<void> {
    onLost()
    await enter()
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

/** Gives a function that waits until the server takes connections, and starts it when it is not there. */
function attacherTo(server: EmbeddedServer, stopping: AbortSignal): () => Promise<pg.Client> {
  let startedAt: number[] = []
  return async () => {
    const deadline = performance.now() + START_TIMEOUT_MS
    let pause_ms = PAUSE_MS
    let notBefore = 0
    for (let now = performance.now(); now < deadline && !stopping.aborted; now = performance.now()) {
      const session = await connect(server)
      if (session) return session
      if (!server.isThere() && now >= notBefore) {
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

/** A session that keeps the server in use; undefined when it is not to be had yet, or any more. */
async function connect(server: EmbeddedServer): Promise<pg.Client | undefined> {
  if (!server.isThere()) return undefined
  const session = new pg.Client({
    connectionString: server.url(OWNER, 'postgres'),
    application_name: `banyan ${process.pid}`,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: CONNECT_TIMEOUT_MS,
  })
  session.on('error', () => {}) // its end says as much
  const isIn = await session
    .connect()
    .then(
      () => isTrue(session, 'select pg_try_advisory_lock_shared($1) as it', [IN_USE]), // not while the last one stops it
      () => false,
    )
    .catch(() => false)
  if (isIn) return session
  void session.end().catch(() => {})
  return undefined
}

/** Throws `StartError` when another process is there that is alive. */
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

/** Ends the session, and the server when nobody else uses it. */
async function leave(server: EmbeddedServer, session: pg.Client): Promise<void> {
  const isLast = await session
    .query('select pg_advisory_unlock_shared($1)', [IN_USE])
    .then(() => isTrue(session, 'select pg_try_advisory_lock($1) as it', [IN_USE]))
    .catch(() => !server.isThere())
  if (isLast) await server.stop()
  await session.end().catch(() => {})
}

async function isTrue(session: pg.Client, text: string, values: unknown[]): Promise<boolean> {
  return (await session.query<{ it: boolean }>(text, values)).rows[0]?.it === true
}

/** Makes the database and the role that the app works as; both only the first time. */
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
