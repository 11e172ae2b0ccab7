import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createRateLimits } from '../../src/access/rate-limits.ts'
import { READ_INTERVAL_MS } from '../../src/access/web-origins.ts'
import { DEFAULT_LIMITS, openTestApp, ORIGIN, type TestPlatform, type TestResponse } from '../support/app.ts'
import { beginSession, SESSION_COOKIE } from '../support/administrators.ts'
import { ADMIN_KEYS } from '../support/keys.ts'
import { assertHidden, assertReadable, corsOf } from './pages.ts'

const t = await openTestApp()
const [platform, other] = [await t.platform(), await t.platform()]
const user = await t.onboardedUser(platform)
const provider = await t.provider()
const wallet = await t.wallet(platform, user)

const OWN = 'https://app.own.example'
const APP = 'capacitor://localhost'
const SHARED = 'http://localhost:5173'
const OTHERS = 'https://app.other.example'
const UNKNOWN = 'https://unknown.example'

async function name({ id }: TestPlatform, web_origins: string[]): Promise<void> {
  await t.made('PUT', `/v1/platforms/${id}/web_origins`, { token: t.operator, body: { web_origins } })
  await t.webOrigins.read()
}
await name(platform, [OWN, APP, SHARED])
await name(other, [OTHERS, SHARED])

const KNOWN = [OWN, APP, SHARED, OTHERS]
const assertSeen = (response: TestResponse, origin: string) =>
  KNOWN.includes(origin) ? assertReadable(response, origin) : assertHidden(response)

type Caller = { token?: string; adminKey?: string; headers?: Record<string, string> }
type Kind = { method: string; url: string; call: Caller; body?: object; status: number }

const users = { token: user.token }
const URL = `/v1/users/${user.id}`

/** Requests of those who may call from a page of their platform. */
const OF_USERS: Record<string, Kind> = {
  'a read with a user’s token': { method: 'GET', url: URL, call: users, status: 200 },
  'a list with a user’s token': { method: 'GET', url: `${URL}/insurance_policies`, call: users, status: 200 },
  'a write with a user’s token': {
    method: 'PATCH',
    url: URL,
    call: users,
    body: { email: 'page@example.com' },
    status: 200,
  },
  'a write that is wrong': { method: 'PATCH', url: URL, call: users, body: { email: 'page' }, status: 422 },
  'a record that is missing': { method: 'GET', url: `${URL}/accounts/acc_missing`, call: users, status: 404 },
  'an operation of others': { method: 'GET', url: '/v1/platforms', call: users, status: 403 },
  'a read with a wallet’s token': {
    method: 'GET',
    url: '/wallet/v1/wallet',
    call: { token: wallet.token },
    status: 200,
  },
}

const ask = ({ method, url, call, body }: Kind, origin?: string, headers: Record<string, string> = {}) =>
  t.call(method, url, {
    ...call,
    headers: { ...call.headers, ...(origin !== undefined && { origin }), ...headers },
    ...(body && { body }),
  })

const emailOf = async () => (await t.call('GET', URL, { token: platform.token })).body.email

describe('a request of a page', () => {
  for (const [what, kind] of Object.entries(OF_USERS)) {
    for (const origin of [OWN, APP, SHARED]) {
      it(`${kind.status} and readable from ${origin}, which the platform named: ${what}`, async () => {
        const response = await ask(kind, origin)
        assert.equal(response.status, kind.status, response.text)
        assertReadable(response, origin)
      })
    }

    for (const origin of [OTHERS, UNKNOWN, 'null', `${OWN}:444`, OWN.toUpperCase(), `${OWN}, ${OWN}`, '']) {
      it(`403 from ${origin || 'an empty origin'}, which it did not name: ${what}`, async () => {
        await t.made('PATCH', URL, { token: platform.token, body: { email: 'before@example.com' } })
        const response = await ask(kind, origin)
        assert.deepEqual([response.status, response.body.code], [403, 'forbidden'])
        assert.match(response.body.detail, /not one of the web_origins of the platform/)
        assertSeen(response, origin)
        assert.equal(await emailOf(), 'before@example.com', 'nothing was written')
      })
    }

    it(`${kind.status} without an Origin, and no word about origins: ${what}`, async () => {
      const response = await ask(kind)
      assert.equal(response.status, kind.status)
      assert.deepEqual([corsOf(response), response.headers['vary']], [{}, undefined])
    })

    for (const [page, headers] of Object.entries({
      'of this service': { origin: ORIGIN },
      'of the host that was called': { origin: 'http://localhost:80', host: 'localhost:80' },
      'that the browser calls ours, behind a proxy': { origin: UNKNOWN, 'sec-fetch-site': 'same-origin' },
      'whose origin the browser hides, though it is ours': { origin: 'null', 'sec-fetch-site': 'same-origin' },
    })) {
      it(`${kind.status} from a page ${page}: ${what}`, async () => {
        const response = await ask(kind, undefined, headers)
        assert.equal(response.status, kind.status)
        assertHidden(response)
      })
    }
  }

  it('403 where the browser says that the page is of another site, whatever host it names', async () => {
    for (const site of ['cross-site', 'same-site', 'none']) {
      const response = await ask(OF_USERS['a read with a user’s token'] as Kind, ORIGIN, { 'sec-fetch-site': site })
      assert.equal(response.status, 403)
    }
  })

  it('401 and readable where nobody is authenticated, so that the page can ask for a new token', async () => {
    for (const call of [{}, { token: 'wrong' }, { token: `${user.token}x` }]) {
      const kind = { method: 'GET', url: URL, call, status: 401 }
      const response = await ask(kind, OWN)
      assert.deepEqual([response.status, response.body.code], [401, 'unauthenticated'])
      assertReadable(response, OWN)
      assertHidden(await ask(kind, UNKNOWN))
    }
  })

  it('400, 404, 405, 406, 415 and 503 and readable, like every other error', async () => {
    const errors: [number, Kind, Record<string, string>][] = [
      [400, { method: 'GET', url: '/v1/users/%E0%A4%A', call: users, status: 400 }, {}],
      [404, { method: 'GET', url: '/v1/nowhere', call: users, status: 404 }, {}],
      [405, { method: 'DELETE', url: '/v1/benefits', call: users, status: 405 }, {}],
      [406, { method: 'GET', url: URL, call: users, status: 406 }, { accept: 'image/png' }],
      [415, { method: 'PATCH', url: URL, call: users, body: {}, status: 415 }, { 'content-type': 'text/plain' }],
    ]
    for (const [status, kind, headers] of errors) {
      const response = await ask(kind, OWN, headers)
      assert.equal(response.status, status)
      assertReadable(response, OWN)
    }
    const outdated = await t.openNode({ isOutdated: () => true })
    const response = await outdated.call('GET', URL, { ...users, headers: { origin: OWN } })
    assert.equal(response.status, 503)
    assertReadable(response, OWN)
  })

  it('429 and readable', async () => {
    const limits = { ...DEFAULT_LIMITS, userRate: 1 }
    const { call } = await t.openNode({ rates: () => createRateLimits(t.db, limits, { now: () => 0 }) })
    const list = () => call('GET', `${URL}/insurance_policies`, { ...users, headers: { origin: OWN } })
    const responses = [await list(), await list()]
    assert.deepEqual(
      responses.map(({ status }) => status),
      [200, 429],
    )
    for (const response of responses) {
      assert(response.headers['ratelimit'] !== undefined || response.headers['retry-after'] !== undefined)
      assertReadable(response, OWN)
    }
  })
})

describe('a secret in a page', () => {
  const CALLERS: Record<string, () => Promise<Kind>> = {
    'a platform’s token': async () => ({ method: 'GET', url: URL, call: { token: platform.token }, status: 200 }),
    'a benefit provider’s token': async () => ({
      method: 'GET',
      url: '/v1/benefits',
      call: { token: provider.token },
      status: 200,
    }),
    'an administrator’s token': async () => ({ method: 'GET', url: URL, call: { token: t.owner }, status: 200 }),
    'a token of a session': async () => ({
      method: 'GET',
      url: URL,
      call: { token: (await beginSession(t, 'owner')).token },
      status: 200,
    }),
    'the administrator key': async () => ({
      method: 'GET',
      url: '/v1/account_providers',
      call: { adminKey: ADMIN_KEYS[0] ?? '' },
      status: 200,
    }),
    'a basic_token': async () => ({
      method: 'POST',
      url: '/v1/oauth/token',
      call: { headers: { authorization: `Basic ${platform.basicToken}` } },
      body: { grant_type: 'client_credentials' },
      status: 200,
    }),
  }

  for (const [what, kindOf] of Object.entries(CALLERS)) {
    for (const origin of [OWN, APP, OTHERS, UNKNOWN, 'null']) {
      it(`403 that says so, from ${origin}: ${what}`, async () => {
        const response = await ask(await kindOf(), origin)
        assert.deepEqual([response.status, response.body.code], [403, 'forbidden'])
        assert.match(response.body.detail, /must not be in a browser/)
        assertSeen(response, origin)
      })
    }

    it(`works from a server, and in our own pages: ${what}`, async () => {
      const kind = await kindOf()
      for (const origin of [undefined, ORIGIN]) assert.equal((await ask(kind, origin)).status, kind.status)
    })
  }

  it('403 for a cookie of an administrator, which counts as no use of the session', async () => {
    const session = await beginSession(t, 'owner')
    const cookie = `${SESSION_COOKIE}=${session.cookie}`
    await t.sql(`update administrator_sessions set last_seen_at = now() - interval '9 minutes' where session_id = $1`, [
      session.id,
    ])
    const used = () => t.sql('select last_seen_at from administrator_sessions where session_id = $1', [session.id])
    const before = await used()
    for (const headers of [{}, { 'sec-fetch-site': 'cross-site' }]) {
      for (const origin of [OWN, UNKNOWN]) {
        const response = await t.call('GET', URL, { headers: { cookie, origin, ...headers } })
        assert.equal(response.status, 403)
        assert.match(response.body.detail, /session cookie is accepted from our own pages only/)
        assert.equal(response.headers['access-control-allow-credentials'], undefined)
      }
    }
    assert.deepEqual(await used(), before)
    const own = await t.call('GET', URL, { headers: { cookie, 'sec-fetch-site': 'same-origin' } })
    assert.equal(own.status, 200)
    assert.notDeepEqual(await used(), before)
  })

  it('writes nothing', async () => {
    const kind = { method: 'PATCH', url: URL, call: { token: platform.token }, body: { email: 'stolen@example.com' } }
    assert.equal((await ask({ ...kind, status: 200 }, OWN)).status, 403)
    assert.notEqual(await emailOf(), 'stolen@example.com')
  })
})

describe('a preflight', () => {
  const preflight = (origin: string, { url = URL, headers = {}, call = t.call } = {}) =>
    call('OPTIONS', url, {
      headers: { origin, 'access-control-request-method': 'PATCH', ...headers },
    })

  it('204 for every origin that a platform named, at every path', async () => {
    for (const origin of KNOWN) {
      for (const url of [URL, '/wallet/v1/auth/otp', '/v1/platforms', '/v1/nowhere']) {
        const { status, text, headers } = await preflight(origin, { url })
        assert.deepEqual([status, text], [204, ''])
        assert.equal(headers['access-control-allow-origin'], origin)
        assert.equal(headers['access-control-allow-methods'], 'GET, HEAD, POST, PUT, PATCH, DELETE')
        const allowed = (headers['access-control-allow-headers'] ?? '').toLowerCase().split(', ')
        const sent = [
          'authorization',
          'content-type',
          'idempotency-key',
          'if-match',
          'if-none-match',
          'prefer',
          'purpose',
        ]
        assert.deepEqual(
          sent.filter((header) => !allowed.includes(header)),
          [],
        )
        assert.equal(String(headers['access-control-max-age']), '7200')
        assert.equal(headers['vary'], 'Origin')
        assert.equal(headers['access-control-allow-credentials'], undefined)
      }
    }
  })

  it('405 or 404 for every other, as for whatever else is no preflight', async () => {
    for (const origin of [UNKNOWN, 'null', `${OWN}.evil.example`]) {
      const refused = await preflight(origin)
      assert.equal(refused.status, 405)
      assertHidden(refused)
      assert.equal((await preflight(origin, { url: '/v1/nowhere' })).status, 404)
    }
    const token = { authorization: `Bearer ${user.token}` }
    const withToken = await preflight(OWN, { headers: token })
    assert.equal(withToken.status, 405)
    const noQuestion = await t.call('OPTIONS', URL, { headers: { origin: OWN } })
    assert.equal(noQuestion.status, 405)
    assertReadable(noQuestion, OWN)
    const noOrigin = await t.call('OPTIONS', URL, { headers: { 'access-control-request-method': 'PATCH' } })
    assert.deepEqual([noOrigin.status, corsOf(noOrigin)], [405, {}])
  })

  it('204 while the service is unavailable, so that the page can read the 503', async () => {
    const outdated = await t.openNode({ isOutdated: () => true })
    assert.equal((await preflight(OWN, { call: outdated.call })).status, 204)
    assert.equal((await preflight(UNKNOWN, { call: outdated.call })).status, 503)
  })
})

describe('an origin', () => {
  it('is known to every node within five seconds of its change', () => assert(READ_INTERVAL_MS < 5_000))

  it('that is removed is refused, and its preflight too', async () => {
    const origin = 'https://leaving.example'
    await name(platform, [OWN, APP, SHARED, origin])
    const read = OF_USERS['a read with a user’s token'] as Kind
    assert.equal((await ask(read, origin)).status, 200)
    await name(platform, [OWN, APP, SHARED])
    const refused = await ask(read, origin)
    assert.equal(refused.status, 403)
    assertHidden(refused)
    const asked = await t.call('OPTIONS', URL, { headers: { origin, 'access-control-request-method': 'GET' } })
    assert.equal(asked.status, 405)
    assert.equal((await ask(read, OWN)).status, 200)
  })

  it('of two platforms is that of the other when one takes it away', async () => {
    await name(other, [OTHERS])
    assert.equal((await ask(OF_USERS['a read with a user’s token'] as Kind, SHARED)).status, 200)
  })
})
