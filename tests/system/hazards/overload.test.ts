import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Database } from '../../../src/kernel/db/database.ts'
import { type TestResponse, LIMITS, openTestApp } from '../../support/app.ts'
import { within } from '../../support/deadline.ts'
import { ADMIN_KEYS } from '../../support/keys.ts'
import { WAITING } from '../../support/meeting.ts'
import { assertUnavailable } from '../../support/private-database.ts'

const t = await openTestApp({ own: true, timeoutFactor: 1 })
const ARRIVAL_MS_MAX = 2_000

/** Another transaction that holds a lock on a table, which blocks all its readers. */
const holding = (table: string) => holdingBy(`lock table ${table} in access exclusive mode`)

async function holdingBy(lock: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: t.ownerUrl, options: '-c search_path=banyan' })
  await client.connect()
  await client.query(`begin; ${lock}`)
  let isHeld = true
  const release = async () => {
    if (isHeld) await client.end()
    isHeld = false
  }
  after(release)
  return release
}

const waitingCount = async () => (await t.sql(WAITING)).length
const statuses = (responses: TestResponse[]) => responses.map(({ status }) => status)

describe('a caller with slow statements', () => {
  it('gets at most a quarter of the connections, queues for the rest, and leaves others theirs', async () => {
    const [platform, other, provider] = [await t.platform(), await t.platform(), await t.provider()]
    const user = await t.user(platform)
    const { call } = await t.openNode({ poolSize: 8, statementsPerCaller: 2 })
    const list = (token: string) => call('GET', `/v1/users/${user.id}/consultations`, { token })
    const release = await holding('consultations')
    const done: number[] = []
    const slow = Array.from({ length: 8 }, async (_, n) => {
      const response = await list(platform.token)
      done.push(n)
      return response
    })
    await within(ARRIVAL_MS_MAX, async () => (await waitingCount()) === 2)
    const ofUser = list(user.token)
    await within(ARRIVAL_MS_MAX, async () => (await waitingCount()) === 3) // each caller has its own quarter
    for (const token of [other.token, provider.token, t.viewer]) {
      assert.equal((await call('GET', '/v1/benefit_providers', { token })).status, 200)
    }
    assert.equal(await waitingCount(), 3, 'the other six have not been sent')
    assert.deepEqual(done, [])
    await release()
    assert.deepEqual(new Set(statuses([...(await Promise.all(slow)), await ofUser])), new Set([200]))
  })

  it('gets 503 immediately for more while its queue is full; others are served', async () => {
    const [platform, other] = [await t.platform(), await t.platform()]
    const user = await t.user(platform)
    const { call, db } = await t.openNode({ statementsPerCaller: 1, limits: { ...LIMITS, databaseWait_ms: 100 } })
    const list = () => call('GET', `/v1/users/${user.id}/consultations`, { token: platform.token })
    const release = await holding('consultations')
    const sent = [list(), list()]
    await within(ARRIVAL_MS_MAX, async () => db.callerWait_ms(`platform:${platform.id}`) > 100)
    assertUnavailable(await list())
    assertUnavailable(await call('GET', '/v1/benefit_providers', { token: platform.token }))
    for (const token of [user.token, other.token]) {
      assert.equal((await call('GET', '/v1/benefit_providers', { token })).status, 200)
    }
    await release()
    assert.deepEqual(statuses(await Promise.all(sent)), [200, 200])
    assert.equal((await list()).status, 200)
  })

  it('gets 503 for calls that wait longer than for a connection, and frees their place', async () => {
    const platform = await t.platform()
    const user = await t.user(platform)
    const { call } = await t.openNode({ poolSize: 8, statementsPerCaller: 1 })
    const list = () => call('GET', `/v1/users/${user.id}/consultations`, { token: platform.token })
    const release = await holding('consultations')
    const [first, second] = [list(), list()]
    assertUnavailable(await second)
    await release()
    assert.equal((await first).status, 200)
    assert.equal((await list()).status, 200)
  })

  it('is served while a write of its own, which lost to another, waits for its row', async () => {
    const platform = await t.platform()
    const user = await t.onboardedUser(platform)
    await t.wallet(platform, user)
    let hasLost = false
    const losing = (db: Database): Database => ({
      ...db,
      query: async (step, values) => {
        if (step.name !== 'ledger_book_keyed' || hasLost) return db.query(step, values)
        hasLost = true
        return []
      },
    })
    const { call } = await t.openNode({ statementsPerCaller: 1, watched: losing })
    const release = await holdingBy(`select from wallets where user_id = '${user.id}' for update`)
    const booked = call('POST', `/v1/users/${user.id}/wallet/credits`, {
      token: platform.token,
      headers: { 'idempotency-key': randomUUID() },
      body: { amount: 100, reference: 'hot' },
    })
    await within(ARRIVAL_MS_MAX, async () => hasLost && (await waitingCount()) === 1)
    assert.equal((await call('GET', `/v1/users/${user.id}/consultations`, { token: platform.token })).status, 200)
    assert.equal(await waitingCount(), 1, 'the write is still waiting')
    await release()
    assert.equal((await booked).status, 201)
  })
})

describe('more load than the database can handle', () => {
  const LIST = '/v1/account_providers'
  const adminKey = ADMIN_KEYS[0] ?? ''

  it('503 immediately with Retry-After while the queue is too slow; probes are served, and it recovers by itself', async () => {
    const platform = await t.platform()
    const limits = { ...LIMITS, databaseWait_ms: 100 }
    const { call, db } = await t.openNode({ poolSize: 2, limits })
    const release = await holding('account_providers')
    const waiting = Array.from({ length: 4 }, () => call('GET', LIST, { adminKey }))
    await within(ARRIVAL_MS_MAX, async () => db.waiting.oldest_ms() > limits.databaseWait_ms)
    const before = db.connections().waiting
    const refused = [
      await call('GET', LIST, { adminKey }),
      await call('GET', '/v1/benefit_providers', { token: platform.token }),
      await call('POST', '/v1/oauth/token', { headers: { authorization: 'Basic none' }, body: {} }),
      await call('GET', '/v1/benefit_providers', { token: 'nobody' }),
    ]
    for (const response of refused) assertUnavailable(response)
    assert.equal(db.connections().waiting, before, 'what is refused waits for nothing')
    assert.equal((await call('GET', '/livez')).status, 200)
    const ready = call('GET', '/readyz')
    await release()
    assert.notEqual((await ready).body.checks.database, undefined)
    assert.deepEqual(statuses(await Promise.all(waiting)), [200, 200, 200, 200])
    assert.equal(db.waiting.oldest_ms(), 0)
    assert.equal((await call('GET', LIST, { adminKey })).status, 200)
    assert.equal((await call('GET', '/readyz')).body.checks.database, 'ok')
  })

  it('201 for some and 503 for the rest at twice the capacity, and rejected calls had no effect', async () => {
    const PER_STATEMENT_S = 0.04
    const CONNECTIONS = 2 // a capacity of 50 per second
    const ARRIVAL_MS = 10 // and 100 arrive
    const COUNT = 300
    await t.sql(`create function slow() returns trigger language plpgsql as
      $$ begin perform pg_sleep(${PER_STATEMENT_S}); return new; end $$`)
    await t.sql('create trigger slow before insert on account_providers for each row execute function slow()')
    const { call } = await t.openNode({ poolSize: CONNECTIONS, limits: { ...LIMITS, databaseWait_ms: 200 } })
    const one = (n: number) => call('POST', LIST, { adminKey, body: { name: `Bank ${n}` } })
    const calls: ReturnType<typeof one>[] = []
    const from = performance.now()
    while (calls.length < COUNT) {
      while (calls.length < Math.min(COUNT, (performance.now() - from) / ARRIVAL_MS)) calls.push(one(calls.length))
      await sleep(ARRIVAL_MS)
    }
    const responses = await Promise.all(calls)
    for (const response of responses.filter(({ status }) => status !== 201)) assertUnavailable(response)
    await t.sql('drop trigger slow on account_providers')
    const succeeded = responses.filter(({ status }) => status === 201)
    assert(succeeded.length > 0 && succeeded.length < COUNT, `${succeeded.length} of ${COUNT}`)
    const [stored] = await t.sql(`select count(*)::int as count from account_providers where name like 'Bank %'`)
    assert.deepEqual(stored, { count: succeeded.length }, 'what was refused was not done')
  })
})
