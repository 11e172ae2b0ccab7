import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { openSync, readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs, promisify } from 'node:util'
import pg from 'pg'
import { makeKeyTexts } from '../src/access/keys.ts'
import { type Config, loadConfig } from '../src/config.ts'
import { systemClock, todayIn } from '../src/kernel/clock.ts'
import { openVault } from '../src/kernel/crypto/vault.ts'
import { addDays, addMonths } from '../src/kernel/date.ts'
import { connectionOptions } from '../src/kernel/db/database.ts'
import { startEmbedded } from '../src/kernel/db/embedded.ts'
import { mainTokens } from '../src/run.ts'
import { insertIssuedPolicies } from '../tests/support/policies-in-bulk.ts'

const HELP = `node bench/calendar.ts [options]

Lets one worker move policies whose renewal window opens, and measures listing policies before and meanwhile. API and
worker are processes of their own, on a temporary database with fsync on that is removed at the end.

  --rounds <n>    rounds, each with policies of its own (5)
  --due <n>       policies that are due in a round (10000)
  --rate <n>      requests a second, sent whether earlier ones are answered or not (200)
  --seconds <n>   how long to measure at rest in a round (10)
  --help          this text

Targets: all of a round moved in under 60 s, and the p99 meanwhile at most twice the p99 at rest.`

const START_TIMEOUT_MS = 30_000
const STOP_TIMEOUT_MS = 10_000
const MOVE_TIMEOUT_MS = 180_000
const WARM_UP_SECONDS = 5
const POLL_MS = 250
const PRODUCT = new URL('../src/main.ts', import.meta.url).pathname

const closers: (() => Promise<unknown>)[] = []
const say = (line: string) => console.log(`${(performance.now() / 1000).toFixed(0).padStart(4)} s  ${line}`)

type Options = { rounds: number; due: number; rate: number; seconds: number }
type Round = { seconds: number; atRest: Figures; meanwhile: Figures }

async function bench({ rounds, due, rate, seconds }: Options): Promise<void> {
  const { config, settings, folder } = await openStage()
  const client = await openClient(config)
  const url = `http://127.0.0.1:${config.port}`
  await startProcess('serve', { settings, log: join(folder, 'serve.log') })
  await until(START_TIMEOUT_MS, () =>
    fetch(`${url}/livez`).then(
      ({ ok }) => ok,
      () => false,
    ),
  )
  const policies = await fill(client, { config, url, count: rounds * due })
  await startProcess('work', { settings, log: join(folder, 'work.log') })
  say(`${policies.length} users with a policy each; ${rate} requests/s`)

  const token = mainTokens(config).issueToAdministrator({ role: 'viewer', subject: 'bench' }).token
  const load = { url, rate, token, users: policies.map(({ userId }) => userId) }
  await measure(load, () => sleep(WARM_UP_SECONDS * 1_000))
  const figures: Round[] = []
  for (let round = 0; round < rounds; round++) {
    const ids = policies.slice(round * due, (round + 1) * due).map(({ id }) => id)
    const atRest = await measure(load, () => sleep(seconds * 1_000))
    await letBecomeDue(client, ids)
    const meanwhile = await measure(load, () => until(MOVE_TIMEOUT_MS, async () => (await countDue(client)) === 0))
    figures.push({ seconds: await checkMoved(client, ids), atRest, meanwhile })
    say(lineOf(figures.at(-1) as Round))
  }
  console.log(`\n${report(due, figures)}`)
}

/** Database, settings and keys. The closer goes first, so that a start that is interrupted still ends in a stop. */
async function openStage() {
  const folder = await mkdtemp(join(tmpdir(), 'banyan-bench-'))
  closers.push(() => rm(folder, { recursive: true, force: true }))
  await chmod(folder, 0o755) // the database runs as another user when root starts it
  const starting = startEmbedded({ dataDir: folder })
  closers.push(async () => (await starting.catch(() => undefined))?.stop())
  const { appUrl, ownerUrl } = await starting
  const [port, metricsPort, sandboxPort, workerPort] = (await freePorts(4)) as [number, number, number, number]
  const settings: Record<string, string> = {
    LOG_LEVEL: 'warn',
    PORT: String(port),
    METRICS_PORT: String(metricsPort),
    WORKER_METRICS_PORT: String(workerPort),
    SANDBOX_PORT: String(sandboxPort),
    DATABASE_URL: appUrl,
    MIGRATION_DATABASE_URL: ownerUrl,
    DATA_DIR: folder,
    ...makeKeyTexts(folder),
  }
  await promisify(execFile)(process.execPath, [PRODUCT, 'migrate'], { env: settings })
  return { config: loadConfig(settings), settings, folder }
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map((server) => once(server, 'listening')))
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  await Promise.all(servers.map((server) => once(server.close(), 'close')))
  return ports
}

async function openClient({ databaseUrl }: Config): Promise<pg.Client> {
  assert(databaseUrl)
  const client = new pg.Client({ ...connectionOptions(databaseUrl), statement_timeout: 0 })
  client.on('error', () => {}) // a lost connection shows at the statement that runs
  await client.connect()
  closers.push(() => client.end())
  return client
}

type Starting = { settings: Record<string, string>; log: string }

/** A process group of its own: Ctrl-C reaches this program alone, which then stops the others in order. */
async function startProcess(role: 'serve' | 'work', { settings, log }: Starting): Promise<void> {
  const output = openSync(log, 'a')
  const { METRICS_PORT, WORKER_METRICS_PORT, ...others } = settings
  const env = { ...others, METRICS_PORT: role === 'serve' ? METRICS_PORT : WORKER_METRICS_PORT }
  const child = spawn(process.execPath, [PRODUCT, role], { env, stdio: ['ignore', output, output], detached: true })
  closers.push(() => stopProcess(child, log))
  await Promise.race([once(child, 'spawn'), once(child, 'error')])
}

async function stopProcess(child: ChildProcess, log: string): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    const inTime = await Promise.race([ended.then(() => true), sleep(STOP_TIMEOUT_MS, false, { ref: false })])
    if (!inTime) child.kill('SIGKILL')
  }
  const printed = readFileSync(log, 'utf8')
  if (printed !== '') console.log(`${log}:\n${printed}`)
}

/** Asks rarely: looking must not become a load of its own. */
async function until(timeout_ms: number, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + timeout_ms
  while (!(await isSo())) {
    assert(performance.now() < deadline, `it takes longer than ${timeout_ms} ms`)
    await sleep(POLL_MS)
  }
}

type Filling = { config: Config; url: string; count: number }

/** Policies in their renewal window, of which the calendar does not know yet. */
async function fill(client: pg.Client, { config, url, count }: Filling) {
  const token = mainTokens(config).issueToAdministrator({ role: 'owner', subject: 'bench' }).token
  const make = async (path: string, body: object, method: 'POST' | 'PUT' = 'POST'): Promise<string> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const response = await fetch(`${url}/v1${path}`, { method, headers, body: JSON.stringify(body) })
    assert(response.ok, `${method} ${path} answered ${response.status}`)
    return ((await response.json()) as { id: string }).id
  }
  const money = (value: number) => ({ currency: 'INR', value })
  const premium_amounts = { annual: money(12_045), daily: money(33), sponsor_contribution: money(6_022.5) }
  const platformId = await make('/platforms', { name: 'Acme Benefits' })
  const benefitProviderId = await make('/benefit_providers', { name: 'Suraksha General', code: 'SURAKSHA_GENERAL' })
  const sponsor = await make('/sponsors', {
    platform_id: platformId,
    name: 'Banyan Textiles',
    pan: 'AAACB1234C',
    address: { line1: '12 MG Road', city: 'Bengaluru', state: 'Karnataka', country: 'India', pincode: '560001' },
    sponsor_details: { sponsor_kind: 'ORGANISATION', email: 'hr@example.com' },
  })
  await make(`/sponsors/${sponsor}/status`, { status: 'ACTIVE' }, 'PUT')
  const benefitId = await make('/benefits', {
    name: 'Family health cover',
    benefit_provider_id: benefitProviderId,
    sponsor_id: sponsor,
    plans: [{ plan_code: 'FAMILY_5L', term_months: 12, premium_amounts }],
  })
  const yearAgo = addMonths(todayIn(systemClock), -12)
  const terms = Array.from({ length: count }, (_, index) => ({
    start_date: addDays(yearAgo, 2 + (index % 28)),
    renewal_window_days: 30,
    grace_days: 30,
  }))
  const catalogue = { platformId, benefitId, benefitProviderId, vault: openVault(config.keys) }
  const policies = await insertIssuedPolicies((text, values) => client.query(text, values), catalogue, terms)
  await client.query('update insurance_policies set next_move_on = null')
  await client.query('analyze')
  return policies
}

async function letBecomeDue(client: pg.Client, ids: string[]): Promise<void> {
  await client.query(
    'update insurance_policies set next_move_on = end_date - renewal_window_days where policy_id = any ($1)',
    [ids],
  )
  assert((await countDue(client)) > 0)
}

async function countDue(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ due: number }>(
    'select count(*)::int as due from insurance_policies where next_move_on <= $1',
    [todayIn(systemClock)],
  )
  return Number(rows[0]?.due)
}

type Load = { url: string; rate: number; token: string; users: string[] }
/** `busy` is the share of all processors that worked, whoever they worked for. */
type Figures = { requests: number; p50: number; p99: number; max: number; busy: number }

/** Lists policies of any user at a steady rate; a late answer delays no other request and is counted from its due time. */
async function measure({ url, rate, token, users }: Load, meanwhile: () => Promise<void>): Promise<Figures> {
  const agent = new Agent({ keepAlive: true })
  const headers = { authorization: `Bearer ${token}` }
  const took: Promise<number>[] = []
  const ending = new AbortController()
  const send = async (due: number) => {
    const path = `/v1/users/${users[randomInt(users.length)]}/insurance_policies`
    await get(`${url}${path}`, { agent, headers })
    return performance.now() - due
  }
  const push = (sent: Promise<number>) => {
    sent.catch(() => {}) // told when all are awaited
    took.push(sent)
  }
  const sending = (async () => {
    const from = performance.now()
    const dueAt = (place: number) => from + (place * 1_000) / rate
    for (; !ending.signal.aborted; await sleep(1)) {
      while (dueAt(took.length) <= performance.now()) push(send(dueAt(took.length)))
    }
  })()
  const before = processorTimes()
  await meanwhile()
  const after = processorTimes()
  ending.abort()
  await sending
  const times = (await Promise.all(took)).toSorted((a, b) => a - b)
  agent.destroy()
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN
  const busy = 1 - (after.idle - before.idle) / (after.all - before.all)
  return { requests: times.length, p50: at(0.5), p99: at(0.99), max: at(1), busy }
}

function processorTimes(): { idle: number; all: number } {
  const times = cpus().map((cpu) => cpu.times)
  const sum = (of: (time: (typeof times)[number]) => number) => times.map(of).reduce((total, ms) => total + ms, 0)
  return { idle: sum(({ idle }) => idle), all: sum(({ user, nice, sys, irq, idle }) => user + nice + sys + irq + idle) }
}

function get(url: string, options: { agent: Agent; headers: Record<string, string> }): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request(url, options, (answer) => {
      answer.resume()
      answer.once('end', () =>
        answer.statusCode === 200 ? resolve() : reject(new Error(`${url}: ${answer.statusCode}`)),
      )
    })
    sent.once('error', reject)
    sent.end()
  })
}

/** Each was moved once; returns how long that took, from the first to the last. */
async function checkMoved(client: pg.Client, ids: string[]): Promise<number> {
  const { rows } = await client.query<{ moves: number; policies: number; seconds: number }>(
    `select count(*)::int as moves, count(distinct entity_id)::int as policies,
            extract(epoch from max(at) - min(at))::float8 as seconds
       from user_status_changes where entity_id = any ($1)`,
    [ids],
  )
  const [row] = rows
  assert(row && row.moves === ids.length && row.policies === ids.length, 'each policy was moved once')
  return row.seconds
}

const textOf = ({ requests, p50, p99, max, busy }: Figures) =>
  `p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)}, max ${max.toFixed(0)} ms of ${requests}, processors ${(busy * 100).toFixed(0)} % busy`

const ratioOf = ({ atRest, meanwhile }: Round) => meanwhile.p99 / atRest.p99

const lineOf = (round: Round) =>
  `moved in ${round.seconds.toFixed(1)} s; at rest ${textOf(round.atRest)}; meanwhile ${textOf(round.meanwhile)}; p99 × ${ratioOf(round).toFixed(2)}`

/** Medians: whatever else the machine does shows in single rounds. */
function report(due: number, rounds: Round[]): string {
  const median = (of: (round: Round) => number) =>
    rounds.map(of).toSorted((a, b) => a - b)[Math.floor(rounds.length / 2)] as number
  const seconds = median((round) => round.seconds)
  return [
    `${due} policies moved in ${seconds.toFixed(1)} s, ${(due / seconds).toFixed(0)} a second (target: under 60 s)`,
    `p99 of listing policies: ${median(({ atRest }) => atRest.p99).toFixed(1)} ms at rest, ${median(({ meanwhile }) => meanwhile.p99).toFixed(1)} ms meanwhile`,
    `p99 meanwhile over p99 at rest: ${median(ratioOf).toFixed(2)} (target: at most 2)`,
  ].join('\n')
}

async function tearDown(): Promise<void> {
  for (let close = closers.pop(); close; close = closers.pop()) {
    await close().catch((error: unknown) => console.error('a part did not stop in order:', error))
  }
}

function positive(name: string, text: string): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} must be a whole number from 1 on`)
  return value
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '5' },
      due: { type: 'string', default: '10000' },
      rate: { type: 'string', default: '200' },
      seconds: { type: 'string', default: '10' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return console.log(HELP)
  const options = {
    rounds: positive('rounds', values.rounds),
    due: positive('due', values.due),
    rate: positive('rate', values.rate),
    seconds: positive('seconds', values.seconds),
  }
  const interrupt = () => void tearDown().then(() => process.exit(1))
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  try {
    await bench(options)
  } finally {
    await tearDown()
  }
}

await main()
