import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { createRateLimits } from '../../../src/access/rate-limits.ts'
import { DEFAULT_LIMITS, openTestApp, type TestResponse } from '../../support/app.ts'

const KIB = 1024

const t = await openTestApp({ own: true })
const limits = {
  ...DEFAULT_LIMITS,
  platformRate: 40,
  userRate: 5,
  signIns: 4,
  tokenRequests: 4,
  operatorEvents: 4,
  refreshes: 4,
  logins: 4,
}

/** The clock of the limits; it stands still until a test sets it. */
const clock = { at: 0 }
beforeEach(() => void (clock.at += 3_600_000))

const node = await t.openNode({ rates: (db) => createRateLimits(db, limits, { now: () => clock.at }) })
const platform = await t.platform()
const user = await t.user(platform)

const JSON_TYPE = { 'content-type': 'application/json' }
/** The operations that read a body before they know who sends it. */
const ANONYMOUS: Record<string, { policy: string; headers?: Record<string, string> }> = {
  '/wallet/v1/auth/otp': { policy: '"sign_ins_of_address";q=4;w=60' },
  '/wallet/v1/auth/otp/verify': { policy: '"sign_ins_of_address";q=4;w=60' },
  '/wallet/v1/auth/token/refresh': { policy: '"refreshes_of_address";q=4;w=60' },
  '/wallet/v1/auth/logout': { policy: '"refreshes_of_address";q=4;w=60' },
  '/wallet/v1/operator/events': { policy: '"operator_events_of_address";q=4;w=60' },
  '/v1/oauth/token': { policy: '"token_requests_of_address";q=4;w=60' },
  '/v1/auth/logout': { policy: '"logins_of_address";q=4;w=60', headers: { 'sec-fetch-site': 'same-origin' } },
}

/** A JSON object of exactly this many bytes, with one unknown member. */
const objectOf = (bytes: number) => `{"x":"${'x'.repeat(bytes - 8)}"}`
const post = (path: string, body: string | Buffer, headers: Record<string, string> = JSON_TYPE) =>
  node.call('POST', path, { body, headers })

function assertRefused({ status, body }: TestResponse, expected: { status: number; code: string }): void {
  assert.deepEqual({ status, code: body.code }, expected)
}

describe('a body of somebody who is not known yet', () => {
  for (const [path, { headers }] of Object.entries(ANONYMOUS)) {
    it(`413 beyond 4 KiB: ${path}`, async () => {
      const all = { ...JSON_TYPE, ...headers }
      const longest = await post(path, objectOf(4 * KIB), all)
      assert.notEqual(longest.status, 413, longest.text)
      const response = await post(path, objectOf(4 * KIB + 1), all)
      assertRefused(response, { status: 413, code: 'payload_too_large' })
      assert.match(response.body.detail, /at most 4 KiB/)
    })
  }

  it('413 for a form too, which only the token endpoint reads', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const response = await post('/v1/oauth/token', `grant_type=client_credentials&x=${'x'.repeat(4 * KIB)}`, headers)
    assertRefused(response, { status: 413, code: 'payload_too_large' })
  })

  for (const [path, { policy, headers }] of Object.entries(ANONYMOUS)) {
    it(`429 for an address that sends malformed ones, before they are read: ${path}`, async () => {
      const all = { ...JSON_TYPE, ...headers }
      for (let n = 0; n < 4; n++) {
        const { status, headers: sent } = await post(path, '{"a":', all)
        assert(status === 400 || status === 401, `${status}`)
        assert.equal(sent['ratelimit-policy'], policy)
      }
      const large = await post(path, objectOf(4 * KIB + 1), all)
      assertRefused(large, { status: 429, code: 'rate_limited' })
      assert.equal(large.headers['ratelimit-policy'], policy)
      assert(Number(large.headers['retry-after']) >= 1)
      assertRefused(await post(path, '{"a":', all), { status: 429, code: 'rate_limited' })
    })
  }
})

describe('a JSON body', () => {
  const search = (body: string) =>
    node.call('POST', '/v1/users/search', { token: platform.token, body, headers: JSON_TYPE })
  const items = (count: number) => `{"x":[${Array.from({ length: count }, () => '0').join()}]}`
  const members = (count: number) => `{${Array.from({ length: count }, (_, n) => `"k${n}":0`).join()}}`

  it('413 beyond 5,000 values, however they are arranged', async () => {
    // The array itself, and the empty objects within it, are values too.
    for (const body of [items(5_000), members(5_001), `{"x":[${'[],'.repeat(4_999)}{}]}`]) {
      const response = await search(body)
      assertRefused(response, { status: 413, code: 'payload_too_large' })
      assert.match(response.body.detail, /5,000 values/)
    }
    for (const body of [items(4_999), members(5_000)]) assert.equal((await search(body)).status, 422)
  })
})

describe('a body that costs more than a usual request', () => {
  const BULK = `/v1/users/${user.id}/dependants/bulk`
  const send = (token: string, body: string, headers: Record<string, string> = JSON_TYPE) =>
    node.call('POST', BULK, { token, body, headers })
  const left = ({ headers }: TestResponse) => Number(/;r=(\d+)/.exec(String(headers['ratelimit']))?.[1])

  it('counts once for each 8 KiB against the limit of its caller', async () => {
    assert.equal(left(await send(platform.token, objectOf(8 * KIB - 1))), 39)
    assert.equal(left(await send(platform.token, objectOf(8 * KIB))), 37)
    assert.equal(left(await send(platform.token, objectOf(100 * KIB))), 24)
    const tooMuch = await send(platform.token, objectOf(256 * KIB))
    assertRefused(tooMuch, { status: 429, code: 'rate_limited' })
    assert.equal(left(tooMuch), 24, 'a rejected one costs nothing')
    assert.equal(tooMuch.headers['retry-after'], '1')
    assert.equal(left(await send(platform.token, '{}')), 23)
  })

  it('is admitted where it costs more than the whole limit, by a caller who has sent nothing else', async () => {
    assert.equal(left(await send(user.token, objectOf(256 * KIB))), 0)
    assertRefused(await send(user.token, '{}'), { status: 429, code: 'rate_limited' })
    clock.at += 1_000
    assert.equal((await send(user.token, objectOf(256 * KIB))).status, 422)
  })

  it('counts as much when its length was not announced', async () => {
    const chunked = { ...JSON_TYPE, 'transfer-encoding': 'chunked' }
    const post = (bytes: number) => send(platform.token, objectOf(bytes), chunked)
    assert.equal(left(await post(100 * KIB)), 27)
    assert.equal(left(await post(100 * KIB)), 14)
    const tooMuch = await post(200 * KIB)
    assertRefused(tooMuch, { status: 429, code: 'rate_limited' })
    assert.equal(left(tooMuch), 13, 'the request itself was counted when it began')
  })

  it('counts once for each five dependants of a bulk, however few bytes they have', async () => {
    const of = (count: number) => JSON.stringify({ dependants: Array.from({ length: count }, () => ({})) })
    assert.equal(left(await send(platform.token, of(4))), 39)
    assert.equal(left(await send(platform.token, of(50))), 28)
    assert.equal(left(await send(platform.token, of(50))), 17)
    assert.equal(left(await send(platform.token, of(50))), 6)
    const tooMuch = await send(platform.token, of(50))
    assertRefused(tooMuch, { status: 429, code: 'rate_limited' })
    assert.equal(left(tooMuch), 5, 'the request itself was counted when it began')
    for (const dependants of ['"four"', 'null', '{"length":50}'])
      assert.equal((await send(platform.token, `{"dependants":${dependants}}`)).status, 422)
    assert.equal((await send(user.token, of(50))).status, 422, 'admitted where nothing else was sent')
    assertRefused(await send(user.token, '{}'), { status: 429, code: 'rate_limited' })
  })

  it('counts once for each 256 KiB of an upload', async () => {
    const { headers } = await node.call(
      'PUT',
      `/v1/users/${user.id}/insurance_policies/none/documents/policy_certificate`,
      {
        token: (await t.provider()).token,
        body: Buffer.alloc(1_024 * KIB, '%'),
        headers: { 'content-type': 'application/pdf' },
      },
    )
    assert.equal(headers['ratelimit'], '"benefit_provider";r=195;t=1')
  })
})
