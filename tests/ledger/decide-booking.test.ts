import assert from 'node:assert/strict'
import { createSecretKey, randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { decideBooking } from '../../src/domains/money/ledger/book.ts'
import { PARTNER_STATUSES, WALLET_STATUSES } from '../../src/domains/money/wallets/states.ts'
import type { Wallet } from '../../src/domains/money/wallets/index.ts'
import type { UserId } from '../../src/access/user-id.ts'
import { ProblemError } from '../../src/kernel/problem-error.ts'
import type { Author } from '../../src/record/index.ts'

const MAX = Number.MAX_SAFE_INTEGER
const key = createSecretKey(randomBytes(32))
const by: Author = {
  caller: { kind: 'platform', platformId: 'plt_1', epoch: 0, credentialId: 'crd_1' },
  requestId: 'req_1',
  at: new Date('2026-04-01T10:00:00Z'),
}

const wallets: fc.Arbitrary<Wallet> = fc
  .record({
    status: fc.constantFrom(...WALLET_STATUSES),
    held: fc.constantFrom<'ACTIVE' | 'BLOCKED'>('ACTIVE', 'BLOCKED'),
    balancePaise: fc.oneof(fc.integer({ min: 0, max: 200 }), fc.integer({ min: MAX - 200, max: MAX })),
    lastPosition: fc.nat(1_000),
    revision: fc.integer({ min: 1, max: 1_000 }),
  })
  .map(({ status, held, ...rest }) => ({
    id: 'wal_1',
    userId: '012345678901' as UserId,
    platformId: 'plt_1',
    status,
    partnerStatus: status === 'COMPLETED' ? held : PARTNER_STATUSES[2],
    tries: 0,
    queuedAt: by.at,
    mayBeHeld: false,
    operatorStatus: null,
    operatorSequence: null,
    ...rest,
  }))

const bookings = fc.record({
  type: fc.constantFrom<'CREDIT' | 'DEBIT'>('CREDIT', 'DEBIT'),
  input: fc.record({
    amount: fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: MAX - 300, max: MAX })),
    reference: fc.constant('a'),
  }),
})

type Entry = { ledger_account: string; amount_paise: number }

describe('the decision on a booking', () => {
  it('rejects exactly what the wallet does not allow, else changes the balance by its amount and balances to zero', () => {
    fc.assert(
      fc.property(wallets, bookings, (wallet, booking) => {
        const { type, input } = booking
        const after = BigInt(wallet.balancePaise) + BigInt(type === 'CREDIT' ? input.amount : -input.amount)
        const takes =
          wallet.status === 'COMPLETED' &&
          (type === 'CREDIT' || wallet.partnerStatus === 'ACTIVE') &&
          after >= 0n &&
          after <= BigInt(MAX)
        if (!takes) {
          assert.throws(() => decideBooking({ wallet, key }, booking, by), ProblemError)
          return
        }
        const change = decideBooking({ wallet, key }, booking, by)
        assert.deepEqual(change.values, {
          user_id: wallet.userId,
          revision: wallet.revision,
          balance_paise: Number(after),
          last_position: wallet.lastPosition + 1,
          at: by.at,
        })
        const entries = (change.rows?.['into_ledger_entries'] ?? []) as unknown as Entry[]
        assert.equal(
          entries.reduce((sum, { amount_paise }) => sum + BigInt(amount_paise), 0n),
          0n,
        )
        const own = entries.find(({ ledger_account }) => ledger_account === 'WALLET')
        assert.equal(BigInt(own?.amount_paise ?? 0), after - BigInt(wallet.balancePaise))
        assert.equal(change.result.balanceAfterPaise, Number(after))
        assert.equal(change.events?.length, 1)
      }),
      { numRuns: 2_000 },
    )
  })
})
