import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import {
  Banyan,
  ConflictError,
  ConnectionError,
  Money,
  PermissionError,
  platformId,
  RateLimitError,
  responseOf,
  TimeoutError,
  UnavailableError,
  userId,
} from '../../../client/src/index.ts'
import { type Disturbance, openBadNetwork } from '../../support/bad-network.ts'
import { openTestApp } from '../../support/app.ts'
import { openBookings } from '../../support/bookings.ts'

const t = await openTestApp({ own: true })
const bookings = openBookings(t)
const proxy = await openBadNetwork(await t.app.listen({ host: '127.0.0.1', port: 0 }))
const { platform, user, wallet } = await bookings.holder()
const settings = { basicToken: platform.basicToken, baseUrl: proxy.url }
const walletOf = (banyan: Banyan) => banyan.user(userId(user.id)).wallet

const isToken = ({ path }: { path: string }) => path === '/v1/oauth/token'
const calls = () => proxy.seen.filter((one) => !isToken(one))
const keys = () => calls().map(({ headers }) => headers['idempotency-key'])

/** The disturbances of the calls in order; what comes after them passes, and so do tokens. */
function inOrder(...disturbances: Disturbance[]): void {
  proxy.disturbanceOf = (request) => (isToken(request) ? 'pass' : (disturbances.shift() ?? 'pass'))
}

beforeEach(() => {
  proxy.seen.length = 0
  inOrder()
})

const rejection = (status: number, headers: Record<string, string> = {}): Disturbance => ({
  status,
  headers: { 'content-type': 'application/problem+json', ...headers },
  body: JSON.stringify({ code: status === 429 ? 'rate_limited' : 'unavailable', status, title: 'Later' }),
})
const gateway = (status: number): Disturbance => ({
  status,
  headers: { 'content-type': 'text/html' },
  body: '<h1>Bad</h1>',
})

describe('a call that fails on its way', () => {
  let booked = 0
  const disturbances = ['lose', 'cut', 'break', rejection(503), rejection(429), gateway(502), gateway(504)] as const
  for (const disturbance of disturbances) {
    it(`is sent again with the same key, and done once: ${JSON.stringify(disturbance)}`, async () => {
      inOrder(disturbance)
      const { balance_after } = await walletOf(new Banyan(settings)).credit(Money.paise(100), {
        reference: `repeated-${booked}`,
      })
      booked++
      assert.equal(balance_after.paise, booked * 100)
      await bookings.assertBooked({ platform, user, wallet }, { balance: booked * 100, transactions: booked })
      assert.deepEqual([keys().length, new Set(keys()).size], [2, 1])
      assert.match(String(keys()[0]), /^[0-9a-f-]{36}$/)
    })
  }

  it('is sent again after 5 lost responses in a row, if it may; the record says that it was done before', async () => {
    inOrder('lose', 'lose', 'cut', 'lose', 'break')
    const record = await walletOf(new Banyan({ ...settings, maxRetries: 5 })).debit(Money.paise(100), {
      reference: 'late',
    })
    assert.deepEqual([responseOf(record)?.replayed, responseOf(record)?.status], [true, 201])
    assert.deepEqual([keys().length, new Set(keys()).size], [6, 1])
  })

  it('ends with the key of a write whose outcome is unknown, and with that key it is still done once', async () => {
    inOrder('lose', 'lose')
    const banyan = new Banyan({ ...settings, maxRetries: 1 })
    const body = { reference: 'unknown' }
    const error = await walletOf(banyan)
      .debit(Money.paise(100), body)
      .catch((error: unknown) => error)
    assert(error instanceof ConnectionError)
    assert.deepEqual([error.code, error.name, error.idempotencyKey], ['connection_lost', 'ConnectionError', keys()[0]])
    const record = await walletOf(banyan).debit(Money.paise(100), body, { idempotencyKey: error.idempotencyKey })
    assert.equal(responseOf(record)?.replayed, true)
  })

  it('of a write without a key is sent once', async () => {
    for (const disturbance of ['lose', 'cut', rejection(503)] as const) {
      proxy.seen.length = 0
      inOrder(disturbance)
      const phone = { phone_country_code: '+91', phone_number: user.phone }
      const sent = new Banyan(settings).wallet.signIn({ platform_id: platformId(platform.id), ...phone })
      await assert.rejects(sent, (error) => error instanceof ConnectionError || error instanceof UnavailableError)
      assert.deepEqual([calls().length, keys()], [1, [undefined]])
    }
  })

  it('of a read is sent again without a key', async () => {
    inOrder('lose', 'cut')
    const { user_id } = await new Banyan(settings).user(userId(user.id)).read()
    assert.deepEqual([user_id, keys()], [user.id, [undefined, undefined, undefined]])
  })

  it('that is wrong is not sent again: its class and reason say why', async () => {
    const holder = walletOf(new Banyan(settings))
    await holder.credit(Money.paise(100), { reference: 'once' })
    const error = await holder.credit(Money.paise(100), { reference: 'once' }).catch((error: unknown) => error)
    assert(error instanceof ConflictError)
    assert.deepEqual([error.status, error.code, error.reason], [409, 'conflict', 'reference_used'])
    assert.match(String(error.requestId), /^req_/)
    assert.equal(calls().length, 2)
    await assert.rejects(new Banyan(settings).benefits.create({} as never), PermissionError)
  })
})

describe('time', () => {
  it('Retry-After is waited for', async () => {
    inOrder(rejection(429, { 'retry-after': '1' }))
    await new Banyan(settings).user(userId(user.id)).read()
    const [first, second] = calls()
    assert(Number(second?.at) - Number(first?.at) >= 1_000)
  })

  it('a wait beyond the end of the call is an error at once, with the time to wait', async () => {
    inOrder(rejection(429, { 'retry-after': '3600' }))
    const error = await walletOf(new Banyan(settings))
      .credit(Money.paise(1), { reference: 'limited' }, { timeout: 60_000 })
      .catch((error: unknown) => error)
    assert(error instanceof RateLimitError)
    assert.deepEqual([error.retryAfterMs, error.idempotencyKey], [3_600_000, keys()[0]])
    assert.equal(calls().length, 1)
  })

  it('a call without a response in its time is a TimeoutError, with the key of the write', async () => {
    const banyan = new Banyan(settings)
    await banyan.benefits.list() // it has a token from here on
    proxy.seen.length = 0
    inOrder({ delayMs: 5_000 })
    const error = await walletOf(banyan)
      .debit(Money.paise(1), { reference: 'too-late' }, { timeout: 500 })
      .catch((error: unknown) => error)
    assert(error instanceof TimeoutError)
    assert.deepEqual([error.code, error.name, error.idempotencyKey], ['timeout', 'TimeoutError', keys()[0]])
  })

  it('an attempt that takes too long is given up and sent again', async () => {
    const banyan = new Banyan(settings)
    await banyan.benefits.list() // it has a token from here on
    proxy.seen.length = 0
    inOrder({ delayMs: 5_000 })
    const hurried = new Banyan({ ...settings, attemptTimeout: 2_000 })
    assert.equal((await hurried.user(userId(user.id)).read()).user_id, user.id)
    assert(calls().length >= 2)
  })

  it('an aborted call ends with the reason of its signal, and nothing more is sent', async () => {
    const controller = new AbortController()
    const reason = new Error('The person left')
    inOrder(rejection(503, { 'retry-after': '30' }), 'pass')
    const reading = new Banyan({
      ...settings,
      onResponse: ({ operation }) => {
        if (operation === 'readUser') controller.abort(reason)
      },
    })
      .user(userId(user.id))
      .read({ signal: controller.signal })
    await assert.rejects(reading, reason)
    await assert.rejects(new Banyan(settings).benefits.list({}, { signal: controller.signal }), reason)
    assert.equal(calls().length, 1)
  })
})
