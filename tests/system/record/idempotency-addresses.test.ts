import assert from 'node:assert/strict'
import { randomInt, randomUUID } from 'node:crypto'
import { afterEach, describe, it } from 'node:test'
import { createRateLimits } from '../../../src/access/rate-limits.ts'
import { createVault } from '../../../src/kernel/crypto/vault.ts'
import { requestKey, toKeyRows } from '../../../src/record/idempotency.ts'
import { ADDRESS, DEFAULT_LIMITS, ONBOARDING, openTestApp } from '../../support/app.ts'

const t = await openTestApp({ own: true })
const vault = createVault(t.keys)

afterEach(() => void (t.clock.at = undefined))

const SPONSOR = {
  name: 'Kerala Textiles',
  pan: 'AAACK1234F',
  address: ADDRESS,
  sponsor_details: { sponsor_kind: 'ORGANISATION', email: 'benefits@example.com' },
}

type Sending = { url: string; token: string; body: object; key: string }
const post = ({ url, token, body, key }: Sending, { call } = t) =>
  call('POST', url, { token, body, headers: { 'idempotency-key': key } })
const countOf = async (table: string, column: string, value: string) =>
  (await t.sql(`select from ${table} where ${column} = $1`, [value])).length

describe('an Idempotency-Key', () => {
  it('belongs to the operation and its parameters, however the URL spells them', async () => {
    const platform = await t.platform()
    const { token } = platform
    const key = randomUUID()
    const first = await post({ url: '/v1/sponsors', token, body: SPONSOR, key })
    assert.equal(first.status, 201, first.text)
    for (const url of ['/v1/%73ponsors', '/v1/sponsors?', '/%76%31/sponsors']) {
      const again = await t.app.inject({
        method: 'POST',
        url,
        headers: { authorization: `Bearer ${token}`, 'idempotency-key': key },
        payload: SPONSOR,
      })
      assert.deepEqual([again.statusCode, again.headers['idempotent-replayed']], [201, 'true'], url)
      assert.equal(again.body, first.text)
    }
    assert.equal(await countOf('sponsors', 'platform_id', platform.id), 1)
  })

  it('is the same whether a digit or a blank of a user id is escaped or not', async () => {
    const platform = await t.platform()
    const user = await t.user(platform)
    const body = { benefit_provider_id: (await t.provider()).id }
    const key = randomUUID()
    const escaped = `%3${user.id.slice(0, 1)}${user.id.slice(1)}`
    const responses = []
    for (const id of [escaped, user.id, `%20${user.id}`]) {
      responses.push(await post({ url: `/v1/users/${id}/consultations`, token: platform.token, body, key }))
    }
    assert.deepEqual(new Set(responses.map(({ text }) => text)).size, 1)
    assert.equal(await countOf('consultations', 'user_id', user.id), 1)
  })

  it('that an earlier version stored under the spelling of the URL is still found', async () => {
    const platform = await t.platform()
    const user = await t.user(platform)
    const body = { benefit_provider_id: (await t.provider()).id }
    const [caller, method] = [`platform:${platform.id}`, 'POST']
    for (const id of [user.id, `%3${user.id}`]) {
      const key = randomUUID()
      const url = `/v1/users/${id}/consultations`
      const response = { status: 201, body: { id: 'stored before' } }
      const stored = requestKey(vault, key, { caller, method, addresses: [{ path: url, url }], body })
      const rows = toKeyRows(stored, { response, at: new Date(), userId: user.id, clock: t.clock })
      for (const row of Object.values(rows).flat()) {
        await t.sql(
          `insert into idempotency_keys (key_hash, request_digest, stored_at, status, sealed, user_id)
           values ($1, $2, $3, $4, $5, $6)`,
          Object.values(row),
        )
      }
      const found = await t.app.inject({
        method,
        url,
        headers: { authorization: `Bearer ${platform.token}`, 'idempotency-key': key },
        payload: body,
      })
      assert.equal(found.body, JSON.stringify(response.body))
    }
    assert.equal(await countOf('consultations', 'user_id', user.id), 0)
  })
})

describe('a replayed response', () => {
  const phone = () => ({ phone_country_code: '+91', phone_number: String(randomInt(1e9, 1e10)) })
  const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())

  it('has an access token of the credential that asks, valid from then on', async () => {
    const platform = await t.platform()
    const { basic_token, credential_id } = await t.made('POST', `/v1/platforms/${platform.id}/credentials`, {
      token: t.owner,
    })
    const headers = { authorization: `Basic ${basic_token}` }
    const body = { grant_type: 'client_credentials' }
    const { access_token: second } = await t.made('POST', '/v1/oauth/token', { headers, body })
    const [key, url] = [randomUUID(), '/v1/auth/token']
    const input = phone()
    const first = await post({ url, token: platform.token, body: input, key })
    const again = await post({ url, token: second, body: input, key })
    assert.equal(again.headers['idempotent-replayed'], 'true')
    assert.equal(again.body.user_id, first.body.user_id)
    const { client_id, user_id } = claimsOf(again.body.access_token)
    assert.deepEqual({ client_id, user_id }, { client_id: credential_id, user_id: first.body.user_id })

    const onboarding = { url: `/v1/users/${user_id}/complete_onboarding`, body: ONBOARDING, key }
    await post({ ...onboarding, token: platform.token })
    const onboarded = await post({ ...onboarding, token: second })
    assert.equal(onboarded.headers['idempotent-replayed'], 'true')
    assert.equal(claimsOf(onboarded.body.access_token).client_id, credential_id)

    t.clock.at = new Date(Date.now() + 23 * 3_600_000)
    const { access_token: later } = await t.made('POST', '/v1/oauth/token', { headers, body })
    const next = await post({ url, token: later, body: input, key })
    assert.equal(next.headers['idempotent-replayed'], 'true')
    assert.equal((await t.call('GET', `/v1/users/${user_id}`, { token: next.body.access_token })).status, 200)
  })

  it('409 for the creation of a credential that was revoked meanwhile: its secret is not shown again', async () => {
    const platform = await t.platform()
    const creation = { url: `/v1/platforms/${platform.id}/credentials`, token: t.owner, body: {}, key: randomUUID() }
    const { body: made } = await post(creation)
    assert.equal((await post(creation)).body.basic_token, made.basic_token)
    await t.made('DELETE', `${creation.url}/${made.credential_id}`, { token: t.owner })
    const replayed = await post(creation)
    assert.deepEqual([replayed.status, replayed.body.reason], [409, 'inactive'])
    assert(!replayed.text.includes(made.basic_token))
    assert.equal(await countOf('credentials', 'owner_id', platform.id), 1)
  })
})

describe('the keys that are kept for a user', () => {
  it('429 beyond the limit of a day, without effect; a replay still gets its response, other users are not affected', async () => {
    const limits = { ...DEFAULT_LIMITS, idempotencyKeys: 3, userRate: 1_000 }
    const clock = { at: 0 }
    const node = await t.openNode({ rates: (db) => createRateLimits(db, limits, { now: () => clock.at }) })
    const platform = await t.platform()
    const [asha, ravi] = [await t.user(platform), await t.user(platform)]
    const patch = (user: typeof asha, key: string, email = 'asha@example.com') =>
      node.call('PATCH', `/v1/users/${user.id}`, {
        token: user.token,
        body: { email },
        headers: { 'idempotency-key': key },
      })
    const keys = Array.from({ length: 4 }, () => randomUUID())
    for (const key of keys.slice(0, 3)) {
      assert.equal((await patch(asha, key)).status, 200)
      assert.equal((await patch(asha, key)).headers['idempotent-replayed'], 'true')
    }
    const refused = await patch(asha, keys[3] ?? '', 'other@example.com')
    assert.deepEqual([refused.status, refused.body.code], [429, 'rate_limited'])
    assert.equal(refused.headers['retry-after'], String(8 * 3_600))
    assert.equal((await node.call('GET', `/v1/users/${asha.id}`, { token: asha.token })).body.email, 'asha@example.com')
    assert.equal((await patch(asha, keys[0] ?? '')).headers['idempotent-replayed'], 'true')
    assert.equal((await patch(ravi, randomUUID())).status, 200)
    assert.equal(await countOf('idempotency_keys', 'user_id', asha.id), 3)
    clock.at += 8 * 3_600_000
    assert.equal((await patch(asha, keys[3] ?? '', 'other@example.com')).status, 200)
  })
})
