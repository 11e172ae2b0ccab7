import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { createRateLimits } from '../../src/access/rate-limits.ts'
import { DEFAULT_LIMITS, openTestApp, type TestResponse } from '../support/app.ts'
import { openSessions } from '../support/sessions.ts'

const t = await openTestApp()
const limits = { ...DEFAULT_LIMITS, refreshes: 4, cardChecks: 3, logins: 2, pages: 5, searches: 3 }

/** The clock of the limits; it stands still until a test sets it. */
const clock = { at: 0 }
beforeEach(() => void (clock.at += 3_600_000))

const rates = createRateLimits(t.db, limits, { now: () => clock.at })
const node = await t.openNode({ rates: () => rates })
const sessions = openSessions(t)
const platform = await t.platform()
const user = await t.user(platform)

const ADDRESS = '203.0.113.20'
const ELSEWHERE = '203.0.113.21'
const get = (url: string, remoteAddress = ADDRESS) => node.call('GET', url, { remoteAddress })
const withToken = (path: string, refresh_token: string, remoteAddress = ADDRESS) =>
  node.call('POST', `/wallet/v1/auth/${path}`, { body: { refresh_token }, remoteAddress })
async function inTurn<T>(items: readonly T[], work: (item: T) => Promise<TestResponse>): Promise<TestResponse[]> {
  const responses: TestResponse[] = []
  for (const item of items) responses.push(await work(item))
  return responses
}
const times = (count: number, work: () => Promise<TestResponse>) => inTurn(Array.from({ length: count }), work)

/** The last of them is one too many for its IP address. */
function assertLimited(responses: TestResponse[], { status, policy }: { status: number; policy: string }): void {
  const last = responses.at(-1) ?? assert.fail()
  for (const [index, response] of responses.slice(0, -1).entries()) {
    assert.equal(response.status, status, response.text)
    assert.equal(response.headers['ratelimit-policy'], policy)
    assert.match(String(response.headers['ratelimit']), new RegExp(`;r=${responses.length - 2 - index};`))
  }
  assert.equal(last.status, 429, last.text)
  assert.equal(last.body.code, 'rate_limited')
  assert(Number(last.headers['retry-after']) >= 1)
  assert.equal(last.headers['ratelimit-policy'], policy)
}

describe('one IP address', () => {
  it('429 beyond its refreshes and logouts a minute; the tokens it sent are neither replaced nor ended', async () => {
    const { refresh_token: first } = await sessions.signIn(platform, user)
    const refreshed = await withToken('token/refresh', first)
    const kept = refreshed.body.refresh_token
    const others = await times(2, () => withToken('logout', 'byn_rt_unknown'))
    const responses = [refreshed, ...others, await withToken('logout', 'byn_rt_unknown')]
    assertLimited([...responses, await withToken('logout', kept)], {
      status: 200,
      policy: '"refreshes_of_address";q=4;w=60',
    })
    assert.equal((await withToken('token/refresh', kept)).status, 429)
    const next = await withToken('token/refresh', kept, ELSEWHERE)
    assert.equal(next.status, 200, 'neither request did anything')
    clock.at += 15_000
    assert.equal((await withToken('logout', next.body.refresh_token)).status, 200)
  })

  it('429 beyond its checks of health cards a minute, whichever cards, as JSON or as a page', async () => {
    const urls = [
      '/verify/health_card/one',
      '/verify/health_card/two',
      '/verify/health_card/one/',
      '/verify/health_card/three',
    ]
    const responses = await inTurn(urls, (url) => get(url))
    assertLimited(responses, { status: 200, policy: '"card_checks_of_address";q=3;w=60' })
    assert.equal(responses.at(-1)?.body.status, 429, 'nothing of a card')
  })

  it('429 beyond its steps of logins a minute', async () => {
    const responses = await times(3, () => get('/v1/auth/oidc/callback'))
    assertLimited(responses, { status: 404, policy: '"logins_of_address";q=2;w=60' })
    const logout = await node.call('POST', '/v1/auth/logout', { body: {}, remoteAddress: ADDRESS })
    assert.equal(logout.status, 429)
  })

  it('429 beyond its pages a minute, which count together; health probes have no limit', async () => {
    const urls = [
      '/docs/errors',
      '/docs/events',
      '/openapi.json',
      '/asyncapi.json',
      '/.well-known/jwks.json',
      '/docs/errors',
    ]
    const responses = await inTurn(urls, (url) => get(url))
    assertLimited(responses, { status: 200, policy: '"pages_of_address";q=5;w=60' })
    for (const { status, headers } of await times(20, () => get('/livez'))) {
      assert.equal(status, 200)
      assert.equal(headers['ratelimit'], undefined)
    }
  })

  it('429 beyond its searches of the handbook a minute, as pages or as JSON; pages are counted apart', async () => {
    const urls = ['/docs/search.json?q=one', '/docs/search?q=two', '/docs/search.json?q=one', '/docs/search?q=three']
    const responses = await inTurn(urls, (url) => get(url))
    assertLimited(responses, { status: 200, policy: '"searches_of_address";q=3;w=60' })
    assert.equal((await get('/docs/search.json', ELSEWHERE)).status, 200)
    assert.deepEqual(
      (await times(5, () => get('/docs/errors'))).map(({ status }) => status),
      Array<number>(5).fill(200),
    )
  })

  it('keeps nobody else out: other addresses, callers with a token, one kind of request by another', async () => {
    await times(6, () => get('/docs/errors'))
    assert.equal((await get('/docs/errors')).status, 429)
    assert.equal((await get('/docs/errors', ELSEWHERE)).status, 200)
    assert.equal((await get('/verify/health_card/one')).status, 200)
    const { status } = await node.call('GET', '/v1/benefit_providers', {
      token: platform.token,
      remoteAddress: ADDRESS,
    })
    assert.equal(status, 200)
  })

  it('is an IPv6 network of 64 bits', async () => {
    for (let n = 1; n <= 5; n++) assert.equal((await get('/docs/errors', `2001:db8:7:1::${n}`)).status, 200)
    assert.equal((await get('/docs/errors', '2001:db8:7:1::6')).status, 429)
    assert.equal((await get('/docs/errors', '2001:db8:7:2::1')).status, 200)
  })

  it('is counted by all processes together, and stored as a hash only', async () => {
    const ofOther = createRateLimits(t.db, limits, { now: () => clock.at })
    const other = await t.openNode({ rates: () => ofOther })
    const address = '203.0.113.22'
    const onOther = () => other.call('GET', '/docs/errors', { remoteAddress: address })
    await times(5, () => get('/docs/errors', address))
    await rates.share()
    assert.equal((await onOther()).status, 200, 'it has not heard yet')
    await ofOther.share()
    assert.equal((await onOther()).status, 429)
    const keys = (await t.sql<{ limit_key: string }>('select limit_key from rate_limit_uses')).map(
      (row) => row.limit_key,
    )
    assert(keys.some((key) => key.startsWith('pages_of_address:')))
    assert.doesNotMatch(keys.join(), /203\.0\.113|2001:db8/)
  })
})

describe('the OpenAPI document', () => {
  it('shows a 429 for every operation that needs no credential', async () => {
    type Operation = { operationId: string; security: object[]; responses: Record<string, object> }
    const { paths } = (await t.call('GET', '/openapi.json')).body as {
      paths: Record<string, Record<string, Operation>>
    }
    const open = Object.values(paths)
      .flatMap((methods) => Object.values(methods))
      .filter(({ security }) => security.length === 0)
    assert(open.length >= 9)
    assert.deepEqual(
      open.filter(({ responses }) => !('429' in responses)).map(({ operationId }) => operationId),
      [],
    )
  })
})
