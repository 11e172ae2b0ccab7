import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Caller } from '../../src/access/caller.ts'
import { book } from '../../src/domains/money/ledger/book.ts'
import { applyWithRetry } from '../../src/record/index.ts'
import { openTestApp } from '../support/app.ts'
import { type Holder, openBookings } from '../support/bookings.ts'

const t = await openTestApp()
const { holder, credited, assertBooked } = openBookings(t)

const BOOKING = { type: 'DEBIT', input: { amount: 100, reference: 'decided' } } as const

/** Debits each wallet as requests do. `meanwhile` runs when all is decided and nothing is written. */
function debitAll(holders: Holder[], happen: () => Promise<unknown>) {
  const all = Promise.withResolvers<void>()
  let decided = 0
  return Promise.allSettled(
    holders.map(({ platform, user }) => {
      const of = { platformId: platform.id, epoch: 0, credentialId: platform.credentialId }
      const caller: Caller = { kind: 'platform', ...of }
      return applyWithRetry(t.deps, { caller, requestId: 'req_test' }, async (by) => {
        const change = await book(t.deps, { userId: user.id, ...BOOKING }, by)
        if (++decided === holders.length) happen().then(() => all.resolve(), all.reject)
        await all.promise
        return change
      })
    }),
  )
}

describe('a debit decided while the operator blocks the wallet', () => {
  for (const [kind, count] of [
    ['by itself', 1],
    ['that shares a statement with others', 6],
  ] as const) {
    it(`is rejected, and nothing is booked: ${kind}`, async () => {
      const holders = await Promise.all(Array.from({ length: count }, () => holder()))
      for (const one of holders) await credited(one, 500)
      t.sent.length = 0
      const outcomes = await debitAll(holders, () =>
        t.sql(
          `update wallets set wallet_status_partner = 'BLOCKED', revision = revision + 1 where user_id = any ($1)`,
          [holders.map(({ user }) => user.id)],
        ),
      )
      assert.equal(t.sent.includes('ledger_book_many'), t.db.batching && count > 1, t.sent.join())
      for (const outcome of outcomes) {
        assert(outcome.status === 'rejected')
        const { code, members } = outcome.reason
        assert.deepEqual([code, members.current_state], ['invalid_state', 'BLOCKED'])
      }
      for (const one of holders) await assertBooked(one, { balance: 500, transactions: 1 })
    })
  }
})
