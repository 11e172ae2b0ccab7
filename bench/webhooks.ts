import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { decideEndpoint } from '../src/domains/integration/webhooks/create-webhook-endpoint.ts'
import { systemClock } from '../src/kernel/clock.ts'
import { createVault } from '../src/kernel/crypto/vault.ts'
import { type Database, onlyRow, connectDatabase, statement } from '../src/kernel/db/database.ts'
import { newId } from '../src/kernel/id.ts'
import { createTargets } from '../src/kernel/outbound/public-address.ts'
import { applyWithRetry } from '../src/record/index.ts'
import type { BenchContext, Options, Part } from './part.ts'
import { parentOf, secondsUsedBy } from './process-figures.ts'
import { median, spread, target } from './report.ts'
import type { Stage } from './stage.ts'
import { until } from './until.ts'

const EVENTS = 10_000
const A_SECOND_MIN = 1_000
const TIMEOUT_MS = 180_000
/** The events are spread over this many users; those of one user are delivered in order. */
const USERS = 2_000

/** Measures how many events per second one worker delivers to a local receiver, and the database's cost of each. */
export const webhooks: Part = {
  name: 'webhooks',
  is: '10,000 events delivered to one endpoint by one worker, and what each costs the database',
  run,
}

async function run(context: BenchContext, { rounds }: Options): Promise<string> {
  const { stage, say } = context
  const { db, receiver, emit } = await openWebhooks(context)
  const postmaster = parentOf(onlyRow(await db.query<{ pid: number }>(BACKEND)).pid)
  assert(postmaster !== undefined)
  const worker = await startSender(stage)
  const rates: number[] = []
  const costs: { database: number; worker: number }[] = []
  for (let round = 0; round <= rounds; round++) {
    const used = { database: secondsUsedBy(postmaster), worker: secondsUsedBy(worker.pid) }
    const expected = (round + 1) * EVENTS
    receiver.begin()
    await emit(EVENTS)
    await until(TIMEOUT_MS, async () => receiver.count() >= expected)
    await until(TIMEOUT_MS, async () => onlyRow(await db.query<{ count: number }>(DELIVERED)).count === expected)
    assert.equal(receiver.count(), expected, 'each event comes once')
    const rate = EVENTS / receiver.seconds()
    const cost = {
      database: ((secondsUsedBy(postmaster) - used.database) / EVENTS) * 1e6,
      worker: ((secondsUsedBy(worker.pid) - used.worker) / EVENTS) * 1e6,
    }
    say(
      `  round ${round}: ${rate.toFixed(0)} a second, µs an event: ${cost.database.toFixed(0)} of the database, ${cost.worker.toFixed(0)} of the worker`,
    )
    if (round === 0) continue // the worker warms up
    rates.push(rate)
    costs.push(cost)
  }
  await worker.stop()
  return [
    `${spread(rates, 0)} deliveries a second`,
    `processor time of an event: ${inMicroseconds(costs.map(({ database }) => database))} of the database, ${inMicroseconds(costs.map(({ worker: ofWorker }) => ofWorker))} of the worker`,
    target(`${A_SECOND_MIN} a second`, median(rates) >= A_SECOND_MIN),
  ].join('\n')
}

const inMicroseconds = (values: number[]) => `${spread(values, 0)} µs`

const BACKEND = statement('bench_backend', 'select pg_backend_pid() as pid')

const INSERT = statement(
  'bench_events',
  `insert into events (event_id, type, platform_id, subject, data)
     select id, 'user.updated', $1, (n % $3)::text, jsonb_build_object('user_id', (n % $3)::text)
       from unnest($2::text[]) with ordinality as e (id, n)`,
)

const DELIVERED = statement(
  'bench_delivered',
  `select count(*)::int as count from webhook_deliveries where status = 'DELIVERED'`,
)

/** Opens a receiver, with an endpoint of the platform that delivers to it. `emit` writes so many events for it. */
export async function openWebhooks(bench: BenchContext) {
  const { stage, tenant, closers } = bench
  const { databaseUrl: url } = stage.config
  assert(url)
  const db = connectDatabase({ url, poolSize: 2, batching: false, withoutTimeouts: true, onLostConnection: () => {} })
  closers.push(() => db.close())
  const receiver = await openReceiver(closers)
  await makeEndpoint(db, { bench, url: receiver.url })
  const emit = (count: number) => {
    const ids = Array.from({ length: count }, () => newId('evt'))
    return db.query(INSERT, [tenant.platformId, ids, USERS])
  }
  return { db, receiver, emit }
}

/** Starts a worker that may call this machine, which production forbids. */
export const startSender = (stage: Stage) => stage.start('worker', { NODE_ENV: 'development' })

/** Creates the endpoint by the product's own operation, allowing this machine. */
async function makeEndpoint(db: Database, { bench, url }: { bench: BenchContext; url: string }): Promise<void> {
  const { tenant, stage } = bench
  const targets = createTargets({ ports: [], allowsLoopback: true })
  const context = { db, clock: systemClock, vault: createVault(stage.config.keys), targets }
  const caller = { kind: 'platform', platformId: tenant.platformId, epoch: 0, credentialId: 'bench' } as const
  const input = { url, event_types: ['user.updated'] }
  await applyWithRetry(context, { caller, requestId: 'bench' }, (by) => decideEndpoint(context, input, by))
}

/** Starts a receiver that accepts everything until it fails, and records the first and last delivery of a round. */
async function openReceiver(closers: BenchContext['closers']) {
  let [count, first_ms, last_ms] = [0, 0, 0]
  let status = 200
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      count++
      last_ms = performance.now()
      first_ms ||= last_ms
      response.writeHead(status).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closers.push(async () => server.close().closeAllConnections())
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    begin: () => void (first_ms = 0),
    fail: () => void (status = 503),
    count: () => count,
    seconds: () => (last_ms - first_ms) / 1_000,
  }
}
