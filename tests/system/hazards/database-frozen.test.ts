import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { assertUnavailable, eventually, openPrivateApp } from '../../support/private-database.ts'

const { t, freeze } = await openPrivateApp()
const platform = await t.platform()
const user = await t.onboardedUser(platform)
const token = platform.token

/** A client that waits for ten seconds must get its response within them. */
const CLIENT_TIMEOUT_MS = 10_000

const readUser = () => t.call('GET', `/v1/users/${user.id}`, { token })
const requestToken = (phone_number: string) =>
  t.call('POST', '/v1/auth/token', { token, body: { phone_country_code: '+91', phone_number } })
const addDependants = (...names: string[]) =>
  t.call('POST', `/v1/users/${user.id}/dependants/bulk`, {
    token,
    body: {
      dependants: names.map((first_name) => ({ first_name, last_name: 'Example', date_of_birth: '2015-08-02' })),
    },
  })

const countOf = async (table: string) => (await t.sql(`select 1 from ${table}`)).length
const within = async <T>(calls: Promise<T>[]): Promise<T[]> => {
  const started = performance.now()
  const responses = await Promise.all(calls)
  assert(performance.now() - started < CLIENT_TIMEOUT_MS, `${performance.now() - started} ms`)
  return responses
}

/** Waits until a query of the app in the database matches the condition. */
const isRunning = async (condition: string) =>
  (
    await t.sql(
      `select 1 from pg_stat_activity
        where application_name like 'banyan/%' and usename = 'banyan_app' and state = 'active' and ${condition}`,
    )
  ).length > 0

describe('PostgreSQL is frozen', () => {
  const PHONES = Array.from({ length: 12 }, (_, index) => `98000001${String(index).padStart(2, '0')}`)
  const CAUGHT = '9800000200'
  let users = 0

  it('503 before the client gives up, whether the call came before, during or after a commit', async () => {
    users = await countOf('users')
    await Promise.all(Array.from({ length: 10 }, readUser)) // every connection of the pool is open
    // Makes the commit of a new user slow from now on, so that the freeze can hit it.
    await t.sql(
      `create function slow() returns trigger language plpgsql as 'begin perform pg_sleep(0.7); return new; end'`,
    )
    await t.sql(`create constraint trigger slow after insert on users deferrable initially deferred
                   for each row execute function slow()`)
    const caught = requestToken(CAUGHT)
    while (!(await isRunning(`wait_event = 'PgSleep'`))) await sleep(5)
    const thaw = await freeze()
    try {
      const others = [...PHONES.map(requestToken), addDependants('Ravi', 'Meera'), readUser()]
      const [ready, alive, ...refused] = await within([
        t.call('GET', '/readyz'),
        t.call('GET', '/livez'),
        caught,
        ...others,
      ])
      for (const response of refused) assertUnavailable(response)
      assert.equal(ready?.status, 503)
      assert.equal(alive?.status, 200)
    } finally {
      thaw()
    }
  })

  it('200 automatically once it resumes; the commit in progress was applied, and nothing else', async () => {
    await eventually(200, readUser)
    while (await isRunning('true')) await sleep(20)
    await t.sql('drop function slow cascade')
    assert.equal(await countOf('users'), users + 1)
    assert.equal(await countOf('dependants'), 0)
  })

  it('200 for the second try, which finds what the first had done and does the rest exactly once', async () => {
    const responses = await within([CAUGHT, ...PHONES].map(requestToken))
    for (const response of responses) assert.equal(response.status, 200)
    assert.equal(await countOf('users'), users + 1 + PHONES.length)
    for (const { body } of responses) {
      const events = await t.sql('select type from events where subject = $1', [body.user_id])
      assert.deepEqual(events, [{ type: 'user.created' }])
    }
    assert.equal((await addDependants('Ravi', 'Meera')).status, 201)
    assert.equal(await countOf('dependants'), 2)
  })
})
