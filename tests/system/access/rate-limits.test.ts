import assert from 'node:assert/strict'
import { after, beforeEach, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newSessionSecret } from '../../../src/access/administrator-sessions.ts'
import { createRateLimits } from '../../../src/access/rate-limits.ts'
import { connectDatabase } from '../../../src/kernel/db/database.ts'
import { startPeriodic } from '../../../src/kernel/jobs/periodic.ts'
import { beginSession, SESSION_COOKIE } from '../../support/administrators.ts'
import { ADMIN_KEYS } from '../../support/keys.ts'
import { type TestResponse, DEFAULT_LIMITS, openTestApp } from '../../support/app.ts'

const SHARED_WITHIN_MS = 1_000
/** At most 25 per second, of the 40 allowed. */
const PACE_MS = 40

const t = await openTestApp()
const limits = {
  ...DEFAULT_LIMITS,
  platformRate: 40,
  providerRate: 10,
  userRate: 5,
  tokens: 4,
  tokenFailures: 3,
  unknownCredentials: 6,
}

/** The clock of the limits; it stands still until a test sets it. */
const clock = { at: 0 }
beforeEach(() => void (clock.at += 3_600_000))

/** A process with these limits, on the shared database. */
const openLimited = () => t.openNode({ rates: (db) => createRateLimits(db, limits, { now: () => clock.at }) })
const node = await openLimited()
const createLimits = () => createRateLimits(t.db, limits, { now: () => clock.at })

const [platform, provider] = [await t.platform(), await t.provider()]
const user = await t.user(platform)
const LIST = '/v1/benefit_providers'

const list = (token: string, { call } = node) => call('GET', LIST, { token })
const times = async (count: number, work: () => Promise<TestResponse>): Promise<TestResponse[]> => {
  const responses: TestResponse[] = []
  for (let n = 0; n < count; n++) responses.push(await work())
  return responses
}
const statuses = (responses: TestResponse[]) => responses.map(({ status }) => status)
const rateHeaders = ({ headers }: TestResponse) => [
  headers['ratelimit-policy'],
  headers['ratelimit'],
  headers['retry-after'],
]

function assertTooMany(response: TestResponse | undefined): void {
  assert.equal(response?.status, 429, response?.text)
  const { code, detail } = response.body
  assert.equal(code, 'rate_limited')
  const [reached] = /"\w+";r=0/.exec(String(response.headers['ratelimit'])) ?? []
  assert.equal(detail, `The limit \`${reached?.split('"')[1]}\` is reached. Try again after the time in Retry-After.`)
}

describe('requests of a caller', () => {
  it('carry the limit and what remains; 429 with Retry-After beyond it, until time has passed', async () => {
    const responses = await times(6, () => list(user.token))
    assert.deepEqual(statuses(responses), [200, 200, 200, 200, 200, 429])
    assert.deepEqual(responses.map(rateHeaders), [
      ...[4, 3, 2, 1, 0].map((left) => ['"user";q=5;w=1', `"user";r=${left};t=1`, undefined]),
      ['"user";q=5;w=1', '"user";r=0;t=1', '1'],
    ])
    assertTooMany(responses[5])
    clock.at += 200
    assert.deepEqual(statuses(await times(2, () => list(user.token))), [200, 429])
    clock.at += 1_000
    assert.deepEqual(statuses(await times(6, () => list(user.token))), [200, 200, 200, 200, 200, 429])
  })

  it('count per user, platform or benefit provider, across all of its tokens', async () => {
    const sibling = await t.user(platform)
    await times(5, () => list(user.token))
    assertTooMany(await list(user.token))
    const body = { phone_country_code: '+91', phone_number: user.phone }
    const again = (await t.made('POST', '/v1/auth/token', { token: platform.token, body })).access_token
    assertTooMany(await list(again))
    const ofWallet = await node.call('GET', '/wallet/v1/wallet', { token: await t.walletToken(platform, user) })
    assertTooMany(ofWallet)
    assert.equal((await list(sibling.token)).status, 200)

    const ofPlatform = await times(41, () => list(platform.token))
    assert.deepEqual(new Set(statuses(ofPlatform.slice(0, 40))), new Set([200]))
    assertTooMany(ofPlatform[40])
    assert.deepEqual(rateHeaders(ofPlatform[39] as TestResponse), [
      '"platform";q=40;w=1',
      '"platform";r=0;t=1',
      undefined,
    ])
    assert.equal((await list((await t.platform()).token)).status, 200)
    const ofProvider = await times(11, () => list(provider.token))
    assert.deepEqual(statuses(ofProvider), [...Array.from({ length: 10 }, () => 200), 429])
    assert.equal(ofProvider[0]?.headers['ratelimit-policy'], '"benefit_provider";q=10;w=1')
  })

  it('count even when rejected: 403, 404 and 422', async () => {
    const refused = [
      await node.call('POST', '/v1/platforms', { token: user.token, body: { name: 'Mine' } }),
      await node.call('GET', `/v1/users/${(await t.user(platform)).id}`, { token: user.token }),
      await node.call('GET', `${LIST}?colour=red`, { token: user.token }),
    ]
    assert.deepEqual(statuses(refused), [403, 404, 422])
    for (const response of refused) assert.equal(response.headers['ratelimit-policy'], '"user";q=5;w=1')
    assert.deepEqual(statuses(await times(3, () => list(user.token))), [200, 200, 429])
  })

  it('have no limit, and no limit headers, for administrators and anonymous callers', async () => {
    const responses = await times(60, () => list(t.viewer))
    const strangers = await times(60, () => list('not a token'))
    assert.deepEqual(new Set(statuses(responses)), new Set([200]))
    assert.deepEqual(new Set(statuses(strangers)), new Set([401]))
    for (const response of [...responses, ...strangers]) {
      assert.deepEqual(rateHeaders(response), [undefined, undefined, undefined])
    }
  })

  it('cost no round trip, whether admitted or not', async () => {
    const watched = await openLimitedAndWatched()
    await times(8, () => watched.call('GET', `/v1/users/${user.id}`, { token: user.token }))
    assert.deepEqual(new Set(watched.sent), new Set(['users_find']))
    assert.equal(watched.sent.length, 5)
  })
})

async function openLimitedAndWatched() {
  const sent: string[] = []
  const watched = (db: typeof t.db): typeof t.db => ({
    ...db,
    query: (step, values) => (sent.push(step.name), db.query(step, values)),
  })
  const opened = await t.openNode({ watched, rates: (db) => createRateLimits(db, limits, { now: () => clock.at }) })
  return { ...opened, sent }
}

const exchange = (basicToken: string, remoteAddress = '127.0.0.1', { call } = node) =>
  call('POST', '/v1/oauth/token', {
    headers: { authorization: `Basic ${basicToken}` },
    body: { grant_type: 'client_credentials' },
    remoteAddress,
  })

/** A well-formed secret that belongs to another credential. */
const secret = Buffer.from(provider.basicToken, 'base64').toString().split(':')[1]
const withWrongSecret = (credentialId: string) => Buffer.from(`${credentialId}:${secret}`).toString('base64')
const wrong = withWrongSecret(platform.credentialId)

describe('POST /v1/oauth/token', () => {
  it('429 above the limit of access tokens per minute for one credential, from any IP address; others get theirs', async () => {
    const responses = await times(4, () => exchange(platform.basicToken))
    assert.deepEqual(statuses(responses), [200, 200, 200, 200])
    assert.deepEqual(rateHeaders(responses[0] as TestResponse), ['"tokens";q=4;w=60', '"tokens";r=3;t=15', undefined])
    const refused = await exchange(platform.basicToken, '203.0.113.9')
    assertTooMany(refused)
    assert.deepEqual(rateHeaders(refused), ['"tokens";q=4;w=60', '"tokens";r=0;t=60', '15'])
    assert.equal((await exchange(provider.basicToken)).status, 200)
    clock.at += 15_000
    assert.deepEqual(statuses(await times(2, () => exchange(platform.basicToken))), [200, 429])
  })

  it('429 above the limit of wrong secrets per minute for one credential from one address, even for the right one', async () => {
    const address = '203.0.113.10'
    assert.deepEqual(statuses(await times(4, () => exchange(wrong, address))), [401, 401, 401, 429])
    const refused = await exchange(platform.basicToken, address)
    assertTooMany(refused)
    assert.deepEqual(rateHeaders(refused), ['"token_failures";q=3;w=60', '"token_failures";r=0;t=60', '20'])
    assert.equal(refused.body.access_token, undefined)
    assert.equal((await exchange(platform.basicToken, '203.0.113.11')).status, 200, 'nobody can lock a platform out')
    assert.equal((await exchange(provider.basicToken, address)).status, 200, 'nor its neighbours')
    clock.at += 20_000
    assert.equal((await exchange(platform.basicToken, address)).status, 200)
  })

  it('429 above the limit of unknown credentials per minute from one address; valid ones still get their tokens', async () => {
    const address = '203.0.113.13'
    const unknown = (n: number) => exchange(withWrongSecret(`crd_nobody_${n}`), address)
    for (let n = 0; n < 5; n++) assert.equal((await unknown(n)).status, 401)
    assert.equal((await exchange('bm90IGEgdG9rZW4=', address)).status, 401, 'what cannot be one counts too')
    const refused = await unknown(6)
    assertTooMany(refused)
    const expected = ['"unknown_credentials";q=6;w=60', '"unknown_credentials";r=0;t=60', '10']
    assert.deepEqual(rateHeaders(refused), expected)
    assertTooMany(await exchange('bm90IGEgdG9rZW4=', address))
    assert.equal((await exchange(platform.basicToken, address)).status, 200)
    assert.equal((await exchange(wrong, address)).status, 401)
    clock.at += 10_000
    assert.equal((await unknown(7)).status, 401)
  })

  it('429 above the same limit of guessed session cookies; a real one costs nothing', async () => {
    const { cookie } = await beginSession(t, 'viewer')
    const use = (secret: string, remoteAddress: string) =>
      node.call('GET', LIST, { headers: { cookie: `${SESSION_COOKIE}=${secret}` }, remoteAddress })
    assert.deepEqual(new Set(statuses(await times(10, () => use(cookie, '203.0.113.14')))), new Set([200]))
    const guesses = await times(7, () => use(newSessionSecret().secret, '203.0.113.14'))
    assert.deepEqual(statuses(guesses), [401, 401, 401, 401, 401, 401, 429])
    assertTooMany(guesses[6])
    assert.equal((await use(cookie, '203.0.113.15')).status, 200)
  })

  it('429 above the same limit of guessed administrator keys; a real one costs nothing, and none is none', async () => {
    const use = (key: string, remoteAddress: string) =>
      node.call('GET', '/v1/account_providers', { headers: key === '' ? {} : { 'admin-api-key': key }, remoteAddress })
    const [real = ''] = ADMIN_KEYS
    assert.deepEqual(new Set(statuses(await times(10, () => use(real, '203.0.113.16')))), new Set([200]))
    assert.deepEqual(new Set(statuses(await times(10, () => use('', '203.0.113.16')))), new Set([401]))
    const guesses = await times(7, () => use(`${real.slice(0, -1)}x`, '203.0.113.16'))
    assert.deepEqual(statuses(guesses), [401, 401, 401, 401, 401, 401, 429])
    assertTooMany(guesses[6])
    assertTooMany(await use(real, '203.0.113.16'))
    assert.equal((await use(real, '203.0.113.17')).status, 200, 'elsewhere')
  })

  it('429 after as many attempts for an unknown credential as for an existing one, so they cannot be distinguished', async () => {
    const tries = (credentialId: string, address: string) =>
      times(4, () => exchange(withWrongSecret(credentialId), address))
    const there = await tries(platform.credentialId, '203.0.113.14')
    const nowhere = await tries('crd_nobody', '203.0.113.15')
    assert.deepEqual(statuses(nowhere), statuses(there))
    assert.deepEqual(nowhere.map(rateHeaders), there.map(rateHeaders))
  })

  it('200 for any number of right credentials: only wrong ones count against the address', async () => {
    const address = '203.0.113.12'
    for (let n = 0; n < 10; n++) assert.equal((await exchange((await t.provider()).basicToken, address)).status, 200)
    assert.deepEqual(statuses(await times(4, () => exchange(wrong, address))), [401, 401, 401, 429])
  })

  it('401 for exactly the allowed number of concurrent wrong ones; IPv6 addresses count by their /64', async () => {
    const from = (n: number) => `2001:db8:1:1::${n + 1}`
    const responses = await Promise.all(Array.from({ length: 20 }, (_, n) => exchange(wrong, from(n))))
    assert.deepEqual(
      [3, 17],
      [401, 429].map((code) => responses.filter(({ status }) => status === code).length),
    )
    assert.equal((await exchange(wrong, '2001:db8:1:2::1')).status, 401)
  })
})

describe('limits across processes', () => {
  it('429 on one process for uses of the other, once both have shared their counts, twice a second', async () => {
    const rates = [createLimits(), createLimits()] as const
    const [one, other] = [await t.openNode({ rates: () => rates[0] }), await t.openNode({ rates: () => rates[1] })]
    const { basicToken } = await t.platform()
    const on = (node_: typeof one) => exchange(basicToken, undefined, node_)
    assert.deepEqual(statuses(await times(4, () => on(one))), [200, 200, 200, 200])
    await rates[0].share()
    assert.equal((await on(other)).status, 200, 'it has not heard yet')
    await rates[1].share()
    const refused = await on(other)
    assertTooMany(refused)
    assert(Number(refused.headers['retry-after']) > 15, 'what was too much is waited for')
    for (const { sharingTask } of rates) assert(sharingTask.every_ms <= SHARED_WITHIN_MS / 2)
  })

  it('200 for a caller within its limit, on whichever process it calls', async () => {
    const time = () => performance.now()
    const nodes = [await createSharing(time), await createSharing(time)]
    const token = (await t.platform()).token
    const until = performance.now() + 1_500
    for (let n = 0; performance.now() < until; n++) {
      assert.equal((await list(token, nodes[n % 2])).status, 200)
      await sleep(PACE_MS)
    }
  })

  it('continue in memory while the database is down', async () => {
    const nowhere = connectDatabase({
      url: 'postgres://nobody@127.0.0.1:1/none',
      poolSize: 1,
      batching: true,
      onLostConnection: () => {},
    })
    after(() => nowhere.close())
    const rates = createRateLimits(nowhere, limits, { now: () => clock.at })
    const limited = await t.openNode({ rates: () => rates })
    assert.deepEqual(statuses(await times(6, () => list(user.token, limited))), [200, 200, 200, 200, 200, 429])
    await assert.rejects(rates.share(), { code: 'unavailable' })
    assertTooMany(await list(user.token, limited))
    clock.at += 1_000
    assert.equal((await list(user.token, limited)).status, 200)
  })

  /** A process that shares its counts with the others, as a running one does. */
  async function createSharing(now = () => clock.at) {
    let stop = async () => {}
    const rates = (db: typeof t.db) => {
      const opened = createRateLimits(db, limits, { now })
      stop = startPeriodic([opened.sharingTask], t.log)
      return opened
    }
    const sharing = await t.openNode({ rates })
    after(() => stop())
    return sharing
  }
})
