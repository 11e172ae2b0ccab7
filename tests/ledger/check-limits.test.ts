import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { LIMIT_NAMES, limitsOn, type WalletLimits } from '../../src/access/wallet-limits.ts'
import { checkLimits, financialYearOf, monthOf, presentLimits } from '../../src/domains/money/ledger/check-limits.ts'
import { ProblemError } from '../../src/kernel/problem-error.ts'

const amount = fc.option(fc.integer({ min: 0, max: 30 }), { nil: undefined })
const limits = fc.record({
  balance: amount,
  credits_a_month: amount,
  credits_a_year: amount,
  debits_a_month: amount,
  debits_a_year: amount,
})
const used = fc.nat(40)
const booked = fc.record({
  credits_a_month: used,
  credits_a_year: used,
  debits_a_month: used,
  debits_a_year: used,
})

const rejection = (run: () => void) => {
  try {
    run()
    return undefined
  } catch (error) {
    assert(error instanceof ProblemError && error.code === 'conflict', String(error))
    return error.members
  }
}

describe('the limits of a wallet', () => {
  it('refuse exactly what would end above one, and name the one that is free last', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<'CREDIT' | 'DEBIT'>('CREDIT', 'DEBIT'),
        fc.record({ amount: fc.integer({ min: 1, max: 30 }), balancePaise: used }),
        limits,
        booked,
        (type, booking, set, sums) => {
          const counted = {
            day: '2026-11-29',
            limits: { from_day: '2026-01-01', ...set } as WalletLimits,
            booked: sums,
          }
          const names = LIMIT_NAMES.filter((name) =>
            name === 'balance' ? type === 'CREDIT' : name.startsWith(type.toLowerCase()),
          )
          const above = names.filter((name) => {
            const before = name === 'balance' ? booking.balancePaise : sums[name]
            return set[name] !== undefined && before + booking.amount > set[name]
          })
          const members = rejection(() => checkLimits(counted, { type, ...booking }))
          if (above.length === 0) return assert.equal(members, undefined)
          const last = above.includes('balance')
            ? 'balance'
            : (above.findLast((name) => name.endsWith('year')) ?? above[0])
          assert.deepEqual([members?.['reason'], members?.['limit']], ['limit_reached', last])
          assert.equal(
            members?.['free_on'],
            last === 'balance' ? null : last?.endsWith('year') ? '2027-04-01' : '2026-12-01',
          )
        },
      ),
    )
  })

  it('count by the months and the financial years of India', () => {
    assert.deepEqual(
      ['2026-03-31', '2026-04-01', '2027-03-31', '2028-02-29'].map((day) => [monthOf(day), financialYearOf(day)]),
      [
        ['2026-03-01', '2025-04-01'],
        ['2026-04-01', '2026-04-01'],
        ['2027-03-01', '2026-04-01'],
        ['2028-02-01', '2027-04-01'],
      ],
    )
    const of = (day: string) =>
      presentLimits(
        {
          day,
          limits: { from_day: '2026-01-01', credits_a_month: 10, debits_a_year: 5 },
          booked: { credits_a_month: 4, credits_a_year: 4, debits_a_month: 0, debits_a_year: 7 },
        },
        100,
      )
    assert.deepEqual(of('2026-12-31'), [
      { limit: 'credits_a_month', amount: 10, used: 4, left: 6, free_on: '2027-01-01' },
      { limit: 'debits_a_year', amount: 5, used: 7, left: 0, free_on: '2027-04-01' },
    ])
    assert.deepEqual(
      of('2027-03-31').map(({ free_on }) => free_on),
      ['2027-04-01', '2027-04-01'],
    )
  })

  it('hold from their day until that of the next, whatever their order; a list without a limit limits nothing', () => {
    const all: WalletLimits[] = [
      { from_day: '2026-06-01' },
      { from_day: '2026-04-01', balance: 1 },
      { from_day: '2026-09-01', balance: 3 },
    ]
    const on = (day: string) => limitsOn(all, day)?.balance
    assert.deepEqual(['2026-03-31', '2026-04-01', '2026-05-31', '2026-06-01', '2026-08-31', '2026-09-01'].map(on), [
      undefined,
      1,
      1,
      undefined,
      undefined,
      3,
    ])
  })
})
