import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { createRefreshFamilies } from '../../../src/access/refresh-families.ts'
import { type TestResponse, openTestApp } from '../../support/app.ts'
import { DEADLINE_MS, within } from '../../support/deadline.ts'
import { assertSameProblem, errorsOf } from '../../support/problems.ts'
import { claimsOf, openSessions, type Pair } from '../../support/sessions.ts'
import { everythingStored } from '../../support/stored.ts'

const t = await openTestApp()
const { refresh, refreshed, logOut, signIn } = openSessions(t)

const ACCESS_SECONDS = 15 * 60
const DAY_SECONDS = 86_400

const start = new Date('2026-04-01T06:30:00.250Z')

/** Sets the clock to this many seconds after the start. */
const at = (seconds: number) => void (t.clock.at = new Date(start.getTime() + seconds * 1000))

afterEach(() => void (t.clock.at = undefined))

async function session() {
  t.clock.at = undefined // a token from the future is not accepted
  const platform = await t.platform()
  const user = await t.user(platform)
  at(0)
  return { platform, user, pair: await signIn(platform, user) }
}

function assertRefused(response: TestResponse): void {
  assert.equal(response.status, 401, response.text)
  assert.equal(response.body.code, 'invalid_refresh_token')
  assert.equal(response.headers['www-authenticate'], 'RefreshToken')
  assert.equal(response.headers['cache-control'], 'no-store')
}

/** In two statements, because on a cluster sessions and tokens lie in different places. */
async function familyOf({ access_token }: Pair) {
  const id = claimsOf(access_token).client_id
  const [family] = await t.sql<{ generation: number; is_over: boolean }>(
    'select generation, ended_at is not null as is_over from refresh_families where family_id = $1',
    [id],
  )
  const tokens = await t.sql('select from refresh_tokens where family_id = $1', [id])
  return family && { ...family, tokens: tokens.length }
}

const isTaken = async ({ access_token: token }: Pair) => {
  const { status } = await t.call('GET', '/wallet/v1/wallet', { token })
  assert([401, 404].includes(status)) // 404: authorised, but without a wallet
  return status === 404
}

/** Asserts that the session is over: within a second every token of it is rejected. */
async function assertOver(...pairs: Pair[]): Promise<void> {
  for (const pair of pairs) await within(DEADLINE_MS, async () => !(await isTaken(pair)))
  for (const pair of pairs) assertRefused(await refresh(pair.refresh_token))
  assert.equal((await familyOf(pairs[0] as Pair))?.is_over, true)
}

describe('POST /wallet/v1/auth/token/refresh', () => {
  it('200 returns the next pair without any header; the session stays the same', async () => {
    const { user, pair } = await session()
    at(600)
    const response = await refresh(pair.refresh_token)
    assert.equal(response.status, 200, response.text)
    const { access_token, refresh_token, ...rest } = response.body
    const now = Math.floor(start.getTime() / 1000) + 600
    assert.deepEqual(rest, {
      access_token_expires_at: now + ACCESS_SECONDS,
      refresh_token_expires_at: now + 30 * DAY_SECONDS,
      success: true,
    })
    assert.match(refresh_token, /^byn_rt_[A-Za-z0-9_-]{43}_[0-9a-z]{7}$/)
    assert.notEqual(refresh_token, pair.refresh_token)
    const [before, after] = [claimsOf(pair.access_token), claimsOf(access_token)]
    assert.deepEqual([after.iat, after.exp], [now, now + ACCESS_SECONDS])
    assert.deepEqual({ ...after, iat: 0, exp: 0, jti: '' }, { ...before, iat: 0, exp: 0, jti: '' })
    assert.notEqual(after.jti, before.jti)
    assert.equal(after.sub, user.id)
    assert.equal(await isTaken(response.body), true)
    assert.equal(response.headers['cache-control'], 'no-store')
    assert.deepEqual(await familyOf(pair), { generation: 2, is_over: false, tokens: 2 })
  })

  it('200 whatever the authorization header holds', async () => {
    const { pair } = await session()
    const body = { refresh_token: pair.refresh_token }
    const headers = { authorization: 'Bearer nonsense' }
    assert.equal((await t.call('POST', '/wallet/v1/auth/token/refresh', { body, headers })).status, 200)
  })

  it('200 with the same pair for 50 concurrent uses of a token on two nodes; the generation advances once', async () => {
    const { pair } = await session()
    const context = { vault: t.deps.vault, tokens: t.walletTokens, clock: t.clock }
    const otherNode = createRefreshFamilies(t.deps.db, context)
    at(60)
    const uses = Array.from({ length: 50 }, (_, index) =>
      index % 2 === 0
        ? refreshed(pair.refresh_token)
        : otherNode.refresh(pair.refresh_token).then((next) => ({
            access_token: next.accessToken,
            refresh_token: next.refreshToken,
            access_token_expires_at: next.accessExpiresAt,
            refresh_token_expires_at: next.refreshExpiresAt,
            success: true,
          })),
    )
    const [first, ...others] = await Promise.all(uses)
    for (const other of others) assert.deepEqual(other, first)
    assert.deepEqual(await familyOf(pair), { generation: 2, is_over: false, tokens: 2 })
    await refreshed((first as Pair).refresh_token)
  })

  it('200 for the predecessor within 10 seconds: the same pair byte for byte', async () => {
    const { pair } = await session()
    at(60)
    const first = await refresh(pair.refresh_token)
    for (const seconds of [60, 61.5, 65.999, 70]) {
      at(seconds)
      const again = await refresh(pair.refresh_token)
      assert.deepEqual([again.status, again.text], [200, first.text])
    }
    assert.deepEqual(await familyOf(pair), { generation: 2, is_over: false, tokens: 2 })
    assert.equal((await refresh(first.body.refresh_token)).status, 200, 'the pair is of use')
  })

  it('401 for the predecessor after 10 seconds, and the session is over', async () => {
    const { pair } = await session()
    at(60)
    const next = await refreshed(pair.refresh_token)
    at(70.001)
    assert.equal(await isTaken(next), true)
    assertRefused(await refresh(pair.refresh_token))
    await assertOver(next, pair)
    assert.deepEqual(await familyOf(pair), { generation: 2, is_over: true, tokens: 2 })
  })

  it('401 for the grandparent immediately, and the session is over', async () => {
    const { pair } = await session()
    at(60)
    const second = await refreshed(pair.refresh_token)
    const third = await refreshed(second.refresh_token)
    assertRefused(await refresh(pair.refresh_token))
    await assertOver(third, second, pair)
    assert.deepEqual(await familyOf(pair), { generation: 3, is_over: true, tokens: 3 })
  })

  it('401 for the predecessor within 10 seconds when the session is already over', async () => {
    const { pair } = await session()
    const next = await refreshed(pair.refresh_token)
    await logOut(next.refresh_token)
    assertRefused(await refresh(pair.refresh_token))
  })

  it('200 for others, whatever concurrent calls do with their own tokens', async () => {
    const pairs: Pair[] = []
    for (let n = 0; n < 8; n++) pairs.push((await session()).pair)
    const [replayed, ...healthy] = pairs as [Pair, ...Pair[]]
    const second = await refreshed(replayed.refresh_token)
    await refreshed(second.refresh_token)

    const tokens = [replayed.refresh_token, 'byn_rt_nonsense', ...healthy.map((pair) => pair.refresh_token)]
    const responses = await Promise.all([...tokens, ...tokens].map(refresh))
    const statuses = responses.map((response) => response.status)
    const once = [401, 401, ...healthy.map(() => 200)]
    assert.deepEqual(statuses, [...once, ...once])
    for (const pair of healthy) assert.deepEqual(await familyOf(pair), { generation: 2, is_over: false, tokens: 2 })
    assert.equal((await familyOf(replayed))?.is_over, true)
  })
})

describe('POST /wallet/v1/auth/token/refresh: lifetime of a session', () => {
  it('200 until 30 days after the last use, 401 from then on', async () => {
    const { pair } = await session()
    at(30 * DAY_SECONDS - 1)
    const next = await refreshed(pair.refresh_token)
    at(60 * DAY_SECONDS - 2)
    const third = await refreshed(next.refresh_token)
    at(90 * DAY_SECONDS - 2)
    assertRefused(await refresh(third.refresh_token))
    assert.deepEqual(await familyOf(pair), { generation: 3, is_over: false, tokens: 3 })
  })

  it('200 until 90 days after the sign-in, 401 from then on, however often it is used', async () => {
    const { pair } = await session()
    const end = Math.floor(start.getTime() / 1000) + 90 * DAY_SECONDS
    let current = pair
    for (const day of [29, 58]) {
      at(day * DAY_SECONDS)
      current = await refreshed(current.refresh_token)
      assert(current.refresh_token_expires_at < end)
    }
    at(87 * DAY_SECONDS)
    current = await refreshed(current.refresh_token)
    assert.equal(current.refresh_token_expires_at, end)
    at(90 * DAY_SECONDS - 1)
    const last = await refreshed(current.refresh_token)
    assert.equal(last.refresh_token_expires_at, end)
    at(90 * DAY_SECONDS)
    assertRefused(await refresh(last.refresh_token))
    assertRefused(await refresh(current.refresh_token))
  })

  it('401 token_expired for the access token after 15 minutes', async () => {
    const { pair } = await session()
    at(ACCESS_SECONDS - 1)
    assert.equal(await isTaken(pair), true)
    at(ACCESS_SECONDS)
    const { status, body } = await t.call('GET', '/wallet/v1/wallet', { token: pair.access_token })
    assert.deepEqual([status, body.code], [401, 'token_expired'])
  })

  it('401 within a second when the platform is disabled, for good; enabled again it accepts new sign-ins', async () => {
    const { platform, user, pair } = await session()
    const elsewhere = await signIn(platform, user)
    const set = (status: string) =>
      t.made('PUT', `/v1/platforms/${platform.id}/status`, { token: t.owner, body: { status } })
    t.clock.at = undefined
    await set('INACTIVE')
    at(5)
    assertRefused(await refresh(pair.refresh_token))
    await within(DEADLINE_MS, async () => !(await isTaken(pair)))
    t.clock.at = undefined
    await set('ACTIVE')
    at(5)
    for (const old of [pair, elsewhere]) assertRefused(await refresh(old.refresh_token))
    const fresh = await signIn(platform, user)
    assert.equal(await isTaken(fresh), true, 'a new token is taken at once')
    const next = await refreshed(fresh.refresh_token)
    for (const one of [fresh, next]) await within(DEADLINE_MS, () => isTaken(one))
    for (const old of [pair, elsewhere]) {
      assertRefused(await refresh(old.refresh_token))
      assert.equal(await isTaken(old), false)
    }
  })

  it('401 for the predecessor within 10 seconds when the platform was disabled in between', async () => {
    const { platform, pair } = await session()
    const next = await refreshed(pair.refresh_token)
    t.clock.at = undefined
    for (const status of ['INACTIVE', 'ACTIVE'])
      await t.made('PUT', `/v1/platforms/${platform.id}/status`, { token: t.owner, body: { status } })
    at(5)
    for (const { refresh_token } of [pair, next]) assertRefused(await refresh(refresh_token))
  })
})

describe('POST /wallet/v1/auth/token/refresh: errors', () => {
  it('401, identical for anything that is not a valid refresh token', async () => {
    const { pair } = await session()
    const { pair: ended } = await session()
    await logOut(ended.refresh_token)
    const words = await refresh(ended.refresh_token)
    assertRefused(words)
    const flipped = pair.refresh_token.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
    const tokens = ['x', 'byn_rt_', flipped, pair.refresh_token.toUpperCase(), pair.access_token.slice(0, 200)]
    for (const token of [...tokens, ` ${pair.refresh_token}`]) assertSameProblem(await refresh(token), words)
    await refreshed(pair.refresh_token)
  })

  it('422 reports every error', async () => {
    const ask = async (body: object) => errorsOf(await t.call('POST', '/wallet/v1/auth/token/refresh', { body }))
    assert.deepEqual(await ask({}), ['/refresh_token required'])
    assert.deepEqual(await ask({ refresh_token: null }), ['/refresh_token type'])
    assert.deepEqual(await ask({ refresh_token: '' }), ['/refresh_token too_short'])
    assert.deepEqual(await ask({ refresh_token: 'x\u0000' }), ['/refresh_token unstorable_text'])
  })
})

describe('POST /wallet/v1/auth/logout', () => {
  it('200 ends the session and no other of the user', async () => {
    const { platform, user, pair } = await session()
    const elsewhere = await signIn(platform, user)
    const response = await logOut(pair.refresh_token)
    assert.deepEqual([response.status, response.body], [200, { success: true }])
    await assertOver(pair)
    assert.equal(await isTaken(elsewhere), true)
    await refreshed(elsewhere.refresh_token)
  })

  it('200 for any token of the session, including a used one', async () => {
    const { pair } = await session()
    at(60)
    const next = await refreshed(pair.refresh_token)
    at(600)
    const { status } = await logOut(pair.refresh_token)
    assert.equal(status, 200)
    await assertOver(next)
  })

  it('200 always: repeated, late, for an unknown token and for a malformed one', async () => {
    const { pair } = await session()
    for (const token of [pair.refresh_token, pair.refresh_token, 'x', `${pair.refresh_token}x`]) {
      const { status, body } = await logOut(token)
      assert.deepEqual([status, body], [200, { success: true }])
    }
    const [row] = await t.sql('select count(*)::int as count from revocations where subject = $1', [
      `session:${claimsOf(pair.access_token).client_id}`,
    ])
    assert.deepEqual(row, { count: 1 }, 'the session ended once')
    const { pair: old } = await session()
    at(31 * DAY_SECONDS)
    assert.equal((await logOut(old.refresh_token)).status, 200)
  })
})

describe('wallet tokens and main tokens', () => {
  it('401 on the main interface for a wallet token, even for its owner’s own records', async () => {
    const { user, pair } = await session()
    const addresses = [
      `GET /v1/users/${user.id}`,
      `GET /v1/users/${user.id}/accounts`,
      `GET /v1/users/${user.id}/insurance_policies`,
      'GET /v1/benefit_providers',
      `POST /v1/users/${user.id}/wallet/credits`,
    ]
    for (const address of addresses) {
      const [method = '', url = ''] = address.split(' ')
      const { status, body } = await t.call(method, url, { token: pair.access_token })
      assert.deepEqual([status, body.code], [401, 'unauthenticated'], address)
    }
  })

  it('401 on the wallet interface for main tokens and without a token', async () => {
    const platform = await t.platform()
    const user = await t.user(platform)
    const tokens = [platform.token, user.token, (await t.provider()).token, t.owner, t.operator, t.viewer, undefined]
    const addresses = ['POST /wallet', 'GET /wallet', 'GET /wallet/wal_1/status', 'GET /wallet/transactions']
    for (const address of addresses) {
      const [method = '', path = ''] = address.split(' ')
      for (const token of tokens) {
        const { status, body } = await t.call(method, `/wallet/v1${path}`, token === undefined ? {} : { token })
        assert.deepEqual([status, body.code], [401, 'unauthenticated'], address)
      }
    }
    assert.deepEqual(await t.sql('select 1 from wallets where user_id = $1', [user.id]), [])
  })
})

describe('stored tokens', () => {
  it('are a hash of each refresh token and nothing of the access tokens', async () => {
    const { pair } = await session()
    const next = await refreshed(pair.refresh_token)
    await refreshed(pair.refresh_token)
    const stored = await everythingStored(t)
    for (const { access_token, refresh_token } of [pair, next]) {
      const secret = Buffer.from(refresh_token.slice(7, 50), 'base64url')
      assert(!stored.includes(refresh_token))
      assert(!stored.includes(refresh_token.slice(7, 30)))
      assert(!stored.includes(secret.toString('hex')))
      assert(!stored.includes(access_token.split('.')[2] as string))
      assert(!stored.includes(claimsOf(access_token).jti))
    }
  })
})
