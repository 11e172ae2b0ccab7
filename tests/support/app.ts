import { after } from 'node:test'
import type { Administrator } from '../../src/access/caller.ts'
import type { RateLimits } from '../../src/access/rate-limits.ts'
import type { Tokens } from '../../src/access/tokens.ts'
import { type Database, connectDatabase } from '../../src/kernel/db/database.ts'
import { startQueue, type Queue } from '../../src/kernel/jobs/queue.ts'
import type { Log } from '../../src/kernel/log.ts'
import { createOutbox, type StartedJob } from '../../src/record/relay.ts'
import { type CallFunction, caller } from './call.ts'
import { recorded } from './cluster.ts'
import { type DatabaseServer, TIMEOUT_FACTOR } from './database.ts'
import { buildTestApp } from './inject.ts'
import { type Existing, type Installation, LIMITS, openInstallation } from './installation.ts'
import { closeAtEnd, isProcessShared } from './process-end.ts'
import { scenes, walletScenes } from './scenes.ts'

export type { Body, CallFunction, TestResponse } from './call.ts'
export { DEFAULT_LIMITS, LIMITS, ORIGIN } from './installation.ts'
export * from './scenes.ts'

export type TestApp = Awaited<ReturnType<typeof openTestApp>>

type Opening = {
  /**
   * True for a file that needs a database or an app to itself: it changes tables or limits, runs a worker, listens, counts or lists
   * across platforms. It belongs in `tests/system`. Others share one with the files of their process, and live on platforms of their own.
   */
  own?: boolean
  /** The database's location; by default the server of the run. */
  server?: DatabaseServer
  /** The factor of the database's time limits: 1, as in production, for a file that is about them. */
  timeoutFactor?: number
  /** An installation to open instead of a new one. */
  existing?: Existing
}

let shared: Promise<Installation> | undefined

async function openShared(): Promise<Installation> {
  const opened = await openInstallation()
  closeAtEnd(opened.close)
  return opened
}

/** The production app with clocks that can be set. Everything a file opens is closed when the file's tests are done. */
export async function openTestApp({ own = false, server, timeoutFactor = TIMEOUT_FACTOR, existing }: Opening = {}) {
  const isOwn = own || !isProcessShared()
  const opening = isOwn ? openInstallation({ server, timeoutFactor }, existing) : (shared ??= openShared())
  const queues: Queue[] = []
  const nodes: (() => Promise<unknown>)[] = []
  // Registered before anything is awaited: after an await the hook would belong to another file.
  after(async () => {
    const { calendar, clock, close } = await opening
    clock.at = calendar.at = undefined // as the next file expects them
    for (const closeNode of nodes) await closeNode()
    for (const queue of queues) await queue.stop()
    if (isOwn) await close()
  })
  const installation = await opening
  const { app, calendar, checkContract, clock, database, deps, log, metrics, settings, unreadableLog } = installation
  const { tokens } = deps
  const { walletTokens } = settings
  const outbox = createOutbox(database.db)
  const started: StartedJob[] = []
  const call = caller(app, checkContract)

  /** Returns every job that the events until now start, in order; nothing runs them. */
  async function startedJobs(name: string): Promise<Record<string, unknown>[]> {
    while (await outbox.handOver(async (jobs) => void started.push(...jobs)));
    return started.filter(({ job }) => job === name).map(({ data }) => data)
  }

  /** The queue of this database, as a worker has it. */
  async function openOwnQueue(settings: { monitor_s?: number; log?: Log } = {}): Promise<Queue> {
    const queue = await startQueue({ url: database.appUrl, log, metrics, ...settings })
    queues.push(queue)
    return queue
  }

  /**
   * Another process of the installation on the same database: over its own connection path, or with statements watched.
   */
  async function startNode({
    url = database.appUrl,
    batching = database.db.batching,
    poolSize = 8,
    statementsPerCaller = 100,
    watched = (db: Database) => db,
    production = deps.production,
    limits = LIMITS,
    requirePurpose = false,
    trustedProxies = settings.trustedProxies,
    login = settings.login,
    operator = settings.operator,
    reads = settings.audit.reads,
    cardChecks = settings.cardChecks,
    erasure = deps.erasure,
    vault = deps.vault,
    tokens = deps.tokens,
    walletTokens = settings.walletTokens,
    cards = deps.cards,
    uses = deps.uses,
    clock: ownClock = deps.clock,
    log: ownLog = log,
    rates = (_db: Database): RateLimits => deps.rates,
    isOutdated = (): boolean => false,
    readinessKept_ms = 0,
  } = {}) {
    const db = watched(
      recorded(
        connectDatabase({
          url,
          poolSize,
          statementsPerCaller,
          batching: batching,
          timeoutFactor,
          onLostConnection: () => {},
        }),
      ),
    )
    const node = buildTestApp(
      { ...deps, production, clock: ownClock, db, vault, tokens, cards, limits, uses, erasure, rates: rates(db) },
      {
        ...settings,
        walletTokens,
        trustedProxies,
        login,
        operator,
        log: ownLog,
        isOutdated,
        readinessKept_ms,
        audit: { reads, requirePurpose },
        cardChecks,
      },
    )
    const close = async () => {
      await node.close()
      await db.close()
    }
    return { db, app: node, tokens, call: caller(node, checkContract), close }
  }

  async function openNode(settings: Parameters<typeof startNode>[0] = {}) {
    const { close, ...node } = await startNode(settings)
    nodes.push(close)
    return node
  }

  /**
   * More processes of this installation, as far as connections and queues go: calls to different ones do not wait for
   * each other, and only the database decides their order. They are connected and have responded once. Files share them.
   */
  async function openNodes(count: number): Promise<CallFunction[]> {
    while (installation.nodes.length < count) installation.nodes.push(await startNode({ poolSize: 2 }))
    const calls = installation.nodes.slice(0, count).map(({ call: callNode }) => callNode)
    const token = administratorToken(tokens, 'viewer')
    await Promise.all(calls.map((callNode) => callNode('GET', '/v1/platforms', { token })))
    return calls
  }

  return {
    app,
    call,
    calendar,
    clock,
    deps,
    keys: installation.keys,
    log,
    metrics,
    audit: settings.audit,
    cardChecks: settings.cardChecks,
    webOrigins: settings.webOrigins,
    openNode,
    openNodes,
    startQueue: openOwnQueue,
    startedJobs,
    unreadableLog,
    storageFolder: installation.storageFolder,
    walletTokens,
    ...database,
    get owner() {
      return administratorToken(tokens, 'owner')
    },
    get operator() {
      return administratorToken(tokens, 'operator')
    },
    get viewer() {
      return administratorToken(tokens, 'viewer')
    },
    ...(await scenes(call, installation)),
    ...walletScenes({ call, deps, walletTokens }),
  }
}

/** Issued again for each use: a test can set the clock back, and a token of later is refused. */
const administratorToken = (tokens: Tokens, role: Administrator) =>
  tokens.issueToAdministrator({ role, subject: `test-${role}` }).token
