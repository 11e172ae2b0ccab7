import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type TestResponse, openTestApp } from '../../support/app.ts'
import { openBookings } from '../../support/bookings.ts'
import { assertSameNotFound, conflictOf, errorsOf } from '../../support/problems.ts'
import { everythingStored } from '../../support/stored.ts'

const t = await openTestApp()
const { holder, credit, debit, credited, assertBooked } = openBookings(t)

const MAX = Number.MAX_SAFE_INTEGER

function assertInvalidState(response: TestResponse, current: string, allowed: string[]): void {
  assert.equal(response.status, 409, response.text)
  const { code, current_state, allowed_transitions } = response.body
  assert.deepEqual(
    { code, current_state, allowed_transitions },
    {
      code: 'invalid_state',
      current_state: current,
      allowed_transitions: allowed,
    },
  )
}

describe('POST /v1/users/{user_id}/wallet/credits and debits', () => {
  it('201 books paise in and out, with both entries, the balance and an event without amounts', async () => {
    const own = await holder()
    const input = { amount: 50_000, reference: 'payroll-2026-04', description: 'Wellness “हाँ” ₹' }
    const first = await credit(own, input)
    assert.equal(first.status, 201, first.text)
    const { id, created_at, ...rest } = first.body
    assert.match(id, /^txn_[0-9a-z]{26}$/)
    assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/)
    assert.deepEqual(rest, { transaction_type: 'CREDIT', balance_after: 50_000, refund_of: null, ...input })
    assert.equal(first.headers['cache-control'], 'no-store')
    assert.equal(first.headers['idempotent-replayed'], undefined)

    const second = await debit(own, { amount: 20_001, reference: 'clinic-7' })
    assert.equal(second.status, 201, second.text)
    const { transaction_type, amount, balance_after, description } = second.body
    assert.deepEqual(
      { transaction_type, amount, balance_after, description },
      { transaction_type: 'DEBIT', amount: 20_001, balance_after: 29_999, description: null },
    )
    await assertBooked(own, { balance: 29_999, transactions: 2 })

    const entries = await t.sql(
      'select ledger_account, amount_paise::int as amount from ledger_entries where transaction_id = $1 order by 1',
      [second.body.id],
    )
    assert.deepEqual(entries, [
      { ledger_account: 'PLATFORM_FLOAT', amount: 20_001 },
      { ledger_account: 'WALLET', amount: -20_001 },
    ])
    const [event] = await t.sql(`select platform_id, data from events where data->>'transaction_id' = $1`, [id])
    const data = { user_id: own.user.id, wallet_id: own.wallet.id, transaction_id: id, transaction_type: 'CREDIT' }
    assert.deepEqual(event, { platform_id: own.platform.id, data })
  })

  it('201 stores the description sealed, and the actor', async () => {
    const own = await holder()
    await credit(own, { amount: 1, reference: 'sealed-1', description: 'for a private matter' })
    assert(!(await everythingStored(t)).includes('private matter'))
    const rows = await t.sql('select actor from ledger_transactions where user_id = $1', [own.user.id])
    assert.deepEqual(rows, [{ actor: `platform:${own.platform.id}` }])
  })

  it('201 is exact up to 2^53−1 paise, on the wire too', async () => {
    const own = await holder()
    assert.match((await credit(own, { amount: MAX - 2, reference: 'a' })).text, /"balance_after":9007199254740989,/)
    assert.match((await credit(own, { amount: 1, reference: 'b' })).text, /"balance_after":9007199254740990,/)
    assert.match((await credit(own, { amount: 1, reference: 'c' })).text, /"balance_after":9007199254740991,/)
    const { text } = await t.call('GET', '/wallet/v1/wallet', { token: own.wallet.token })
    assert.match(text, /"balance":9007199254740991,/)
    await assertBooked(own, { balance: MAX, transactions: 3 })
    const all = await debit(own, { amount: MAX, reference: 'd' })
    assert.deepEqual([all.status, all.body.amount, all.body.balance_after], [201, MAX, 0])
    await assertBooked(own, { balance: 0, transactions: 4 })
  })

  it('409 conflict for a credit beyond 2^53−1; nothing is booked', async () => {
    const own = await holder()
    await credited(own, MAX)
    for (const amount of [1, 2, MAX])
      assert.equal(conflictOf(await credit(own, { amount, reference: `over-${amount}` })), 'limit_reached')
    await assertBooked(own, { balance: MAX, transactions: 1 })
  })

  it('409 conflict for a debit above the balance; nothing is booked', async () => {
    const own = await holder()
    assert.equal(conflictOf(await debit(own, { amount: 1, reference: 'r1' })), 'insufficient_balance')
    await credited(own, 100)
    for (const amount of [101, MAX]) {
      assert.equal(conflictOf(await debit(own, { amount, reference: `too-much-${amount}` })), 'insufficient_balance')
    }
    await assertBooked(own, { balance: 100, transactions: 1 })
    assert.equal((await debit(own, { amount: 100, reference: 'r1' })).status, 201, 'an error uses up no reference')
    await assertBooked(own, { balance: 0, transactions: 2 })
  })

  it('201 for exactly those of 20 concurrent debits that the balance covers', async () => {
    const own = await holder()
    await credited(own, 750)
    const debits = Array.from({ length: 20 }, (_, n) => debit(own, { amount: 100, reference: `debit-${n}` }))
    const responses = await Promise.all(debits)
    const booked = responses.filter((response) => response.status === 201)
    assert.equal(booked.length, 7)
    const refused = responses.filter((response) => response.status !== 201)
    for (const response of refused) assert.equal(conflictOf(response), 'insufficient_balance')
    const balances = new Set(booked.map((response) => response.body.balance_after))
    assert.deepEqual(balances, new Set([650, 550, 450, 350, 250, 150, 50]))
    await assertBooked(own, { balance: 50, transactions: 8 })
  })

  it('201 for 20 concurrent credits and debits on two wallets, each against its own balance', async () => {
    const [one, other] = [await holder(), await holder()]
    await Promise.all([credited(one, 1_000), credited(other, 2_000)])
    const work = Array.from({ length: 10 }, (_, n) => [
      credit(one, { amount: 7, reference: `c${n}` }),
      debit(one, { amount: 5, reference: `d${n}` }),
      debit(other, { amount: 11, reference: `d${n}` }),
    ])
    for (const { status, text } of await Promise.all(work.flat())) assert.equal(status, 201, text)
    await assertBooked(one, { balance: 1_020, transactions: 21 })
    await assertBooked(other, { balance: 1_890, transactions: 11 })
  })
})

describe('references', () => {
  it('409 conflict for a reference already booked, as credit or debit; nothing is booked', async () => {
    const own = await holder()
    await credit(own, { amount: 500, reference: 'invoice-1' })
    assert.equal(conflictOf(await credit(own, { amount: 500, reference: 'invoice-1' })), 'reference_used')
    assert.equal(conflictOf(await debit(own, { amount: 1, reference: 'invoice-1' })), 'reference_used')
    await assertBooked(own, { balance: 500, transactions: 1 })
  })

  it('409 reference_used for a booked reference even when the balance would not cover it again', async () => {
    const own = await holder()
    await credited(own, 100)
    assert.equal((await debit(own, { amount: 100, reference: 'all of it' })).status, 201)
    assert.equal(conflictOf(await debit(own, { amount: 100, reference: 'all of it' })), 'reference_used')
    assert.equal(conflictOf(await debit(own, { amount: 100, reference: 'more' })), 'insufficient_balance')

    const debits = Array.from({ length: 10 }, () => debit(own, { amount: 60, reference: 'at once' }))
    for (const response of await Promise.all(debits)) assert.equal(conflictOf(response), 'insufficient_balance')
    await credit(own, { amount: 60, reference: 'for one' })
    const again = await Promise.all(Array.from({ length: 10 }, () => debit(own, { amount: 60, reference: 'at once' })))
    const refused = again.filter((response) => response.status !== 201)
    assert.equal(refused.length, 9)
    for (const response of refused) assert.equal(conflictOf(response), 'reference_used')
    await assertBooked(own, { balance: 0, transactions: 4 })

    await credit(own, { amount: MAX, reference: 'full' })
    assert.equal(conflictOf(await credit(own, { amount: MAX, reference: 'full' })), 'reference_used')
    await t.sql(`update wallets set wallet_status_partner = 'BLOCKED' where user_id = $1`, [own.user.id])
    assert.equal(conflictOf(await debit(own, { amount: 60, reference: 'at once' })), 'reference_used')
    await assertBooked(own, { balance: MAX, transactions: 5 })
  })

  it('201 for one of 10 concurrent bookings with one reference', async () => {
    const own = await holder()
    const responses = await Promise.all(Array.from({ length: 10 }, () => credit(own, { amount: 5, reference: 'once' })))
    const refused = responses.filter((response) => response.status !== 201)
    assert.equal(refused.length, 9)
    for (const response of refused) assert.equal(conflictOf(response), 'reference_used')
    await assertBooked(own, { balance: 5, transactions: 1 })
  })

  it('201 for the same reference on another user’s wallet, and for one that differs in case or spaces', async () => {
    const [one, other] = [await holder(), await holder()]
    for (const each of [one, other]) assert.equal((await credit(each, { amount: 5, reference: 'same' })).status, 201)
    for (const reference of ['Same', ' same', 'same ']) {
      const { status, body } = await credit(one, { amount: 5, reference })
      assert.deepEqual([status, body.reference], [201, reference])
    }
  })
})

describe('wallets that cannot be booked', () => {
  it('409 invalid_state for a debit of a blocked wallet; a credit is accepted', async () => {
    const own = await holder('BLOCKED')
    await credited(own, 300)
    const refused = await debit(own, { amount: 1, reference: 'd' })
    assertInvalidState(refused, 'BLOCKED', []) // only the operator unblocks
    assert.match(refused.body.detail, /takes credits, but no debits/)
    await assertBooked(own, { balance: 300, transactions: 1 })
    await t.sql(`update wallets set wallet_status_partner = 'ACTIVE' where user_id = $1`, [own.user.id])
    assert.equal((await debit(own, { amount: 300, reference: 'd' })).status, 201)
  })

  it('409 invalid_state before the operator has created the wallet, for both', async () => {
    const platform = await t.platform()
    const user = await t.user(platform)
    await t.made('POST', '/wallet/v1/wallet', { token: await t.walletToken(platform, user) })
    for (const status of ['PENDING', 'IN_PROGRESS', 'RETRYING', 'FAILED', 'CREATED']) {
      await t.sql('update wallets set wallet_status = $2 where user_id = $1', [user.id, status])
      assertInvalidState(await credit({ platform, user }, { amount: 1, reference: 'a' }), status, [])
      assertInvalidState(await debit({ platform, user }, { amount: 1, reference: 'a' }), status, [])
    }
    assert.deepEqual(await t.sql('select 1 from ledger_transactions where user_id = $1', [user.id]), [])
  })

  it('404 for a user without a wallet, which says so to the user’s own platform only; nothing is booked', async () => {
    const platform = await t.platform()
    const user = await t.user(platform)
    const missing = await credit({ platform, user: { ...user, id: '999999999999' } }, { amount: 1, reference: 'a' })
    for (const book of [credit, debit]) {
      const { status, body } = await book({ platform, user }, { amount: 1, reference: 'a' })
      assert.deepEqual([status, body.code], [404, 'not_found'])
      assert.match(body.detail, /^The user has no wallet\. Only the user can create it/)
      const stranger = await t.platform()
      assertSameNotFound(await book({ platform: stranger, user }, { amount: 1, reference: 'a' }), missing)
    }
    assert.deepEqual(await t.sql('select 1 from ledger_transactions where user_id = $1', [user.id]), [])
  })
})

describe('allowed callers', () => {
  it('201 for the platform, operators and owners; 403 for everyone else', async () => {
    const own = await holder()
    const as = (token: string) => ({ user: own.user, platform: { token } })
    for (const token of [t.owner, t.operator, own.platform.token]) {
      assert.equal((await credit(as(token), { amount: 10, reference: token.slice(-20) })).status, 201)
    }
    for (const token of [own.user.token, (await t.provider()).token, t.viewer]) {
      for (const book of [credit, debit]) {
        const { status, body } = await book(as(token), { amount: 1, reference: 'mine' })
        assert.deepEqual([status, body.code], [403, 'forbidden'])
      }
    }
    await assertBooked(own, { balance: 30, transactions: 3 })
  })

  it('401 without a token and with a wallet token, before any other check', async () => {
    const { wallet } = await holder()
    for (const type of ['credits', 'debits']) {
      for (const options of [{}, { token: wallet.token }]) {
        const { status, body } = await t.call('POST', `/v1/users/7/wallet/${type}`, options)
        assert.deepEqual([status, body.code], [401, 'unauthenticated'])
      }
    }
  })

  it('404 for another platform’s user as for a missing one, whatever else is wrong', async () => {
    const [own, stranger] = [await holder(), await t.platform()]
    const nobody = { ...own.user, id: '999999999999' }
    for (const book of [credit, debit]) {
      for (const input of [{ amount: 1, reference: 'a' }, { amount: -1 }]) {
        const missing = await book({ platform: stranger, user: nobody }, input)
        assertSameNotFound(await book({ platform: stranger, user: own.user }, input), missing)
      }
    }
    const body = { amount: 1, reference: 'a' }
    const without = await t.call('POST', `/v1/users/${own.user.id}/wallet/credits`, { token: stranger.token, body })
    assert.equal(without.status, 404, 'ownership is looked at before the header')
    await assertBooked(own, { balance: 0, transactions: 0 })
  })
})

describe('errors', () => {
  it('422 reports every error at once, the header included; nothing is booked', async () => {
    const own = await holder()
    const errors = async (input: object) => errorsOf(await credit(own, input))
    assert.deepEqual(await errors({}), ['/amount required', '/reference required'])
    assert.deepEqual(await errors({ amount: 0, reference: '' }), ['/amount too_small', '/reference too_short'])
    assert.deepEqual(await errors({ amount: -1, reference: 'x'.repeat(201) }), [
      '/amount too_small',
      '/reference too_long',
    ])
    assert.deepEqual(await errors({ amount: 1.5, reference: 'a\n', description: '' }), [
      '/amount type',
      '/description too_short',
      '/reference format',
    ])
    assert.deepEqual(await errors({ amount: '1', reference: 7, description: 5 }), [
      '/amount type',
      '/description type',
      '/reference type',
    ])
    const url = `/v1/users/${own.user.id}/wallet/debits`
    const without = await t.call('POST', url, { token: own.platform.token, body: { amount: 0 } })
    assert.deepEqual(errorsOf(without), ['/amount too_small', '/reference required', 'header:idempotency-key required'])
    await assertBooked(own, { balance: 0, transactions: 0 })
  })

  it('400 for an amount that cannot be represented exactly', async () => {
    const own = await holder()
    for (const amount of ['9007199254740992', '1e400', '123456789012345678901']) {
      const { status, body } = await t.call('POST', `/v1/users/${own.user.id}/wallet/credits`, {
        token: own.platform.token,
        body: `{"amount":${amount},"reference":"a"}`,
        headers: { 'idempotency-key': 'k' },
      })
      assert.deepEqual([status, body.code], [400, 'malformed_json'])
    }
    await assertBooked(own, { balance: 0, transactions: 0 })
  })

  it('422 for a malformed user id and for query parameters; 404 for an unknown type of booking', async () => {
    const own = await holder()
    const options = {
      token: own.platform.token,
      body: { amount: 1, reference: 'a' },
      headers: { 'idempotency-key': 'k' },
    }
    assert.deepEqual(errorsOf(await t.call('POST', '/v1/users/12/wallet/credits', options)), ['path:user_id format'])
    const query = await t.call('POST', `/v1/users/${own.user.id}/wallet/credits?dry=1`, options)
    assert.deepEqual(errorsOf(query), ['query:dry unknown'])
    assert.equal((await t.call('POST', `/v1/users/${own.user.id}/wallet/refunds`, options)).status, 404)
    await assertBooked(own, { balance: 0, transactions: 0 })
  })
})
