import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp } from '../../support/app.ts'
import { openBookings } from '../../support/bookings.ts'
import { assertSameNotFound, errorsOf } from '../../support/problems.ts'

const t = await openTestApp()
const { holder, credit, debit, credited } = openBookings(t)

type Who = { id: string }

const read = (user: Who, token: string | undefined, headers = {}) =>
  t.call('GET', `/v1/users/${user.id}/wallet`, { ...(token && { token }), headers })

const list = (user: Who, token: string | undefined, query = '') =>
  t.call('GET', `/v1/users/${user.id}/wallet/transactions${query}`, { ...(token && { token }) })

/** Callers without access, of the same platform and of others. */
const others = async () => [await t.provider(), await t.user(await t.platform())].map(({ token }) => token)

describe('GET /v1/users/{user_id}/wallet', () => {
  it('200 returns to the platform and every administrator what the user sees', async () => {
    const own = await holder()
    await credited(own, 12_345)
    const seen = await t.call('GET', '/wallet/v1/wallet', { token: own.wallet.token })
    assert.equal(seen.body.balance, 12_345)
    for (const token of [own.platform.token, t.viewer, t.operator, t.owner]) {
      const response = await read(own.user, token)
      assert.deepEqual(
        [response.status, response.body, response.headers['etag']],
        [200, seen.body, seen.headers['etag']],
      )
    }
  })

  it('304 for its ETag until something is booked', async () => {
    const own = await holder()
    const etag = String((await read(own.user, t.viewer)).headers['etag'])
    const same = await read(own.user, t.viewer, { 'if-none-match': etag })
    assert.deepEqual([same.status, same.text], [304, ''])
    await credited(own, 1)
    assert.equal((await read(own.user, t.viewer, { 'if-none-match': etag })).status, 200)
  })

  it('401 without a token and with a wallet token, 403 for app users and benefit providers', async () => {
    const { user, wallet } = await holder()
    for (const token of [undefined, wallet.token]) assert.equal((await read(user, token)).status, 401)
    for (const token of [user.token, ...(await others())]) assert.equal((await read(user, token)).status, 403)
  })

  it('404 that says so for a user without a wallet, to those who may see the user; reading creates none', async () => {
    const [own, stranger] = [await holder(), await t.platform()]
    const without = await t.user(own.platform)
    const missing = await read({ id: '099999999999' }, t.owner)
    for (const token of [own.platform.token, t.viewer, t.operator, t.owner]) {
      const { status, body } = await read(without, token)
      assert.deepEqual([status, body.code], [404, 'not_found'])
      assert.match(body.detail, /^The user has no wallet\. Only the user can create it/)
    }
    const retried = await t.call('POST', `/v1/users/${without.id}/wallet/retry`, { token: t.operator })
    assert.match(retried.body.detail, /^The user has no wallet/)
    for (const user of [own.user, without]) assertSameNotFound(await read(user, stranger.token), missing)
    assert.deepEqual(await t.sql('select 1 from wallets where user_id = $1', [without.id]), [])
  })
})

describe('GET /v1/users/{user_id}/wallet/transactions', () => {
  it('200 returns to the platform and every administrator what the user sees, in pages', async () => {
    const own = await holder()
    await credit(own, { amount: 900, reference: 'in', description: 'May, दवा' })
    await debit(own, { amount: 250, reference: 'out' })
    const seen = await t.call('GET', '/wallet/v1/wallet/transactions', { token: own.wallet.token })
    assert.equal(seen.body.total, 2)
    for (const token of [own.platform.token, t.viewer, t.operator, t.owner]) {
      const response = await list(own.user, token)
      assert.deepEqual([response.status, response.body], [200, seen.body])
    }
    const page = await list(own.user, t.viewer, '?limit=1&offset=1')
    assert.deepEqual([page.body.data, page.body.total], [seen.body.data.slice(1), 2])
    const path = `/v1/users/${own.user.id}/wallet/transactions?limit=1&offset=`
    const links = [`<${path}0>; rel="first"`, `<${path}0>; rel="prev"`, `<${path}1>; rel="last"`]
    assert.equal(page.headers['link'], links.join(', '))
  })

  it('200 with an empty list before the first booking, and never another user’s bookings', async () => {
    const [own, other] = [await holder(), await holder()]
    await credited(other, 5)
    assert.deepEqual((await list(own.user, t.viewer)).body, { data: [], limit: 20, offset: 0, total: 0 })
  })

  it('takes one statement of the ledger on each interface', async () => {
    const own = await holder()
    for (const call of [
      () => list(own.user, own.platform.token),
      () => t.call('GET', '/wallet/v1/wallet/transactions', { token: own.wallet.token }),
    ]) {
      t.sent.length = 0
      assert.equal((await call()).status, 200)
      const sent = t.sent.filter((name) => name.startsWith('ledger_'))
      assert.deepEqual(sent, ['ledger_transactions_list'])
    }
  })

  it('401 without a token and with a wallet token, 403 for app users and benefit providers', async () => {
    const { user, wallet } = await holder()
    for (const token of [undefined, wallet.token]) assert.equal((await list(user, token)).status, 401)
    for (const token of [user.token, ...(await others())]) assert.equal((await list(user, token)).status, 403)
  })

  it('404 for another platform’s wallet as for a missing one, whatever the query; 422 reports the errors', async () => {
    const [own, stranger] = [await holder(), await t.platform()]
    const missing = await list({ id: '099999999999' }, own.platform.token)
    const without = await list(await t.user(own.platform), own.platform.token)
    assert.match(without.body.detail, /^The user has no wallet/)
    assertSameNotFound(await list(own.user, stranger.token), missing)
    assertSameNotFound(await list(own.user, stranger.token, '?limit=0'), missing)
    const response = await list(own.user, own.platform.token, '?limit=0&status=x')
    assert.deepEqual(errorsOf(response), ['query:limit too_small', 'query:status unknown'])
  })
})
