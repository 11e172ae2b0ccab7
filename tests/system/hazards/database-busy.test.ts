import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import pg from 'pg'
import { type Database, connectDatabase, statement } from '../../../src/kernel/db/database.ts'
import type { Actor } from '../../../src/access/caller.ts'
import { ProblemError } from '../../../src/kernel/problem-error.ts'
import { flag, text } from '../../../src/kernel/db/columns.ts'
import { applyWithRetry, recordedWrite } from '../../../src/record/index.ts'
import { openTestApp } from '../../support/app.ts'
import { ADMIN_KEYS } from '../../support/keys.ts'
import { assertUnavailable, eventually } from '../../support/private-database.ts'

const t = await openTestApp({ own: true, timeoutFactor: 1 })
const platform = await t.platform()
const token = platform.token
const CLIENT_TIMEOUT_MS = 10_000

const requestToken = (phone_number: string) =>
  t.call('POST', '/v1/auth/token', { token, body: { phone_country_code: '+91', phone_number } })
const countUsers = async () => (await t.sql('select 1 from users where platform_id = $1', [platform.id])).length

/** Another transaction that holds a lock on a table. */
async function holding(table: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: t.ownerUrl, options: '-c search_path=banyan' })
  await client.connect()
  await client.query(`begin; lock table ${table} in access exclusive mode`)
  return () => client.end()
}

function smallPool(): Database {
  const db = connectDatabase({ url: t.appUrl, poolSize: 2, batching: true, onLostConnection: () => {} })
  after(() => db.close())
  return db
}

const ADD_WORKER = recordedWrite({
  name: 'test_add_worker',
  values: { id: text('worker_id'), isDoomed: flag('is_doomed') },
  single: 'insert into workers (worker_id) select :worker_id::text where test_again(:is_doomed) = 1 returning 1 as n',
  events: false,
})
const select = statement('test_select', 'select 1')

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  try {
    await work
  } catch (error) {
    return error
  }
  return assert.fail('it should have been refused')
}

const isUnavailable = (error: unknown) => error instanceof ProblemError && error.code === 'unavailable'

const codeOfCause = (error: unknown) => ((error as Error).cause as { code?: string }).code

const CONNECTIONS = 8 // of the app in tests

describe('with every connection in use', () => {
  it('503 from /readyz blames only the database when no connection is free', async () => {
    const release = await holding('leases')
    const all = Array.from({ length: CONNECTIONS }, () =>
      t.deps.db.query(statement('test_leases', 'select 1 from leases')),
    )
    const busy = await t.call('GET', '/readyz')
    await release()
    await Promise.all(all)
    assert.equal(busy.status, 503)
    assert.deepEqual(busy.body.checks, {
      database: 'failed',
      migrations: 'unknown',
      version: 'unknown',
    })
    const { checks } = (await t.call('GET', '/readyz')).body
    assert.deepEqual(checks, { database: 'ok', migrations: 'ok', version: 'ok' })
  })
})

// Each waits for a timeout of its own; together they take no longer than the longest.
describe('a database without capacity', { concurrency: true }, () => {
  it('503 for each call above the number of connections, before the client gives up; none is applied later', async () => {
    const release = await holding('events')
    const started = performance.now()
    const phones = Array.from({ length: 40 }, (_, index) => `98000003${String(index).padStart(2, '0')}`)
    try {
      for (const response of await Promise.all(phones.map(requestToken))) assertUnavailable(response)
      assert(performance.now() - started < CLIENT_TIMEOUT_MS, `${performance.now() - started} ms`)
    } finally {
      await release()
    }
    await eventually(200, () => requestToken('9800000400'))
    assert.equal(await countUsers(), 1)
    const created = await t.sql(`select 1 from events where type = 'user.created' and platform_id = $1`, [platform.id])
    assert.equal(created.length, 1)

    for (const response of await Promise.all(phones.map(requestToken))) assert.equal(response.status, 200)
    assert.equal(await countUsers(), phones.length + 1)
  })

  it('503 for calls that need a locked table, and 200 meanwhile for the rest', async () => {
    const release = await holding('account_providers')
    try {
      const stuck = t.call('GET', '/v1/account_providers', { adminKey: ADMIN_KEYS[0] ?? '' })
      assert.equal((await t.call('GET', '/v1/benefit_providers', { token })).status, 200)
      assertUnavailable(await stuck)
    } finally {
      await release()
    }
  })

  it('serialisation failures and deadlocks are retried by writes, at most eight times; a single statement is not', async () => {
    await t.sql('create sequence test_tries')
    await t.sql('grant usage on sequence test_tries to banyan_app')
    const context = { db: smallPool(), clock: t.clock }
    for (const code of ['40001', '40P01']) {
      await t.sql(`create or replace function test_again(doomed boolean) returns int language plpgsql as $$ begin
        if doomed or nextval('test_tries') < 4 then raise exception 'again' using errcode = '${code}'; end if; return 1; end $$`)
      await t.sql(`alter sequence test_tries restart`)
      const by: Actor = { caller: { kind: 'system', job: 'command-line' }, requestId: 'req_test' }
      let tries = 0
      const write = (id: string, doomed: boolean) =>
        applyWithRetry(
          context,
          by,
          async () => (tries++, { result: id, ...ADD_WORKER.with({ worker_id: id, is_doomed: doomed }) }),
        )
      assert.equal(await write(`after-${code}`, false), `after-${code}`)
      assert.equal(tries, 4)
      tries = 0
      assert(isUnavailable(await failureOf(write('doomed', true))))
      assert.equal(tries, 8)
      const alone = context.db.query(statement('', 'select banyan.test_again(true)'))
      assert(isUnavailable(await failureOf(alone)))
    }
    const workers = await t.sql(`select worker_id from workers order by 1`)
    assert.deepEqual(workers, [{ worker_id: 'after-40001' }, { worker_id: 'after-40P01' }])
  })

  it('503 for a third call while two connections are held, and the pool recovers', async () => {
    const db = smallPool()
    const sleeping = statement('test_sleep', 'select pg_sleep(2.6)')
    const held = [db.query(sleeping), db.query(sleeping)]
    const started = performance.now()
    assert(isUnavailable(await failureOf(db.query(select))))
    assert(performance.now() - started < 2_500)
    await Promise.all(held)
    assert.equal((await db.query(select)).length, 1)
    assert.equal(db.connections().waiting, 0)
  })

  it('the server itself ends statements, lock waits and idle transactions that take too long', async () => {
    const db = smallPool()
    await t.sql('create table test_locked (); grant select on test_locked to banyan_app')
    for (const name of ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout']) {
      const rows = await db.query<{ ms: number }>(
        statement('', `select extract(epoch from current_setting('${name}')::interval) * 1000 as ms`),
      )
      assert(Number(rows[0]?.ms) > 0 && Number(rows[0]?.ms) <= CLIENT_TIMEOUT_MS, name)
    }
    const release = await holding('test_locked')
    const [slow, locked] = await Promise.all([
      failureOf(db.query(statement('test_too_long', 'select pg_sleep(6)'))),
      failureOf(db.query(statement('test_locked', 'select 1 from test_locked'))),
    ])
    await release()
    assert(isUnavailable(slow) && isUnavailable(locked))
    // Not the client, which gives up last, and a lock before the statement that waits for it.
    assert.deepEqual([slow, locked].map(codeOfCause), ['57014', '55P03'])
    assert.equal((await db.query(select)).length, 1)
  })
})
