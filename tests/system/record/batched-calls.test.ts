import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { after, describe, it } from 'node:test'
import pg from 'pg'
import type { Database } from '../../../src/kernel/db/database.ts'
import { type TestResponse, openTestApp, type TestUser } from '../../support/app.ts'
import { openSessions } from '../../support/sessions.ts'

/** This many calls of a node go first, so that the others are all in one statement. */
const OPENERS = 4
const NEIGHBOURS = 12

type Interruption = { statement: string; about: string; first: () => Promise<unknown> }

/** A hook run once before a shared statement is sent, and the errors of statements. */
const watch = { interruption: undefined as Interruption | undefined, failures: [] as string[] }

function watched(db: Database): Database {
  return {
    ...db,
    async query(step, values = []) {
      const { interruption } = watch
      if (interruption?.statement === step.name && String(values[0]).includes(interruption.about)) {
        watch.interruption = undefined
        await interruption.first()
      }
      return db.query<never>(step, values).catch((error: unknown) => {
        const { code } = ((error as Error).cause ?? error) as { code?: string }
        watch.failures.push(`${step.name} ${code}`)
        throw error
      })
    },
  }
}

const t = await openTestApp({ own: true })
const node = await t.openNode({ watched })
const other = await t.openNode({ watched })
const platform = await t.platform()
const { signIn } = openSessions(t)

const HELD = 'held@example.com'
const FREE = 'free@example.com'

const somePhone = () => String(randomInt(1e9, 1e10))

const letIn = (phone_number: string, input: object = {}, { call } = node) =>
  call('POST', '/v1/auth/token', {
    token: platform.token,
    body: { phone_country_code: '+91', phone_number, ...input },
  })

const refresh = (refresh_token: string, { call } = node) =>
  call('POST', '/wallet/v1/auth/token/refresh', { body: { refresh_token } })

const users = (count: number) => Promise.all(Array.from({ length: count }, () => t.user(platform)))
const phones = (count: number) => Array.from({ length: count }, somePhone)

/** Locks rows from another connection until it releases them. */
async function holding(text: string, values: unknown[]) {
  const client = new pg.Client({ connectionString: t.ownerUrl, options: '-c search_path=banyan' })
  await client.connect()
  await client.query('begin')
  await client.query(text, values)
  let ending: Promise<void> | undefined
  const letGo = () => (ending ??= client.end())
  after(letGo)
  return letGo
}

function assertAll(responses: TestResponse[], status: number): void {
  for (const response of responses) assert.equal(response.status, status, response.text)
}

const profileOf = async ({ id }: { id: string }) =>
  (await t.made('GET', `/v1/users/${id}`, { token: platform.token })) as { email: string; last_name: string }

describe('calls in one statement', () => {
  it('are not delayed when rows next to theirs are locked: users', async () => {
    const [held, free] = [await users(4), await users(NEIGHBOURS)]
    const letGo = await holding('select from users where user_id = any ($1) for update', [held.map(({ id }) => id)])
    const reported: TestResponse[] = []
    const waiting = held.map((one) => letIn(one.phone, { email: HELD }).then((response) => reported.push(response)))
    assertAll(await Promise.all(free.map(({ phone }) => letIn(phone, { email: FREE }))), 200)
    assert.equal(reported.length, 0, 'the others still wait')
    await letGo()
    await Promise.all(waiting)
    assertAll(reported, 200)
    for (const one of held) assert.equal((await profileOf(one)).email, HELD)
    for (const one of free) assert.equal((await profileOf(one)).email, FREE)
  })

  it('are not delayed when rows next to theirs are locked: refreshes', async () => {
    const [held, free] = [await users(4), await users(NEIGHBOURS)]
    const tokensOf = async (some: TestUser[]) => {
      const tokens: string[] = []
      for (const one of some) tokens.push((await signIn(platform, one)).refresh_token)
      return tokens
    }
    const [theirs, ours] = [await tokensOf(held), await tokensOf(free)]
    const ids = held.map(({ id }) => id)
    const letGo = await holding('select from refresh_families where user_id = any ($1) for update', [ids])
    const reported: TestResponse[] = []
    const waiting = theirs.map((token) => refresh(token).then((response) => reported.push(response)))
    assertAll(await Promise.all(ours.map((token) => refresh(token))), 200)
    assert.equal(reported.length, 0, 'the others still wait')
    await letGo()
    await Promise.all(waiting)
    assertAll(reported, 200)
    for (const { body } of reported) assert.equal((await refresh(body.refresh_token)).status, 200)
  })

  it('do not fail for one whose phone was taken a moment before: it gets that user', async () => {
    const [taken, ...free] = phones(OPENERS + NEIGHBOURS) as [string, ...string[]]
    const hash = t.deps.vault.blindIndex('phone', `${platform.id}\0+91${taken}`).toString('hex')
    const inserting = free.slice(0, OPENERS).map((phone) => letIn(phone))
    const winners: TestResponse[] = []
    watch.interruption = {
      statement: 'users_insert_many',
      about: hash,
      first: async () => void winners.push(await letIn(taken, {}, other)),
    }
    const [response, ...others] = await Promise.all([taken, ...free.slice(OPENERS)].map((phone) => letIn(phone)))
    assertAll([...(await Promise.all(inserting)), ...winners, ...others, response as TestResponse], 200)
    assert.equal(winners.length, 1)
    assert.equal(response?.body.user_id, winners[0]?.body.user_id)
    const rows = await t.sql(`select u.user_id from users u left join user_phones p using (user_id) where p is null`)
    assert.deepEqual(rows, [], 'nobody is there without a phone')
  })

  it('overwrite nothing that another changed since it was read', async () => {
    const [changed, ...free] = (await users(OPENERS + NEIGHBOURS)) as [TestUser, ...TestUser[]]
    const opening = free.slice(0, OPENERS).map(({ phone }) => letIn(phone, { email: FREE }))
    const between: TestResponse[] = []
    watch.interruption = {
      statement: 'users_update_profile_many',
      about: changed.id,
      first: async () => void between.push(await letIn(changed.phone, { last_name: 'Between' }, other)),
    }
    const calls = [changed, ...free.slice(OPENERS)].map(({ phone }) => letIn(phone, { email: FREE }))
    assertAll([...(await Promise.all(calls)), ...(await Promise.all(opening)), ...between], 200)
    assert.equal(between.length, 1)
    const { email, last_name } = await profileOf(changed)
    assert.deepEqual([email, last_name], [FREE, 'Between'])
    for (const one of free) assert.equal((await profileOf(one)).email, FREE)
    const reported = await t.sql(`select 1 from events where type = 'user.updated' and subject = $1`, [changed.id])
    assert.equal(reported.length, 2)
  })

  it('in two statements that want the same rows in opposite orders do not deadlock', async () => {
    // Each row takes time, so that the two certainly run concurrently.
    await t.sql(`create function linger() returns trigger language plpgsql as $$
      begin perform pg_sleep(0.03); return new; end $$`)
    await t.sql('create trigger linger before insert on user_phones for each row execute function linger()')
    const wanted = phones(NEIGHBOURS)
    watch.failures = []
    const [there, back] = await Promise.all([
      Promise.all([...phones(OPENERS), ...wanted].map((phone) => letIn(phone, {}, node))),
      Promise.all([...phones(OPENERS), ...wanted.toReversed()].map((phone) => letIn(phone, {}, other))),
    ])
    await t.sql('drop trigger linger on user_phones')
    assertAll([...there, ...back], 200)
    const idOf = ({ body }: TestResponse) => String(body.user_id)
    assert.deepEqual(there.slice(OPENERS).map(idOf), back.slice(OPENERS).map(idOf).toReversed())
    assert.deepEqual(
      watch.failures.filter((failure) => !failure.endsWith(' 23505')),
      [],
    )
    assert(watch.failures.includes('users_insert_many 23505'), 'the two did meet')
  })
})
