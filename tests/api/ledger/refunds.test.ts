import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp } from '../../support/app.ts'
import { openBookings } from '../../support/bookings.ts'
import { conflictOf, errorsOf } from '../../support/problems.ts'

const t = await openTestApp()
const { holder, credit, debit, credited, assertBooked } = openBookings(t)

describe('a booking that gives an earlier one back (refund_of)', () => {
  it('201 in parts up to the amount of the booking, then 409 refund_exceeds with what is left', async () => {
    const own = await holder()
    await credited(own, 10_000)
    const bought = (await debit(own, { amount: 3_000, reference: 'spectacles' })).body
    const part = await credit(own, { amount: 1_000, reference: 'back-1', refund_of: bought.id })
    assert.deepEqual([part.status, part.body.refund_of, part.body.balance_after], [201, bought.id, 8_000])

    const above = await credit(own, { amount: 2_001, reference: 'back-2', refund_of: bought.id })
    assert.equal(conflictOf(above), 'refund_exceeds')
    assert.equal(above.body.left_paise, 2_000)
    const rest = await credit(own, { amount: 2_000, reference: 'back-3', refund_of: bought.id })
    assert.deepEqual([rest.status, rest.body.balance_after], [201, 10_000])
    const more = await credit(own, { amount: 1, reference: 'back-4', refund_of: bought.id })
    assert.deepEqual([conflictOf(more), more.body.left_paise], ['refund_exceeds', 0])
    await assertBooked(own, { balance: 10_000, transactions: 4 })
    const { body } = await t.call('GET', `/v1/users/${own.user.id}/wallet/transactions`, { token: own.platform.token })
    assert.deepEqual(
      body.data.map((one: { refund_of: string | null }) => one.refund_of),
      [bought.id, bought.id, null, null],
    )
  })

  it('201 a debit takes a credit back', async () => {
    const own = await holder()
    const wrong = await credited(own, 700)
    const { status, body } = await debit(own, { amount: 700, reference: 'wrong-person', refund_of: wrong.id })
    assert.deepEqual([status, body.balance_after], [201, 0])
  })

  it('422 names what is no such booking: unknown, another wallet’s, of the same direction, a refund itself', async () => {
    const [own, other] = [await holder(), await holder()]
    const paid = await credited(own, 500)
    const foreign = await credited(other, 500)
    const back = (await debit(own, { amount: 100, reference: 'back', refund_of: paid.id })).body
    const attempts = [
      await debit(own, { amount: 1, reference: 'a', refund_of: 'txn_unknown' }),
      await debit(own, { amount: 1, reference: 'b', refund_of: foreign.id }),
      await credit(own, { amount: 1, reference: 'c', refund_of: paid.id }),
      await credit(own, { amount: 1, reference: 'd', refund_of: back.id }),
    ]
    for (const attempt of attempts) {
      assert.equal(attempt.status, 422, attempt.text)
      assert.deepEqual(errorsOf(attempt), ['/refund_of unknown_reference'])
    }
    await assertBooked(own, { balance: 400, transactions: 2 })
  })

  it('gives nothing back twice when two refunds come at once', async () => {
    const own = await holder()
    await credited(own, 1_000)
    const bought = (await debit(own, { amount: 1_000, reference: 'clinic' })).body
    const both = await Promise.all(
      Array.from({ length: 8 }, (_, n) => credit(own, { amount: 600, reference: `back-${n}`, refund_of: bought.id })),
    )
    assert.deepEqual(
      [201, 409].map((status) => both.filter((one) => one.status === status).length),
      [1, 7],
    )
    await assertBooked(own, { balance: 600, transactions: 3 })
  })
})
