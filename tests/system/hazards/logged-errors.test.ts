import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import pino from 'pino'
import { describe as reported } from '../../../src/kernel/http/problems.ts'
import { statement } from '../../../src/kernel/db/database.ts'
import { type Job, migrateQueue } from '../../../src/kernel/jobs/queue.ts'
import { unavailable } from '../../../src/kernel/problem-error.ts'
import { openTestApp } from '../../support/app.ts'
import { within } from '../../support/deadline.ts'

const FOUND_WITHIN_MS = 60_000
const JOB: Job<object> = { name: 'test-log', retryLimit: 1, retryDelayMaxSeconds: 1 }

const t = await openTestApp({ own: true, timeoutFactor: 1 })
const IDLE_JOB: Job<object> = { ...JOB, name: 'test-backlog' }
await migrateQueue(t.ownerUrl, [JOB, IDLE_JOB], 'banyan_app')

type Line = { msg: string; level: string; error: Record<string, unknown>; warning?: { message: string } }
const lines: Line[] = []
const log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) })

/** An error as the queue returns it: the members of an Error in a plain object. */
const ofQueue = (error: Error, more: object = {}) => ({
  ...Object.fromEntries(Object.entries(error)),
  message: error.message,
  stack: error.stack,
  queue: 'send-otp',
  ...more,
})

function failureOf(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    return error
  }
}

const failureIn = (work: Promise<unknown>) =>
  work.then(
    () => assert.fail('it should have failed'),
    (error: unknown) => error,
  )

describe('a logged error', () => {
  it('has message, type and stack, even when a library throws a plain object', () => {
    const error = new Error('Connection terminated unexpectedly')
    const { at, ...words } = reported(ofQueue(error, { name: 'FetchError' }))
    assert.deepEqual(
      { ...words },
      {
        name: 'FetchError',
        code: undefined,
        statement: undefined,
        constraint: undefined,
        table: undefined,
        queue: 'send-otp',
        message: 'Connection terminated unexpectedly',
        cause: undefined,
      },
    )
    assert.match(String(at), /logged-errors/)
    assert.equal(reported({ ...ofQueue(error) })['name'], 'object')
  })

  it('has only the code of a database error, whose message quotes rows, and nothing that is not a string', () => {
    const quoting = 'Key (email)=(asha@example.com) already exists.'
    const objects = [
      ofQueue(Object.assign(new Error(quoting), { code: '23505', detail: quoting })),
      ofQueue(Object.assign(new Error(quoting), { constraint: 'users_pkey', table: 'users' })),
      { message: { email: 'asha@example.com' }, name: ['asha@example.com'], data: 'asha@example.com' },
      Object.create(null) as object,
    ]
    for (const one of objects) assert.doesNotMatch(JSON.stringify(reported(one)), /asha/)
    assert.equal(reported(objects[0])['code'], '23505')
    assert.equal(reported(objects[1])['constraint'], 'users_pkey')
    assert.deepEqual([reported('asha@example.com'), reported(undefined)], [{ kind: 'string' }, { kind: 'undefined' }])
  })

  it('has its cause, and that one’s: `unavailable` alone would be the same for a full disk and a database that is down', () => {
    const down = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' })
    const { cause } = reported(unavailable(new TypeError('fetch failed', { cause: down })))
    assert.partialDeepStrictEqual(cause, {
      message: 'fetch failed',
      cause: { code: 'ECONNREFUSED', message: 'connect ECONNREFUSED 127.0.0.1:5432' },
    })
    const full = Object.assign(new Error('Failing row contains (asha@example.com)'), { code: '53100' })
    assert.partialDeepStrictEqual(reported(unavailable(full)), { code: 'unavailable', cause: { code: '53100' } })
    assert.doesNotMatch(JSON.stringify(reported(unavailable(full))), /asha/)
  })

  it('has the message of each attempt to connect, when a host has several addresses and none responds', () => {
    const attempts = ['::1', '127.0.0.1'].map((address) => new Error(`connect ECONNREFUSED ${address}:5432`))
    const error = Object.assign(new AggregateError(attempts), { code: 'ECONNREFUSED' })
    assert.equal(reported(error)['message'], 'connect ECONNREFUSED ::1:5432, connect ECONNREFUSED 127.0.0.1:5432')
  })

  it('has nothing of a cause that is no error, and ends where errors cause each other', () => {
    const foreign = new Error('unexpected response', { cause: { message: 'asha@example.com', code: 'asha' } })
    assert.doesNotMatch(JSON.stringify(reported(foreign)), /asha/)
    const circle = new Error('first')
    circle.cause = new Error('second', { cause: circle })
    assert(JSON.stringify(reported(circle)).length < 10_000)
  })

  it('has no text that a message quotes: not its further lines, which the stack repeats, nor what is no JSON', () => {
    const ofSeveralLines = new Error('not the one that was expected:\nasha@example.com\nFlat 4, Lake View')
    assert.doesNotMatch(JSON.stringify(reported(ofSeveralLines)['at']), /asha|Lake View/)
    assert.match(String(reported(ofSeveralLines)['at']), /logged-errors/)
    const quoting = failureOf(() => JSON.parse('{"email": asha@example.com}'))
    assert.match(String(quoting), /asha/, 'it is in its message')
    assert.doesNotMatch(JSON.stringify(reported(quoting)), /asha/)
  })

  it('names the queue that could not be read, and why', async () => {
    const queue = await t.startQueue({ log })
    after(() => t.sql('alter table if exists pgboss.job_away rename to job_common'))
    await t.sql('alter table pgboss.job_common rename to job_away')
    await queue.work([{ job: JOB, run: async () => {} }])
    await within(FOUND_WITHIN_MS, async () => lines.some(({ error }) => error['queue'] === JOB.name))
    await t.sql('alter table pgboss.job_away rename to job_common')
    const line = lines.find(({ error }) => error['queue'] === JOB.name)
    assert.equal(line?.msg, 'job queue error')
    assert.equal(line.error['code'], '42P01')
  })
})

describe('a request that failed because of a statement', () => {
  const logged: Record<string, unknown>[] = []
  const node = t.openNode({
    log: pino({ base: null }, { write: (line: string) => void logged.push(JSON.parse(line)) }),
  })
  const nameUser = async () => {
    const body = {
      phone_country_code: '+91',
      phone_number: '9812345678',
      first_name: 'Asha',
      email: 'asha@example.com',
    }
    const response = await (await node).call('POST', '/v1/auth/token', { token: (await t.platform()).token, body })
    assert.doesNotMatch(response.text, /users_|statement/)
    assert.doesNotMatch(JSON.stringify(logged), /asha|9812345678/i)
    return response.status
  }

  it('500 is logged with the name of the statement, and nothing of its values', async () => {
    await t.sql('alter table users rename column id_proof_last4 to away')
    after(() => t.sql('alter table users rename column away to id_proof_last4'))
    assert.equal(await nameUser(), 500)
    const line = logged.find(({ msg }) => msg === 'unexpected error')
    assert.partialDeepStrictEqual(line, { error: { code: '42703', statement: 'users_insert' } })
  })

  it('503 too, with its cause: of a transaction, the statement that failed in it', async () => {
    await t.sql(`create function full_disk() returns trigger language plpgsql as
      $$ begin raise exception 'no space for asha@example.com' using errcode = '53100'; end $$`)
    await t.sql('create trigger full_disk before insert on users for each row execute function full_disk()')
    after(() => t.sql('drop trigger full_disk on users; drop function full_disk'))
    assert.equal(await nameUser(), 503)
    const line = logged.find(({ msg }) => msg === 'request failed')
    assert.partialDeepStrictEqual(line, { cause: { code: '53100', statement: 'users_insert' } })
  })

  it('names the lock of a write that failed in it', async () => {
    const lock = statement('test_lock', 'select 1 / $1::int as n')
    const write = statement('test_after_lock', 'select 2 as n')
    const failed = await failureIn(
      t.db.pipeline([
        { statement: lock, values: [0] },
        { statement: write, values: [] },
      ]),
    )
    assert.partialDeepStrictEqual(reported(failed), { code: '22012', statement: 'test_lock' })
  })
})

describe('a queue warning', () => {
  const TOO_MANY = 10_001 // the queue's own threshold is ten thousand

  it('is logged in words: a growing queue', async () => {
    const queue = await t.startQueue({ log, monitor_s: 1 })
    await queue.send(Array.from({ length: TOO_MANY }, () => ({ job: IDLE_JOB.name, data: {} })))
    const isLogged = () => lines.some(({ warning }) => /backlog.*test-backlog.*10001 jobs/.test(warning?.message ?? ''))
    await within(FOUND_WITHIN_MS, async () => isLogged())
  })
})
