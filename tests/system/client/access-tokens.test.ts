import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import { beforeEach, describe, it } from 'node:test'
import { AuthenticationError, Banyan, Money, type ResponseReport, userId } from '../../../client/src/index.ts'
import { DEADLINE_MS, within } from '../../support/deadline.ts'
import { openBadNetwork, type Passing } from '../../support/bad-network.ts'
import { openTestApp } from '../../support/app.ts'

const t = await openTestApp({ own: true })
const proxy = await openBadNetwork(await t.app.listen({ host: '127.0.0.1', port: 0 }))
const platform = await t.platform()
const user = await t.user(platform)
const holder = userId(user.id)
const settings = { basicToken: platform.basicToken, baseUrl: proxy.url }
const isToken = ({ path }: Passing) => path === '/v1/oauth/token'
const exchanges = () => proxy.seen.filter(isToken).length

beforeEach(() => {
  proxy.seen.length = 0
  proxy.disturbanceOf = () => 'pass'
})

const unauthorised = {
  status: 401,
  headers: { 'content-type': 'application/problem+json' },
  body: JSON.stringify({ code: 'token_expired', status: 401, title: 'Expired' }),
}

describe('the access token of a basic_token', () => {
  it('is fetched once for 30 calls at the same time, and kept', async () => {
    const banyan = new Banyan(settings)
    const reads = await Promise.all(Array.from({ length: 30 }, () => banyan.user(holder).read()))
    await banyan.user(holder).read()
    assert.deepEqual([reads.length, exchanges()], [30, 1])
  })

  it('is fetched once more after a 401, once for all calls, and the calls succeed', async () => {
    const banyan = new Banyan(settings)
    await banyan.user(holder).read()
    const old = String(proxy.seen.at(-1)?.headers['authorization'])
    proxy.seen.length = 0
    proxy.disturbanceOf = ({ headers }) => (headers['authorization'] === old ? unauthorised : 'pass')
    await Promise.all(Array.from({ length: 10 }, () => banyan.user(holder).read()))
    assert.deepEqual([exchanges(), proxy.seen.filter((one) => !isToken(one)).length], [1, 20])
  })

  it('refused twice is an AuthenticationError, not a third attempt', async () => {
    proxy.disturbanceOf = (request) => (isToken(request) ? 'pass' : unauthorised)
    await assert.rejects(new Banyan(settings).user(holder).read(), AuthenticationError)
    assert.deepEqual([exchanges(), proxy.seen.length], [2, 4])
  })

  it('is renewed ahead of its end, while calls go on with the one they have', async () => {
    let lifetime = 60
    const short: typeof fetch = async (url, init) => {
      const response = await fetch(url, init)
      if (!String(url instanceof Request ? url.url : url).endsWith('/oauth/token')) return response
      const issued = (await response.json()) as object
      return Response.json({ ...issued, expires_in: lifetime })
    }
    const banyan = new Banyan({ ...settings, fetch: short })
    const { now } = Date
    try {
      await banyan.user(holder).read()
      lifetime = 3_600
      Date.now = () => now() + 49_000 // 11 of 60 seconds are left
      await banyan.user(holder).read()
      const used = proxy.seen.filter((one) => !isToken(one)).map(({ headers }) => headers['authorization'])
      assert.deepEqual([used.length, new Set(used).size], [2, 1], 'the call does not wait for the new token')
      await within(DEADLINE_MS, async () => exchanges() === 2)
    } finally {
      Date.now = now
    }
  })

  it('that cannot be had fails the call as what it is', async () => {
    const wrong = new Banyan({ ...settings, basicToken: Buffer.from('crd_x:wrong').toString('base64') })
    await assert.rejects(wrong.user(holder).read(), { status: 401 })
    await assert.rejects(new Banyan({ baseUrl: proxy.url }).user(holder).read(), /needs the setting basicToken/)
  })

  it('of a user, given as text, is not asked for again after a 401; given as a function, it is', async () => {
    await assert.rejects(new Banyan({ ...settings, accessToken: 'wrong' }).user(holder).read(), AuthenticationError)
    assert.equal(proxy.seen.length, 1)
    const given: (string | undefined)[] = []
    const accessToken = (refused?: string) => {
      given.push(refused)
      return refused === undefined ? 'stale' : user.token
    }
    const { user_id } = await new Banyan({ ...settings, accessToken }).user(holder).read()
    assert.deepEqual([user_id, given], [user.id, [undefined, 'stale']])
  })
})

describe('what others see', () => {
  it('hooks see the operation, status and time; no id, key, token, or content', async () => {
    const reports: unknown[] = []
    const onRequest = (report: object) => {
      reports.push(report)
      return { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' }
    }
    const onResponse = (report: ResponseReport) => void reports.push(report)
    const banyan = new Banyan({ ...settings, onRequest, onResponse, userAgent: 'acme-benefits/2.1' })
    const body = { phone_country_code: '+91', phone_number: '9876543210', first_name: 'Asha' }
    await banyan.users.issueToken(body)
    await banyan.user(holder).update({ email: 'asha@example.com' })
    await banyan
      .user(holder)
      .wallet.credit(Money.paise(1), { reference: 'none' })
      .catch(() => {})
    const text = JSON.stringify(reports)
    const secrets = proxy.seen.flatMap(({ headers }) => [headers['authorization'], headers['idempotency-key']])
    for (const secret of [...secrets, platform.basicToken, user.id, '9876543210', 'Asha', 'asha@example.com'])
      if (secret !== undefined) assert(!text.includes(secret.replace(/^\w+ /, '')), 'nothing secret or personal')
    const { durationMs, requestId, ...last } = reports.at(-1) as ResponseReport
    assert.deepEqual(last, {
      operation: 'creditWallet',
      method: 'POST',
      path: '/v1/users/{user_id}/wallet/credits',
      attempt: 1,
      status: 404,
      error: 'not_found',
      retryInMs: undefined,
    })
    assert(durationMs >= 0 && requestId?.startsWith('req_'))
    const { 'user-agent': agent, traceparent } = proxy.seen.at(-1)?.headers ?? {}
    assert.match(String(agent), /^acme-benefits\/2\.1 banyan-client\/\d+\.\d+\.\d+(?:-dev)? node\/\d+/)
    assert.match(String(traceparent), /^00-0af7/)
  })

  it('a hook that throws fails no call', async () => {
    const onRequest = () => {
      throw new Error('the log is full')
    }
    assert.equal(
      (await new Banyan({ ...settings, onRequest, onResponse: onRequest }).user(holder).read()).user_id,
      user.id,
    )
  })

  it('a printed client shows no secret, and neither does an error', async () => {
    const banyan = new Banyan({ ...settings, accessToken: 'secret-token' })
    const error: unknown = await banyan
      .user(holder)
      .read()
      .catch((error: unknown) => error)
    for (const one of [banyan, banyan.user(holder), error]) {
      const text = inspect(one, { depth: 9, showHidden: true }) + JSON.stringify(one)
      assert(!text.includes('secret-token') && !text.includes(platform.basicToken))
    }
  })
})
