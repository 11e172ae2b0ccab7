import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { openTokens } from '../src/access/tokens.ts'
import { type Config, loadConfig } from '../src/config.ts'
import { systemClock } from '../src/kernel/clock.ts'
import { connectionOptions } from '../src/kernel/db/database.ts'
import { mainTokens } from '../src/run.ts'
import { type Closers, freePorts, openDatabase, startServer } from './stage.ts'

/** `node bench/provisioning.ts`: how long one worker takes to provision wallets that wait, against the sandbox operator. */

const WALLETS = 1_000
const SECONDS_AIMED_AT = 30
const CALLS_AT_ONCE = 16
const DEADLINE_MS = 180_000
const POLL_MS = 200
const EXIT_FAILURE = 1
const EXIT_INTERRUPTED = 130

const PRODUCT = new URL('../src/main.ts', import.meta.url).pathname

const closers: Closers = []

/** A database with fsync on, the API that takes the operator's callbacks and the operator, each a process of its own. */
async function openStage() {
  const folder = await mkdtemp(join(tmpdir(), 'banyan-bench-'))
  closers.push(() => rm(folder, { recursive: true, force: true }))
  await chmod(folder, 0o755) // the database runs as another user when root starts it
  const { appUrl, ownerUrl } = await openDatabase(folder, closers)
  const [port, sandboxPort, metricsPort, workerMetricsPort] = await freePorts(4)
  const settings = {
    PATH: process.env['PATH'] ?? '',
    DATA_DIR: folder,
    DATABASE_URL: appUrl,
    MIGRATION_DATABASE_URL: ownerUrl,
    PORT: String(port),
    SANDBOX_PORT: String(sandboxPort),
    METRICS_PORT: String(metricsPort),
  }
  const migrating = promisify(execFile)(process.execPath, [PRODUCT, 'migrate'], { env: settings })
  closers.push(() => migrating.catch(() => {}))
  await migrating
  const start = (command: string, url: string, more = {}) =>
    startServer([PRODUCT, command], {
      settings: { ...settings, ...more },
      log: join(folder, `${command}.log`),
      url,
      closers,
    })
  const config = loadConfig(settings)
  await start('sandbox', `http://localhost:${sandboxPort}`)
  await start('serve', config.origin)
  const startWorker = () =>
    start('work', `http://localhost:${workerMetricsPort}`, { METRICS_PORT: String(workerMetricsPort) })
  return { config, ownerUrl, startWorker }
}

async function within(isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS
  while (!(await isSo())) {
    assert(performance.now() < deadline, `not within ${DEADLINE_MS} ms`)
    await sleep(POLL_MS)
  }
}

type Call = { token: string; body?: object }

/** Users with wallets that wait for a worker. */
async function queueWallets(config: Config): Promise<void> {
  const { origin, keys } = config
  const call = async (path: string, { token, body }: Call): Promise<Record<string, string>> => {
    const answer = await fetch(`${origin}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    assert(answer.status < 300, `${path} answered ${answer.status}: ${await answer.clone().text()}`)
    return (await answer.json()) as Record<string, string>
  }
  const { token: owner } = mainTokens(config).issueToAdministrator({ role: 'owner', subject: 'bench' })
  const { id: platformId = '' } = await call('/v1/platforms', { token: owner, body: { name: 'Bench' } })
  const { basic_token } = await call(`/v1/platforms/${platformId}/credentials`, { token: owner })
  const exchanged = await fetch(`${origin}/v1/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${basic_token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ grant_type: 'client_credentials' }),
  })
  const { access_token: token } = (await exchanged.json()) as { access_token: string }
  const audience = `${origin}/wallet/v1`
  const walletTokens = openTokens({ keys: keys.signingKeys, issuer: origin, audience, clock: systemClock })
  const first = randomInt(6e9, 9e9)
  await forEach(WALLETS, async (index) => {
    const body = { phone_country_code: '+91', phone_number: String(first + index) }
    const { user_id: userId } = await call('/v1/auth/token', { token, body })
    const user = { userId: userId as never, platformId, sessionId: 'ses_bench' }
    await call('/wallet/v1/wallet', { token: walletTokens.issueToWalletUser(user).token })
  })
}

async function forEach(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0
  const line = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: CALLS_AT_ONCE }, line))
}

const COMPLETED = `select count(*)::int as n from wallets where wallet_status = 'COMPLETED' and wallet_status_partner = 'ACTIVE'`

/** From the first wallet that was begun to the last that was completed, by the history. */
const SECONDS = `select extract(epoch from max(at) filter (where to_status = 'COMPLETED')
                                     - min(at) filter (where to_status = 'IN_PROGRESS'))::float8 as seconds
                   from user_status_changes`

async function bench(): Promise<void> {
  const { config, ownerUrl, startWorker } = await openStage()
  const client = new pg.Client(connectionOptions(ownerUrl))
  await client.connect()
  closers.push(() => client.end())
  await queueWallets(config)
  console.log(`${WALLETS} wallets wait; one worker starts`)

  await startWorker()
  await within(async () => (await client.query(COMPLETED)).rows[0].n === WALLETS)
  const { seconds } = (await client.query(SECONDS)).rows[0] as { seconds: number }
  const answer = await fetch(`${config.operatorUrl}/wallets`)
  const { wallets, calls } = (await answer.json()) as { wallets: unknown[]; calls: number }
  assert.equal(wallets.length, WALLETS, 'one wallet a user at the operator')
  console.log(`${calls} calls to the operator, ${wallets.length} wallets there`)
  console.log(`${seconds.toFixed(1)} s, ${(WALLETS / seconds).toFixed(0)} wallets/s`)
  if (seconds > SECONDS_AIMED_AT) process.exitCode = EXIT_FAILURE
}

/** One after another, also what is opened meanwhile. */
async function tearDown(): Promise<void> {
  for (let close = closers.pop(); close; close = closers.pop()) await close()
}

let interrupted: Promise<void> | undefined
const interrupt = () => {
  interrupted ??= tearDown().then(() => process.exit(EXIT_INTERRUPTED))
}
process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
try {
  await bench()
} catch (error) {
  await interrupted // what it broke off fails on the way
  throw error
} finally {
  await tearDown()
}
