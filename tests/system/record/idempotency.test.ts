import assert from 'node:assert/strict'
import { randomInt, randomUUID } from 'node:crypto'
import { afterEach, describe, it } from 'node:test'
import { deleteOldIdempotencyKeys } from '../../../src/record/idempotency.ts'
import { type TestResponse, type CallFunction, ONBOARDING, PLAN, openTestApp } from '../../support/app.ts'
import { startDatabaseProxy } from '../../support/database-proxy.ts'
import { DEADLINE_MS, within } from '../../support/deadline.ts'
import { errorsOf } from '../../support/problems.ts'
import { everythingStored } from '../../support/stored.ts'

const t = await openTestApp({ own: true })
const otherNode = await t.openNode()

const AT_ONCE = 20

afterEach(() => void (t.clock.at = undefined))

type Request = { url: string; token: string; body?: object }

const send = ({ url, token, body }: Request, key?: string, call: CallFunction = t.call) =>
  call('POST', url, { token, ...(body && { body }), headers: key === undefined ? {} : { 'idempotency-key': key } })

const countOf = async (table: string, where: string, value: string) =>
  (await t.sql(`select 1 from ${table} where ${where} = $1`, [value])).length

const keptCount = async () => (await t.sql('select 1 from idempotency_keys')).length

/** An access token is issued again for the caller who repeats the request. */
const withoutToken = ({ text }: TestResponse) => text.replace(/"access_token":"[^"]+"/, '')

function assertReplayed(again: TestResponse, first: TestResponse): void {
  assert.deepEqual([again.status, withoutToken(again)], [first.status, withoutToken(first)])
  for (const name of ['location', 'etag', 'content-type']) assert.equal(again.headers[name], first.headers[name], name)
  assert.equal(again.headers['idempotent-replayed'], 'true')
}

function assertFirst(response: TestResponse, status: number): void {
  assert.deepEqual([response.status, response.headers['idempotent-replayed']], [status, undefined], response.text)
}

const somePhone = () => ({ phone_country_code: '+91', phone_number: String(randomInt(1e9, 1e10)) })

/** A record that would exist twice if the call were applied twice, and its count. */
type Effect = { request: Request; other: object; status: number; count: () => Promise<number> }

async function opening(): Promise<Effect> {
  const [platform, provider] = [await t.platform(), await t.provider()]
  const user = await t.user(platform)
  return {
    request: {
      url: `/v1/users/${user.id}/consultations`,
      token: user.token,
      body: { benefit_provider_id: provider.id },
    },
    other: { benefit_provider_id: (await t.provider()).id },
    status: 201,
    count: () => countOf('consultations', 'user_id', user.id),
  }
}

async function writing(): Promise<Effect> {
  const [platform, provider] = [await t.platform(), await t.provider()]
  const user = await t.user(platform)
  const id = await t.consultation(platform, user, provider)
  const text = (content: string) => ({ body: { content, message_type: 'TEXT' } })
  return {
    request: { url: `/v1/users/${user.id}/consultations/${id}/messages`, token: user.token, body: text('Hello') },
    other: text('Hallo'),
    status: 201,
    count: () => countOf('consultation_messages', 'consultation_id', id),
  }
}

/** Two of these calls wait for each other at the key only: a new benefit touches nothing that is there. */
async function offering(): Promise<Effect> {
  const [platform, provider] = [await t.platform(), await t.provider()]
  const sponsor = await t.sponsor(platform)
  const body = { name: 'Health cover', benefit_provider_id: provider.id, sponsor_id: sponsor, plans: [PLAN] }
  return {
    request: { url: '/v1/benefits', token: t.owner, body },
    other: { ...body, name: 'Other cover' },
    status: 201,
    count: () => countOf('benefits', 'sponsor_id', sponsor),
  }
}

async function signingUp(): Promise<Effect> {
  const platform = await t.platform()
  return {
    request: { url: '/v1/auth/token', token: platform.token, body: somePhone() },
    other: somePhone(),
    status: 200,
    count: () => countOf('users', 'platform_id', platform.id),
  }
}

async function requestingAnAccount(): Promise<Effect> {
  const platform = await t.platform()
  const user = await t.onboardedUser(platform)
  return {
    request: { url: `/v1/users/${user.id}/accounts`, token: user.token, body: { account_type: 'HSA' } },
    other: { account_type: 'EDUCATION' },
    status: 201,
    count: async () => (await countOf('accounts', 'user_id', user.id)) - 1, // one is created by onboarding
  }
}

async function creatingACredential(): Promise<Effect> {
  const platform = await t.platform()
  return {
    request: { url: `/v1/platforms/${platform.id}/credentials`, token: t.owner },
    other: { ignored: true },
    status: 201,
    count: async () => (await countOf('credentials', 'owner_id', platform.id)) - 1, // the platform has one to call with
  }
}

const EFFECTS = { opening, writing, offering, signingUp, requestingAnAccount, creatingACredential }

describe('a POST with an Idempotency-Key', () => {
  for (const [name, effect] of Object.entries(EFFECTS)) {
    it(`${AT_ONCE} concurrent identical calls on two nodes have one effect and one response, byte for byte: ${name}`, async () => {
      const { request, status, count } = await effect()
      const key = randomUUID()
      const responses = await Promise.all(
        Array.from({ length: AT_ONCE }, (_, index) => send(request, key, index % 2 ? t.call : otherNode.call)),
      )
      const [first, ...others] = responses.filter((response) => response.headers['idempotent-replayed'] === undefined)
      assert(first && others.length === 0, `${others.length + 1} calls were the first`)
      assertFirst(first, status)
      for (const response of responses.filter((one) => one !== first)) assertReplayed(response, first)
      assert.equal(await count(), 1)
    })

    it(`422 idempotency_key_reused with another body, without effect: ${name}`, async () => {
      const { request, other, status, count } = await effect()
      const key = randomUUID()
      const first = await send(request, key)
      assertFirst(first, status)
      const reused = await send({ ...request, body: other }, key)
      assert.deepEqual([reused.status, reused.body.code], [422, 'idempotency_key_reused'], reused.text)
      assert.equal(await count(), 1)
      assertReplayed(await send(request, key), first)
    })
  }

  it('has an effect for each caller, each URL and each key', async () => {
    const platform = await t.platform()
    const [user, sibling] = [await t.user(platform), await t.user(platform)]
    const body = { benefit_provider_id: (await t.provider()).id }
    const key = randomUUID()
    const at = (holder: { id: string }, token: string) => ({ url: `/v1/users/${holder.id}/consultations`, token, body })
    assertFirst(await send(at(user, user.token), key), 201)
    assertFirst(await send(at(user, platform.token), key), 201)
    assertFirst(await send(at(sibling, platform.token), key), 201)
    assertFirst(await send(at(user, user.token), randomUUID()), 201)
    assert.deepEqual(
      [await countOf('consultations', 'user_id', user.id), await countOf('consultations', 'user_id', sibling.id)],
      [3, 1],
    )
  })

  it('has an effect for each method: a key used to change a benefit can be used to delete it', async () => {
    const benefit = await t.benefit(await t.platform(), await t.provider())
    const request = { token: t.operator, headers: { 'idempotency-key': randomUUID() } }
    const url = `/v1/benefits/${benefit}`
    assertFirst(await t.call('PATCH', url, { ...request, body: { name: 'Renamed' } }), 200)
    assertFirst(await t.call('DELETE', url, request), 200)
    assert.equal((await t.made('GET', url, { token: t.operator })).status, 'ARCHIVED')
  })

  it('422 idempotency_key_reused with another query: the response must not claim that tokens were kept', async () => {
    const platform = await t.platform()
    const request = { token: t.operator, headers: { 'idempotency-key': randomUUID() } }
    const url = `/v1/platforms/${platform.id}/credentials/${platform.credentialId}`
    const first = await t.call('DELETE', url, request)
    assertFirst(first, 200)
    const other = await t.call('DELETE', `${url}?keep_user_tokens=true`, request)
    assert.deepEqual([other.status, other.body.code], [422, 'idempotency_key_reused'])
    assertReplayed(await t.call('DELETE', url, request), first)
  })

  it('is repeated although the state has changed and it would now be rejected', async () => {
    const { request } = await writing()
    const key = randomUUID()
    const first = await send(request, key)
    const { id } = first.body
    const status = request.url.replace('/messages', '/status')
    await t.made('PUT', status, { token: request.token, body: { status: 'CLOSED' } })
    assertReplayed(await send(request, key), first)
    assert.equal((await send(request, randomUUID())).status, 409)
    const stored = await t.sql('select message_id from consultation_messages where message_id >= $1', [id])
    assert.deepEqual(stored, [{ message_id: id }])
  })

  it('stores a response without a write', async () => {
    const platform = await t.platform()
    const user = await t.user(platform)
    const request = { url: `/v1/users/${user.id}/complete_onboarding`, token: user.token, body: ONBOARDING }
    const first = await send(request)
    const key = randomUUID()
    const second = await send(request, key)
    assertFirst(second, 200)
    assert.notEqual(second.body.access_token, first.body.access_token)
    assertReplayed(await send(request, key), second)
  })

  it('stores no error: the call succeeds once it is possible', async () => {
    const platform = await t.platform()
    const user = await t.user(platform)
    const request = { url: `/v1/users/${user.id}/accounts`, token: user.token, body: { account_type: 'HSA' } }
    const key = randomUUID()
    const before = await keptCount()
    for (let times = 0; times < 2; times++) {
      const refused = await send(request, key)
      assert.deepEqual([refused.status, refused.headers['idempotent-replayed']], [409, undefined])
    }
    assert.equal(await keptCount(), before)
    await t.made('POST', `/v1/users/${user.id}/complete_onboarding`, { token: user.token, body: ONBOARDING })
    assertFirst(await send(request, key), 201)
    assert.equal(await countOf('accounts', 'user_id', user.id), 2)
  })

  it('is free again after a day, before and after the purge', async () => {
    const platform = await t.platform()
    const user = await t.user(platform)
    const [one, other] = [await t.provider(), await t.provider()]
    const key = randomUUID()
    let today = 0
    /** Lets what is stored grow older, until this day of the test. */
    const until = async (days: number) => {
      const passed = days - today
      today = days
      await t.sql(`update idempotency_keys set stored_at = stored_at - $1 * interval '1 day'`, [passed])
    }
    const post = (body: object) => send({ url: `/v1/users/${user.id}/consultations`, token: user.token, body }, key)
    const later = async (days: number, body: object) => {
      await until(days)
      return post(body)
    }
    const [input, otherInput] = [{ benefit_provider_id: one.id }, { benefit_provider_id: other.id }]
    const count = () => countOf('consultations', 'user_id', user.id)

    const first = await later(0, input)
    assertReplayed(await later(0.999, input), first)
    assertFirst(await later(1.001, otherInput), 201)
    assert.equal(await count(), 2)
    await until(2.002)
    const responses = await Promise.all(Array.from({ length: AT_ONCE }, () => post(input)))
    const firsts = responses.filter((response) => response.headers['idempotent-replayed'] === undefined)
    assert.deepEqual([firsts.length, await count()], [1, 3])

    await until(3.1)
    await deleteOldIdempotencyKeys(t.db)
    assert.equal(await keptCount(), 0)
    assertFirst(await post(input), 201)
  })

  it('422 for a malformed key, without effect', async () => {
    const { request, count } = await opening()
    for (const key of ['', 'two words', 'naïve', 'k'.repeat(256), 'tab\there']) {
      assert.deepEqual(errorsOf(await send(request, key)), ['header:idempotency-key format'], key)
    }
    assert.equal(await count(), 0)
    for (const key of ['k', '"quoted"', 'k'.repeat(255)]) assertFirst(await send(request, key), 201)
  })
})

describe('a connection lost after the work and before the response', () => {
  for (const [name, effect] of Object.entries(EFFECTS)) {
    it(`503, and the same call again gets the response; it is done once: ${name}`, async () => {
      const { request, status, count } = await effect()
      const key = randomUUID()
      const state = { isKeyed: false, isPipelined: false, wasCut: false }
      const way = await startDatabaseProxy(t.appUrl, {
        onRequest: (bytes) => {
          state.isKeyed ||= bytes.includes('_keyed')
          state.isPipelined ||= bytes.includes('begin')
        },
        onResponse: (bytes) => {
          if (!state.isKeyed || state.wasCut) return
          if (state.isPipelined && !bytes.includes('COMMIT')) return
          state.wasCut = true
          way.cut()
        },
      })
      const node = await t.openNode({ url: way.url })
      const lost = await send(request, key, node.call)
      assert.deepEqual([lost.status, lost.body.code, state.wasCut], [503, 'unavailable', true])
      await within(DEADLINE_MS, async () => (await count()) === 1)

      const again = await send(request, key)
      assert.deepEqual([again.status, again.headers['idempotent-replayed']], [status, 'true'], again.text)
      way.remedy()
      assertReplayed(await send(request, key, node.call), again)
      assert.equal(await count(), 1)
    })
  }

  it('a response with a secret stays valid: nobody has seen it before', async () => {
    const { request, count } = await creatingACredential()
    const key = randomUUID()
    await send(request, key)
    const again = await send(request, key)
    const headers = { authorization: `Basic ${again.body.basic_token}` }
    await t.made('POST', '/v1/oauth/token', { headers, body: { grant_type: 'client_credentials' } })
    assert.equal(await count(), 1)
  })
})

describe('the stored response', () => {
  it('is missing without a key', async () => {
    const before = await keptCount()
    for (const effect of Object.values(EFFECTS)) {
      const { request, status } = await effect()
      assert.equal((await send(request)).status, status)
    }
    assert.equal(await keptCount(), before)
  })

  it('has nothing in clear text: neither key nor request nor response', async () => {
    const [message, letIn, credential] = [await writing(), await signingUp(), await creatingACredential()]
    const secret = `Sealed${randomUUID()}`
    message.request.body = { body: { content: secret, message_type: 'TEXT' } }
    const key = `key-${randomUUID()}`
    const clear = [secret, key]
    for (const { request } of [message, letIn, credential]) {
      const { body } = await send(request, key)
      clear.push(...[body.access_token?.split('.')[2], body.basic_token].filter(Boolean))
    }
    clear.push((letIn.request.body as { phone_number: string }).phone_number)
    assert.equal(clear.length, 5)
    const stored = await everythingStored(t)
    assert.match(stored, /idempotency|\\x[0-9a-f]{64}/)
    for (const text of clear) {
      for (const input of [text, Buffer.from(text).toString('hex'), Buffer.from(text).toString('base64url')]) {
        assert(!stored.includes(input), text.slice(0, 8))
      }
    }
  })
})
