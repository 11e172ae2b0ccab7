import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp, type TestPlatform } from '../../support/app.ts'
import { openBookings } from '../../support/bookings.ts'
import { assertSameNotFound, conflictOf, errorsOf } from '../../support/problems.ts'

const t = await openTestApp()
const { holder, credit, debit, assertBooked } = openBookings(t)

const urlOf = ({ id }: { id: string }) => `/v1/platforms/${id}/wallet_limits`
const put = (platform: { id: string }, wallet_limits: unknown, token = t.operator) =>
  t.call('PUT', urlOf(platform), { token, body: { wallet_limits } })

async function limit(platform: TestPlatform, limits: object): Promise<void> {
  const response = await put(platform, [{ from_day: '2026-01-01', ...limits }])
  assert.equal(response.status, 200, response.text)
  await t.deps.walletLimits.read()
}

const NOTHING = {
  balance: null,
  credits_a_month: null,
  credits_a_year: null,
  debits_a_month: null,
  debits_a_year: null,
}

describe('PUT /v1/platforms/{platform_id}/wallet_limits', () => {
  it('200 keeps the list by its days; the platform reads it and may not set it', async () => {
    const platform = await t.platform()
    assert.deepEqual((await t.call('GET', urlOf(platform), { token: platform.token })).body, { wallet_limits: [] })
    const set = await put(platform, [
      { from_day: '2027-04-01', balance: 5_000, credits_a_month: null },
      { from_day: '2026-04-01', debits_a_year: 0 },
    ])
    assert.equal(set.status, 200, set.text)
    const expected = [
      { from_day: '2026-04-01', ...NOTHING, debits_a_year: 0 },
      { from_day: '2027-04-01', ...NOTHING, balance: 5_000 },
    ]
    assert.deepEqual(set.body, { wallet_limits: expected })
    const read = await t.call('GET', urlOf(platform), { token: platform.token })
    assert.deepEqual([read.body, read.headers['etag']], [set.body, set.headers['etag']])
    assert.deepEqual((await put(platform, read.body.wallet_limits)).body, set.body)
    assert.equal((await put(platform, [], platform.token)).status, 403)
    const foreign = { token: (await t.platform()).token }
    assertSameNotFound(
      await t.call('GET', urlOf(platform), foreign),
      await t.call('GET', urlOf({ id: 'plt_unknown' }), { token: t.viewer }),
    )
  })

  it('422 names a day that is there twice, and an amount below zero', async () => {
    const refused = await put(await t.platform(), [{ from_day: '2026-04-01', balance: -1 }, { from_day: '2026-04-01' }])
    assert.deepEqual(errorsOf(refused).toSorted(), [
      '/wallet_limits/0/balance too_small',
      '/wallet_limits/1/from_day duplicate',
    ])
  })

  it('412 when somebody else has changed the list', async () => {
    const platform = await t.platform()
    const { headers } = await put(platform, [{ from_day: '2026-04-01', balance: 1 }])
    await put(platform, [{ from_day: '2026-04-01', balance: 2 }])
    const late = await t.call('PUT', urlOf(platform), {
      token: t.operator,
      body: { wallet_limits: [] },
      headers: { 'if-match': String(headers['etag']) },
    })
    assert.equal(late.status, 412)
  })
})

describe('a wallet of a platform that limits its wallets', () => {
  it('409 limit_reached names the limit, what is left and when it is free; what fits is booked', async () => {
    const own = await holder()
    await limit(own.platform, { balance: 10_000, credits_a_month: 6_000, debits_a_month: 500 })
    assert.equal((await credit(own, { amount: 5_000, reference: 'a' })).status, 201)
    const above = await credit(own, { amount: 1_001, reference: 'b' })
    assert.equal(conflictOf(above), 'limit_reached')
    const { limit: name, left_paise: left, free_on } = above.body
    assert.deepEqual([name, left], ['credits_a_month', 1_000])
    assert.match(free_on, /^\d{4}-\d\d-01$/)
    assert(free_on > new Date().toISOString().slice(0, 10))
    assert.equal((await credit(own, { amount: 1_000, reference: 'c' })).status, 201)
    assert.equal((await debit(own, { amount: 500, reference: 'd' })).status, 201)
    const spent = await debit(own, { amount: 1, reference: 'e' })
    assert.deepEqual(
      [conflictOf(spent), spent.body.limit, spent.body.left_paise],
      ['limit_reached', 'debits_a_month', 0],
    )
    await assertBooked(own, { balance: 5_500, transactions: 3 })
  })

  it('409 a balance above its limit is free on no day', async () => {
    const own = await holder()
    await limit(own.platform, { balance: 100 })
    const { body } = await credit(own, { amount: 101, reference: 'a' })
    assert.deepEqual([body.reason, body.limit, body.left_paise, body.free_on], ['limit_reached', 'balance', 100, null])
  })

  it('201 a refund counts in no limit and is not limited', async () => {
    const own = await holder()
    await limit(own.platform, { balance: 1_000, credits_a_month: 1_000 })
    await credit(own, { amount: 1_000, reference: 'a' })
    const bought = (await debit(own, { amount: 400, reference: 'b' })).body
    const back = await credit(own, { amount: 400, reference: 'c', refund_of: bought.id })
    assert.deepEqual([back.status, back.body.balance_after], [201, 1_000])
    const wallet = await t.call('GET', `/v1/users/${own.user.id}/wallet`, { token: own.platform.token })
    const used = wallet.body.limits.map((one: { limit: string; used: number }) => [one.limit, one.used])
    assert.deepEqual(used, [
      ['balance', 1_000],
      ['credits_a_month', 1_000],
    ])
  })

  it('200 the wallet says what is left, to its platform and to its holder; others say nothing of limits', async () => {
    const own = await holder()
    const readings = async () => [
      await t.call('GET', `/v1/users/${own.user.id}/wallet`, { token: own.platform.token }),
      await t.call('GET', '/wallet/v1/wallet', { token: own.wallet.token }),
    ]
    for (const { body } of await readings()) assert(!('limits' in body))
    await limit(own.platform, { credits_a_year: 900 })
    await credit(own, { amount: 250, reference: 'a' })
    for (const { body } of await readings()) {
      assert.equal(body.limits.length, 1)
      const [{ free_on, ...rest }] = body.limits
      assert.deepEqual(rest, { limit: 'credits_a_year', amount: 900, used: 250, left: 650 })
      assert.match(free_on, /^\d{4}-04-01$/)
    }
  })

  it('a day that has not begun limits nothing, and other platforms are not limited', async () => {
    const own = await holder()
    await put(own.platform, [{ from_day: '2999-01-01', balance: 0 }])
    await t.deps.walletLimits.read()
    assert.equal((await credit(own, { amount: 1_000, reference: 'a' })).status, 201)
    const [limited, free] = [await holder(), await holder()]
    await limit(limited.platform, { balance: 0 })
    assert.equal((await credit(free, { amount: 1, reference: 'a' })).status, 201)
    assert.equal(conflictOf(await credit(limited, { amount: 1, reference: 'a' })), 'limit_reached')
  })

  it('costs no query where nothing is limited, and one where something is', async () => {
    const own = await holder()
    const sumsFor = async (reference: string) => {
      t.sent.length = 0
      assert.equal((await credit(own, { amount: 1, reference })).status, 201)
      return t.sent.filter((name) => name === 'ledger_transactions_sum').length
    }
    assert.equal(await sumsFor('a'), 0)
    await limit(own.platform, { balance: 1_000 })
    assert.equal(await sumsFor('b'), 1)
  })
})
