import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { type TestResponse, LIMITS, openTestApp } from '../../../support/app.ts'

const t = await openTestApp()
const limits = { ...LIMITS, openConsultations: 3, consultationsADay: 8, messagesADay: 4, dependants: 5, versions: 3 }
/** Two processes with these limits: the database must count what both admit concurrently. */
const nodes = [await t.openNode({ limits }), await t.openNode({ limits })] as const

afterEach(() => void (t.clock.at = undefined))

async function scene() {
  const { platform, provider } = await t.offer()
  return { platform, provider, user: await t.user(platform) }
}
type Scene = Awaited<ReturnType<typeof scene>>

function assertLimitReached(response: TestResponse | undefined, words: RegExp): void {
  assert.equal(response?.status, 409, response?.text)
  assert.deepEqual([response.body.code, response.body.reason], ['conflict', 'limit_reached'])
  assert.match(response.body.detail, words)
}

const together = (count: number, work: (node: (typeof nodes)[0], n: number) => Promise<TestResponse>) =>
  Promise.all(Array.from({ length: count }, (_, n) => work(nodes[n % 2] ?? nodes[0], n)))

/** Asserts that exactly this many were accepted and all others rejected at the limit. */
function assertLetIn(responses: TestResponse[], count: number, words: RegExp): void {
  assert.equal(responses.filter(({ status }) => status === 201).length, count)
  for (const response of responses.filter(({ status }) => status !== 201)) assertLimitReached(response, words)
}

const rowsOf = async (table: 'consultations' | 'consultation_messages' | 'dependants', { user }: Scene) =>
  (await t.sql(`select 1 from ${table} where user_id = $1`, [user.id])).length
const eventsOf = async (type: string, { user }: Scene) =>
  (await t.sql(`select 1 from events where type = $1 and data ->> 'user_id' = $2`, [type, user.id])).length

describe('open consultations of a user', () => {
  const open = ({ user, provider, platform }: Scene, node = nodes[0], token = platform.token) =>
    node.call('POST', `/v1/users/${user.id}/consultations`, { token, body: { benefit_provider_id: provider.id } })

  it('409 limit_reached above the limit, for every caller; closing one makes room', async () => {
    const one = await scene()
    const opened = [await open(one), await open(one, nodes[1], one.user.token), await open(one)]
    for (const { status } of opened) assert.equal(status, 201)
    assertLimitReached(await open(one, nodes[0], one.user.token), /at most 3 open consultations/)
    assertLimitReached(await open(one), /at most 3 open consultations/)
    assert.deepEqual([await rowsOf('consultations', one), await eventsOf('consultation.status_changed', one)], [3, 3])
    assert.equal((await open(await scene())).status, 201, 'each user has its own')

    const status = `/v1/users/${one.user.id}/consultations/${opened[0]?.body.id}/status`
    await t.made('PUT', status, { token: one.user.token, body: { status: 'CLOSED' } })
    assert.equal((await open(one)).status, 201)
    assertLimitReached(await open(one), /at most 3/)
  })

  it('201 up to exactly the limit for 12 concurrent calls on two processes', async () => {
    const one = await scene()
    assertLetIn(await together(12, (node) => open(one, node)), 3, /at most 3/)
    assert.deepEqual([await rowsOf('consultations', one), await eventsOf('consultation.status_changed', one)], [3, 3])
  })
})

describe('a user’s consultations of a day', () => {
  it('409 limit_reached above the limit although the others are closed, until the next day in India', async () => {
    const one = await scene()
    const url = `/v1/users/${one.user.id}/consultations`
    const open = (token = one.platform.token) =>
      nodes[0].call('POST', url, { token, body: { benefit_provider_id: one.provider.id } })
    for (let n = 0; n < 8; n++) {
      const opened = await open()
      assert.equal(opened.status, 201, opened.text)
      const body = { status: 'CLOSED' }
      await t.made('PUT', `${url}/${opened.body.id}/status`, { token: one.user.token, body })
    }
    assertLimitReached(await open(), /at most 8 consultations a day/)
    assert.equal(await rowsOf('consultations', one), 8)
    const { length } = await t.sql('select from consultations where user_id = $1', [one.user.id])
    assert.equal(length, 8)
    t.clock.at = new Date(Date.now() + 86_400_000)
    const { access_token } = await t.made('POST', '/v1/oauth/token', {
      headers: { authorization: `Basic ${one.platform.basicToken}` },
      body: { grant_type: 'client_credentials' },
    })
    assert.equal((await open(access_token)).status, 201)
  })
})

describe('the versions of a dependant', () => {
  it('409 limit_reached above the limit; an unchanged one is still 200', async () => {
    const one = await scene()
    const { token } = one.platform
    const dependant = {
      first_name: 'Ravi',
      last_name: 'Example',
      gender: 'MALE',
      date_of_birth: '2015-05-17',
      relation_type: 'CHILD',
    }
    const made = await nodes[0].call('POST', `/v1/users/${one.user.id}/dependants/bulk`, {
      token,
      body: { dependants: [dependant] },
    })
    assert.equal(made.status, 201, made.text)
    let id: string = made.body.data[0].id
    const correct = (first_name: string) =>
      nodes[0].call('PATCH', `/v1/users/${one.user.id}/dependants/${id}`, { token, body: { first_name } })
    for (const name of ['Rava', 'Ravu']) {
      const corrected = await correct(name)
      assert.equal(corrected.status, 200, corrected.text)
      id = corrected.body.id
    }
    assertLimitReached(await correct('Rave'), /at most 3 versions/)
    assert.equal((await correct('Ravu')).status, 200)
    assert.deepEqual([await rowsOf('dependants', one), await eventsOf('dependant.updated', one)], [3, 2])
  })
})

describe('a user’s messages per day', () => {
  const text = { body: { content: 'Hello', message_type: 'TEXT' } }
  const write = ({ user }: Scene, talk: string, token = user.token, node = nodes[0]) =>
    node.call('POST', `/v1/users/${user.id}/consultations/${talk}/messages`, { token, body: text })
  const talkOf = ({ platform, user, provider }: Scene) => t.consultation(platform, user, provider)

  it('409 limit_reached above the limit, across consultations; the other side can still write', async () => {
    t.clock.at = new Date('2026-04-01T12:00:00Z')
    const one = await scene()
    const [talk, another] = [await talkOf(one), await talkOf(one)]
    for (const id of [talk, another, talk, another]) assert.equal((await write(one, id)).status, 201)
    assertLimitReached(await write(one, talk), /at most 4 messages a day/)
    assertLimitReached(await write(one, another, one.user.token, nodes[1]), /tomorrow/)
    assert.equal((await write(one, talk, one.provider.token)).status, 201)
    assert.equal((await write(one, talk, one.platform.token)).status, 201)
    assert.equal(await rowsOf('consultation_messages', one), 6)
    const sibling = { ...one, user: await t.user(one.platform) }
    assert.equal((await write(sibling, await talkOf(sibling))).status, 201)

    t.clock.at = new Date('2026-04-01T18:29:59Z') // a second before midnight in India
    assertLimitReached(await write(one, talk, await freshToken(one)), /at most 4/)
    t.clock.at = new Date('2026-04-01T18:30:00Z')
    const token = await freshToken(one)
    for (let n = 0; n < 4; n++) assert.equal((await write(one, talk, token)).status, 201)
    assertLimitReached(await write(one, talk, token), /at most 4/)
  })

  it('201 up to exactly the limit for 12 concurrent calls on two processes', async () => {
    const one = await scene()
    const talk = await talkOf(one)
    assert.equal((await write(one, talk)).status, 201)
    assertLetIn(await together(12, (node) => write(one, talk, one.user.token, node)), 3, /at most 4/)
    assert.equal(await rowsOf('consultation_messages', one), 4)
    assert.equal(await eventsOf('consultation.message_created', one), 4)
  })

  it('201 for each of many users writing concurrently, each counted separately', async () => {
    const scenes = await Promise.all(Array.from({ length: 10 }, scene))
    const talks = await Promise.all(scenes.map(talkOf))
    for (let round = 0; round < 4; round++) {
      const responses = await Promise.all(scenes.map((one, n) => write(one, talks[n] ?? '')))
      for (const response of responses) assert.equal(response.status, 201, response.text)
    }
    const written = await t.sql('select written from message_counts where user_id = any ($1)', [
      scenes.map(({ user }) => user.id),
    ])
    assert.deepEqual(
      written,
      Array.from({ length: 10 }, () => ({ written: 4 })),
    )
    for (const [n, one] of scenes.entries()) assertLimitReached(await write(one, talks[n] ?? ''), /at most 4/)
  })

  it('201 after counts by a node whose clock was years ahead', async () => {
    const one = await scene()
    const talk = await talkOf(one)
    await t.sql(`insert into message_counts (user_id, day, written) values ($1, '2050-01-01', 4)`, [one.user.id])
    for (let n = 0; n < 4; n++) assert.equal((await write(one, talk)).status, 201)
    assertLimitReached(await write(one, talk), /at most 4/)
  })

  /** Tokens live for an hour of the clock that the test sets. */
  async function freshToken({ platform, user }: Scene): Promise<string> {
    const body = { phone_country_code: '+91', phone_number: user.phone }
    const headers = { authorization: `Basic ${platform.basicToken}` }
    const grant = { grant_type: 'client_credentials' }
    const { access_token: token } = await t.made('POST', '/v1/oauth/token', { headers, body: grant })
    return (await t.made('POST', '/v1/auth/token', { token, body })).access_token
  }
})

describe('a user’s dependants', () => {
  const family = (from: number, count: number) =>
    Array.from({ length: count }, (_, n) => ({
      first_name: `Ravi ${from + n}`,
      last_name: 'Example',
      date_of_birth: '2015-08-02',
    }))
  const register = ({ user }: Scene, dependants: object[], node = nodes[0]) =>
    node.call('POST', `/v1/users/${user.id}/dependants/bulk`, { token: user.token, body: { dependants } })

  it('409 limit_reached when a call would exceed the limit: none of them is registered; corrections do not count', async () => {
    const one = await scene()
    assertLimitReached(await register(one, family(0, 6)), /at most 5 dependants; 0 are registered/)
    const registered = await register(one, family(0, 3))
    assert.equal(registered.status, 201)
    assertLimitReached(await register(one, family(3, 3)), /at most 5 dependants; 3 are registered/)
    assert.equal(await rowsOf('dependants', one), 3)
    const child = `/v1/users/${one.user.id}/dependants/${registered.body.data[0].id}`
    await t.made('PATCH', child, { token: one.user.token, body: { first_name: 'Kiran' } })
    assert.equal((await register(one, family(3, 2))).status, 201)
    assertLimitReached(await register(one, family(5, 1)), /5 are registered/)
    assert.equal((await register(await scene(), family(0, 5))).status, 201, 'each user has its own')
    assert.equal(await eventsOf('dependants.created', one), 2)
  })

  it('201 up to exactly the limit for 12 concurrent calls on two processes', async () => {
    const one = await scene()
    assertLetIn(await together(12, (node, n) => register(one, family(n, 1), node)), 5, /at most 5/)
    assert.deepEqual([await rowsOf('dependants', one), await eventsOf('dependants.created', one)], [5, 5])
  })
})
