import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { estimateRefund } from '../../src/domains/cover/policies/decide-end.ts'
import {
  dueTransition,
  hasEnded,
  nextMoveOn,
  POLICY_STATUSES,
  type PolicyStatus,
} from '../../src/domains/cover/policies/states.ts'
import { coverOn } from '../../src/domains/cover/policies/cover-days.ts'
import { daysFrom, lengthOf, tomorrowOf, yesterdayOf } from '../support/days.ts'

const ENDING = {
  coveredFrom: '2026-04-01',
  endDate: '2027-03-31',
  renewalWindowDays: 30,
  graceDays: 30,
  graceUntil: null as string | null,
  issue: 1,
  endsOn: '2026-08-12',
}
const policyIn = (status: PolicyStatus, term: Partial<typeof ENDING> = {}) => ({ ...ENDING, ...term, status })
const OPEN = POLICY_STATUSES.filter((status) => status !== 'EXPIRED' && status !== 'REJECTED')

describe('an end that is set', () => {
  it('is the next transition of the calendar from every open state, the day after it, without grace', () => {
    for (const status of OPEN) {
      const policy = policyIn(status, { graceUntil: status === 'ISSUED' ? null : '2027-04-30' })
      assert.equal(nextMoveOn(policy), '2026-08-13', status)
      assert.deepEqual(
        [dueTransition(policy, '2026-08-12'), dueTransition(policy, '2026-08-13')],
        [undefined, 'EXPIRED'],
      )
      assert.deepEqual([hasEnded(policy, '2026-08-12'), hasEnded(policy, '2026-08-13')], [false, true])
      assert.equal(coverOn(policy, '2026-08-13'), 'expired', status)
    }
  })

  it('opens no window before it, however near the term’s own end', () => {
    const policy = policyIn('ISSUED', { endsOn: '2027-03-31' })
    assert.equal(nextMoveOn(policy), '2027-04-01')
    assert.deepEqual([dueTransition(policy, '2027-03-31'), dueTransition(policy, '2027-04-01')], [undefined, 'EXPIRED'])
    assert.deepEqual([coverOn(policy, '2027-03-31'), coverOn(policy, '2027-04-01')], ['valid', 'expired'])
  })

  it('does not pay a missed instalment: grace that is over sooner ends the policy then', () => {
    const missed = policyIn('REQUIRES_CUSTOMER_RENEWAL_IN_GRACE', { graceUntil: '2026-07-31' })
    assert.equal(nextMoveOn(missed), '2026-08-01')
    assert.deepEqual([coverOn(missed, '2026-07-31'), coverOn(missed, '2026-08-01')], ['in_grace', 'expired'])
  })

  it('moves nothing that is over', () => {
    for (const status of ['EXPIRED', 'REJECTED'] as const) assert.equal(nextMoveOn(policyIn(status)), null)
  })
})

describe('the refund', () => {
  it('has as many days as the calendar has after the end, and their share of the premium to the paisa', () => {
    const year = fc.integer({ min: 2023, max: 2040 })
    fc.assert(
      fc.property(year, fc.integer({ min: -1, max: 400 }), fc.nat(9_000_000), (first, after, annualPaise) => {
        const [startDate, endDate] = [`${first}-02-10`, `${first + 1}-02-09`]
        const all = daysFrom(startDate, endDate)
        const on = after < 0 ? yesterdayOf(startDate) : (all[after] ?? tomorrowOf(endDate))
        const left = all.filter((day) => day > on).length
        const { refundDays, refundEstimatePaise } = estimateRefund([{ startDate, endDate, annualPaise }], on)
        assert.equal(all.length, lengthOf(first, 2) === 29 ? 366 : 365)
        assert.equal(refundDays, left)
        assert.equal(refundEstimatePaise, Math.round((annualPaise * left) / all.length))
      }),
      { numRuns: 50 },
    )
  })

  it('is exact for the largest premium', () => {
    const term = { startDate: '2026-04-01', endDate: '2027-03-31', annualPaise: Number.MAX_SAFE_INTEGER }
    assert.equal(estimateRefund([term], '2026-03-31').refundEstimatePaise, Number.MAX_SAFE_INTEGER)
    assert.equal(estimateRefund([term], '2027-03-30').refundEstimatePaise, Math.round(Number.MAX_SAFE_INTEGER / 365))
  })
})
