import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { BookingInput } from '../../../src/domains/money/ledger/records.ts'
import { type TestResponse, openTestApp } from '../../support/app.ts'
import { type Holder, openBookings } from '../../support/bookings.ts'
import { assertSameNotFound, errorsOf } from '../../support/problems.ts'

const t = await openTestApp()
const { holder, credit, debit, credited } = openBookings(t)

const list = ({ wallet }: Pick<Holder, 'wallet'>, query = '') =>
  t.call('GET', `/wallet/v1/wallet/transactions${query}`, { token: wallet.token })

const references = ({ body }: TestResponse): string[] => body.data.map((one: { reference: string }) => one.reference)

/** A value for each member that a booking can have. */
const everyMember = Object.fromEntries(
  Object.entries(BookingInput.properties).map(([name, schema]) => {
    const { type, enum: words } = schema as { type: string | string[]; enum?: unknown[] }
    return [name, words?.[0] ?? (type === 'integer' ? 700 : `A ${name}`)]
  }),
)

async function booked(count: number): Promise<Holder> {
  const own = await holder()
  for (let n = 1; n <= count; n++) await credit(own, { amount: n, reference: `no-${n}` })
  return own
}

describe('GET /wallet/v1/wallet/transactions', () => {
  it('200 lists the bookings newest first, identical to the responses that created them', async () => {
    const own = await holder()
    const first = (await credit(own, { amount: 900, reference: 'in', description: 'May, दवा' })).body
    const second = (await debit(own, { amount: 250, reference: 'out' })).body
    const response = await list(own)
    assert.equal(response.status, 200, response.text)
    assert.deepEqual(response.body, { data: [second, first], limit: 20, offset: 0, total: 2 })
    assert.equal(response.headers['cache-control'], 'no-store')
  })

  it('200 shows each member as it was sent; so do the list of the platform and the export', async () => {
    const own = await holder()
    const spent = await credit(own, { amount: everyMember.amount, reference: 'before' }).then(() =>
      debit(own, { amount: everyMember.amount, reference: 'spent' }),
    )
    const booking = { ...everyMember, refund_of: spent.body.id }
    const sent = await credit(own, booking)
    assert.equal(sent.status, 201, sent.text)
    const { token } = own.platform
    const [ofUser, ofPlatform, exported] = [
      await list(own),
      await t.call('GET', `/v1/users/${own.user.id}/wallet/transactions`, { token }),
      await t.call('GET', `/v1/users/${own.user.id}/export`, { token }),
    ]
    for (const bookings of [ofUser.body.data, ofPlatform.body.data, exported.body.wallet_transactions])
      assert.partialDeepStrictEqual(bookings, [booking])
  })

  it('200 keeps the order of booking, even within one second', async () => {
    const own = await booked(25)
    const expected = Array.from({ length: 25 }, (_, index) => `no-${25 - index}`)
    assert.deepEqual(references(await list(own, '?limit=100')), expected)
    const [row] = await t.sql(
      `select count(distinct date_trunc('second', created_at)) < count(*) as tied
         from ledger_transactions where user_id = $1`,
      [own.user.id],
    )
    assert.deepEqual(row, { tied: true })
  })

  it('200 in pages with exact totals and links', async () => {
    const own = await booked(7)
    const page = await list(own, '?limit=3&offset=3')
    assert.deepEqual(references(page), ['no-4', 'no-3', 'no-2'])
    const { limit, offset, total } = page.body
    assert.deepEqual({ limit, offset, total }, { limit: 3, offset: 3, total: 7 })
    const path = '/wallet/v1/wallet/transactions?limit=3&offset='
    assert.equal(
      page.headers['link'],
      `<${path}0>; rel="first", <${path}0>; rel="prev", <${path}6>; rel="next", <${path}6>; rel="last"`,
    )
    assert.deepEqual(references(await list(own, '?limit=3&offset=6')), ['no-1'])
    const beyond = await list(own, '?offset=7')
    assert.deepEqual([beyond.status, beyond.body.data, beyond.body.total], [200, [], 7])
  })

  it('200 with an empty list for a wallet without bookings, a blocked one and one not yet provisioned', async () => {
    const platform = await t.platform()
    const pending = await t.user(platform)
    const token = await t.walletToken(platform, pending)
    await t.made('POST', '/wallet/v1/wallet', { token })
    for (const wallet of [(await holder()).wallet, (await holder('BLOCKED')).wallet, { id: '', userId: '', token }]) {
      const { status, body } = await list({ wallet })
      assert.deepEqual([status, body], [200, { data: [], limit: 20, offset: 0, total: 0 }])
    }
  })

  it('200 shows nobody else’s bookings', async () => {
    const [own, sibling] = [await holder(), await holder()]
    await credited(own, 5)
    await credited(sibling, 7)
    const { data, total } = (await list(own)).body
    assert.deepEqual([total, data.map((one: { amount: number }) => one.amount)], [1, [5]])
  })

  it('401 without a token and with a token of the main interface; 404 without a wallet', async () => {
    const platform = await t.platform()
    const user = await t.user(platform)
    for (const options of [{}, { token: user.token }, { token: platform.token }]) {
      assert.equal((await t.call('GET', '/wallet/v1/wallet/transactions', options)).status, 401)
    }
    const wallet = { id: '', userId: user.id, token: await t.walletToken(platform, user) }
    const none = await list({ wallet })
    assertSameNotFound(none, await t.call('GET', '/wallet/v1/wallet', { token: wallet.token }))
  })

  it('404 for a token that names another platform than the user’s', async () => {
    const own = await holder()
    await credited(own, 5)
    const stranger = await t.platform()
    const wallet = { ...own.wallet, token: await t.walletToken(stranger, own.user) }
    assert.equal((await list({ wallet })).status, 404)
  })

  it('422 reports every error of the query at once', async () => {
    const { wallet } = await holder()
    const errors = async (query: string) => errorsOf(await list({ wallet }, query))
    assert.deepEqual(await errors('?limit=0&offset=-1&status=x'), [
      'query:limit too_small',
      'query:offset too_small',
      'query:status unknown',
    ])
    assert.deepEqual(await errors('?limit=101&offset=100001'), ['query:limit too_large', 'query:offset too_large'])
    assert.deepEqual(await errors('?limit=ten'), ['query:limit type'])
  })
})
