import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import pg from 'pg'
import { countAll, countFailedWallets } from '../../../src/domains/administration/statistics/index.ts'
import { findBacklog as findDeliveries } from '../../../src/domains/integration/webhooks/sender-store.ts'
import { findHeldBack } from '../../../src/record/log-positions.ts'
import { newId } from '../../../src/kernel/id.ts'
import { findBacklog as findJobs, type Job, migrateQueue } from '../../../src/kernel/jobs/queue.ts'
import { findLag, createOutbox } from '../../../src/record/relay.ts'
import { openTestApp } from '../../support/app.ts'
import { within } from '../../support/deadline.ts'

const WITHIN_MS = 120_000
const JOB: Job<object> = { name: 'test-backlog', retryLimit: 5, retryDelayMaxSeconds: 600 }

const t = await openTestApp({ own: true })
await migrateQueue(t.ownerUrl, [JOB], 'banyan_app')

describe('backlogs in metrics', () => {
  it('jobs: none, then the ready ones with the age of the oldest, then those waiting for their next attempt', async () => {
    const backlog = async () => (await findJobs(t.db, [JOB.name]))[0]
    assert.deepEqual(await backlog(), { queue: JOB.name, ready: 0, delayed: 0, age_s: 0 })
    const queue = await t.startQueue()
    await queue.send([1, 2, 3].map((n) => ({ job: JOB.name, data: { n } })))
    await t.sql(
      `update pgboss.job set start_after = now() - interval '90 seconds' where name = $1 and data ->> 'n' = '2'`,
      [JOB.name],
    )
    const ready = await backlog()
    assert.deepEqual([ready?.ready, ready?.delayed], [3, 0])
    assert(ready && ready.age_s >= 90 && ready.age_s < 150, String(ready?.age_s))
    const fail = () => Promise.reject(new Error('it fails'))
    await queue.work([{ job: JOB, run: fail }])
    await within(WITHIN_MS, async () => (await backlog())?.delayed === 3)
  })

  it('events: those a relay has not passed, and the age of the oldest', async () => {
    const lagOf = async (relay: string) => (await findLag(t.db)).find((one) => one.relay === relay)
    const outbox = createOutbox(t.db)
    const handOver = () => outbox.handOver(async () => {})
    while (await handOver());
    const challenge_id = newId('otp')
    await t.sql(
      `insert into events (event_id, type, subject, data, occurred_at)
       values ($1, 'one_time_code.requested', $2, $3, now() - interval '40 seconds')`,
      [newId('evt'), challenge_id, { challenge_id }],
    )
    const lag = await lagOf('jobs')
    assert(lag && lag.waiting === 1 && lag.lag_s >= 40 && lag.lag_s < 100, JSON.stringify(lag))
    assert.equal((await lagOf('webhooks'))?.waiting, 0, 'nobody outside hears of such an event')
    await within(WITHIN_MS, async () => {
      await handOver()
      return (await lagOf('jobs'))?.waiting === 0
    })
    assert.equal((await lagOf('jobs'))?.lag_s, 0)
  })

  it('events: the stored position advances, even when there is nothing to relay for long', async () => {
    const outbox = createOutbox(t.db)
    const stored = async () => {
      const [row] = await t.sql<{ position: string }>(`select position::text from relays where relay_name = 'jobs'`)
      return BigInt(row?.position ?? 0)
    }
    await outbox.handOver(async () => {})
    const before = await stored()
    await t.sql('do $$ begin for i in 1..10001 loop perform pg_current_xact_id(); commit; end loop; end $$')
    await within(WITHIN_MS, async () => {
      await outbox.handOver(async () => {})
      return (await stored()) > before + 10_000n
    })
  })

  it('logs: how long readers have not seen what is written, because of a transaction in another database', async () => {
    const heldBack = async () => Object.fromEntries((await findHeldBack(t.db)).map(({ log, held_s }) => [log, held_s]))
    const isFree = async () => Object.values(await heldBack()).every((held_s) => held_s === 0)
    await within(WITHIN_MS, isFree)
    const elsewhere = new pg.Client({
      connectionString: Object.assign(new URL(t.ownerUrl), { pathname: '/postgres' }).href,
    })
    await elsewhere.connect()
    after(() => elsewhere.end())
    await elsewhere.query('begin')
    await elsewhere.query('select 1')
    assert.deepEqual(await heldBack(), { events: 0, audit: 0 }, 'a transaction that only reads holds nothing back')
    await elsewhere.query('select pg_current_xact_id()')
    assert.deepEqual(await heldBack(), { events: 0, audit: 0 }, 'there is nothing to hold back')

    const [subject, ago] = [newId('otp'), (seconds: number) => new Date(Date.now() - seconds * 1_000)]
    await t.sql(
      `insert into events (event_id, type, subject, data, occurred_at) values ($1, 'one_time_code.requested', $2, '{}', $3)`,
      [newId('evt'), subject, ago(40)],
    )
    await t.sql(
      `insert into audit_entries (audit_id, at, actor, operation, action, request_id) values ($1, $2, 'nobody', 'test', 'read', 'req')`,
      [newId('aud'), ago(200)],
    )
    const { events = 0, audit = 0 } = await heldBack()
    assert(events >= 40 && events < 100, String(events))
    assert(audit >= 200 && audit < 260, String(audit))

    await elsewhere.query('rollback')
    await within(WITHIN_MS, isFree)
  })

  it('wallets: those FAILED at the last count, none before the first', async () => {
    assert.equal(await countFailedWallets(t.db), 0)
    const platform = await t.platform()
    const failed = await t.user(platform)
    await t.wallet(platform, failed)
    await t.wallet(platform, await t.user(platform))
    await t.sql(`update wallets set wallet_status = 'FAILED', wallet_status_partner = 'UNKNOWN' where user_id = $1`, [
      failed.id,
    ])
    await countAll(t.db, t.deps.clock)
    assert.equal(await countFailedWallets(t.db), 1)
  })

  it('webhooks: the due ones, by whether the endpoint accepts them', async () => {
    const backlog = async () => {
      const found = await findDeliveries(t.db, t.deps.clock)
      return Object.fromEntries(
        found.map(({ endpoints, due, lag_s }) => [endpoints, { due, lag_s: Math.round(lag_s / 60) }]),
      )
    }
    const none = { due: 0, lag_s: 0 }
    assert.deepEqual(await backlog(), { healthy: none, failing: none })
    const platform = await t.platform()
    const endpointOf = async (name: string): Promise<string> => {
      const body = { url: `http://127.0.0.1:1/${name}`, event_types: ['*'] }
      return (await t.made('POST', '/v1/webhook_endpoints', { token: platform.token, body })).id
    }
    const [healthy, failing, disabled] = [await endpointOf('a'), await endpointOf('b'), await endpointOf('c')]
    await t.sql('update webhook_endpoints set failing_since = now() where endpoint_id = $1', [failing])
    await t.sql(`update webhook_endpoints set status = 'DISABLED' where endpoint_id = $1`, [disabled])
    for (const [endpoint, minutes] of [
      [healthy, 2],
      [healthy, -5],
      [failing, 60],
      [failing, 30],
      [disabled, 600],
    ] as const) {
      await t.sql(
        `insert into webhook_deliveries (endpoint_id, event_id, status, next_attempt_at, created_at)
         values ($1, $2, 'PENDING', now() - $3 * interval '1 minute', now())`,
        [endpoint, newId('evt'), minutes],
      )
    }
    assert.deepEqual(await backlog(), { healthy: { due: 1, lag_s: 2 }, failing: { due: 2, lag_s: 60 } })
  })
})
