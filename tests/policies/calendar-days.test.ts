import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  dueTransition,
  graceUntil,
  nextMoveOn,
  POLICY_MACHINE,
  POLICY_STATUSES,
  type PolicyStatus,
  startsNextTerm,
} from '../../src/domains/cover/policies/states.ts'
import { addDays } from '../../src/kernel/date.ts'

const PLAN = {
  endDate: '2027-03-31',
  renewalWindowDays: 30,
  graceDays: 30,
  graceUntil: null as string | null,
  endsOn: null as string | null,
  issue: 1,
}

const policyIn = (status: PolicyStatus, plan: Partial<typeof PLAN> = {}) => ({ ...PLAN, ...plan, status })

const IDLE: PolicyStatus[] = ['EXPIRED', 'REJECTED']
/** What waits to be issued again, once it was issued. */
const AWAITING = ['PENDING', 'VERIFICATION', 'APPROVED', 'REQUIRES_POLICY_REISSUANCE'] as const

describe('nextMoveOn: the day on which the calendar next changes a policy', () => {
  it('is the day on which the window opens, leap days included', () => {
    for (const [endDate, renewalWindowDays, day] of [
      ['2027-03-31', 30, '2027-03-01'],
      ['2027-03-30', 30, '2027-02-28'],
      ['2028-03-30', 30, '2028-02-29'],
      ['2028-02-29', 30, '2028-01-30'],
      ['2028-02-29', 365, '2027-03-01'],
      ['2029-02-28', 365, '2028-02-29'],
      ['2027-01-15', 30, '2026-12-16'],
      ['2027-03-31', 0, '2027-03-31'],
    ] as const) {
      assert.equal(nextMoveOn(policyIn('ISSUED', { endDate, renewalWindowDays })), day)
    }
  })

  it('is the day after the last one of the term in the window', () => {
    for (const [endDate, day] of [
      ['2027-03-31', '2027-04-01'],
      ['2027-02-28', '2027-03-01'],
      ['2028-02-28', '2028-02-29'],
      ['2028-02-29', '2028-03-01'],
      ['2027-12-31', '2028-01-01'],
    ] as const) {
      assert.equal(nextMoveOn(policyIn('REQUIRES_CUSTOMER_RENEWAL', { endDate })), day)
    }
  })

  it('is the day after the last one of grace in grace and while a certificate is pending', () => {
    for (const status of ['REQUIRES_CUSTOMER_RENEWAL_IN_GRACE', ...AWAITING] as const) {
      assert.equal(nextMoveOn(policyIn(status, { graceUntil: '2028-02-28' })), '2028-02-29')
      assert.equal(nextMoveOn(policyIn(status, { graceUntil: '2028-02-29' })), '2028-03-01')
      assert.equal(nextMoveOn(policyIn(status)), null)
    }
  })

  it('is never for a policy that has ended', () => {
    for (const status of IDLE) assert.equal(nextMoveOn(policyIn(status, { graceUntil: '2027-01-01' })), null)
  })
})

describe('dueTransition: the transition due today', () => {
  it('is none the day before, and the same on the day and ever after', () => {
    for (const [policy, day, to] of [
      [policyIn('ISSUED'), '2027-03-01', 'REQUIRES_CUSTOMER_RENEWAL'],
      [policyIn('ISSUED', { renewalWindowDays: 0 }), '2027-03-31', 'REQUIRES_CUSTOMER_RENEWAL'],
      [policyIn('REQUIRES_CUSTOMER_RENEWAL'), '2027-04-01', 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE'],
      [policyIn('REQUIRES_CUSTOMER_RENEWAL', { graceDays: 1 }), '2027-04-01', 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE'],
      [policyIn('REQUIRES_CUSTOMER_RENEWAL', { graceDays: 0 }), '2027-04-01', 'EXPIRED'],
      [policyIn('REQUIRES_CUSTOMER_RENEWAL_IN_GRACE', { graceUntil: '2028-02-28' }), '2028-02-29', 'EXPIRED'],
      ...AWAITING.map((status) => [policyIn(status, { graceUntil: '2027-04-30' }), '2027-05-01', 'EXPIRED'] as const),
    ] as const) {
      assert.equal(dueTransition(policy, addDays(day, -1)), undefined)
      for (const today of [day, addDays(day, 1), '2999-12-31']) assert.equal(dueTransition(policy, today), to)
    }
  })

  it('is none for a policy that has ended', () => {
    for (const status of IDLE)
      assert.equal(dueTransition(policyIn(status, { graceUntil: '2027-01-01' }), '2999-12-31'), undefined)
  })

  it('is always allowed for the calendar, and ends within three transitions', () => {
    const day = fc.integer({ min: 0, max: 20_000 }).map((count) => addDays('2020-01-01', count))
    const days = fc.integer({ min: 0, max: 365 })
    const policy = fc.record({
      status: fc.constantFrom(...POLICY_STATUSES),
      endDate: day,
      renewalWindowDays: days,
      graceDays: days,
      graceUntil: fc.option(day),
      issue: fc.constantFrom(0, 1),
      endsOn: fc.option(day),
    })
    fc.assert(
      fc.property(policy, day, (start, today) => {
        let now = start
        for (let steps = 0; steps <= 3; steps++) {
          const to = dueTransition(now, today)
          if (to === undefined) return
          const arrow = POLICY_MACHINE.table.find((one) => one.from === now.status && one.to === to)
          assert.ok(arrow?.who.includes('system'), `${now.status} → ${to}`)
          now = { ...now, status: to, graceUntil: graceUntil({ ...now, status: to }, today) }
        }
        assert.fail(`${start.status} went on and on`)
      }),
    )
  })
})

describe('graceUntil: the last day of grace', () => {
  const grace = (status: PolicyStatus, today: string, plan: Partial<typeof PLAN> = {}) =>
    graceUntil(policyIn(status, plan), today)

  it('counts from the end of the term for a renewal, however late it is', () => {
    for (const today of ['2027-03-31', '2027-04-01', '2027-04-30', '2031-01-01']) {
      assert.equal(grace('REQUIRES_CUSTOMER_RENEWAL_IN_GRACE', today), '2027-04-30')
    }
    const leap = { endDate: '2028-01-30' }
    assert.equal(grace('REQUIRES_CUSTOMER_RENEWAL_IN_GRACE', '2028-01-31', leap), '2028-02-29')
  })

  it('counts from today for an instalment missed before the end', () => {
    assert.equal(grace('REQUIRES_CUSTOMER_RENEWAL_IN_GRACE', '2026-06-15'), '2026-07-15')
    assert.equal(grace('REQUIRES_CUSTOMER_RENEWAL_IN_GRACE', '2027-03-30'), '2027-04-29')
    assert.equal(grace('REQUIRES_CUSTOMER_RENEWAL_IN_GRACE', '2027-02-28', { graceDays: 1 }), '2027-03-01')
    assert.equal(grace('REQUIRES_CUSTOMER_RENEWAL_IN_GRACE', '2026-06-15', { graceDays: 0 }), '2026-06-15')
  })

  it('counts from the end of the term for whatever waits to be issued again, and is none before the first issue', () => {
    for (const status of AWAITING) {
      for (const today of ['2026-06-15', '2027-03-31', '2027-04-20']) {
        assert.equal(grace(status, today), '2027-04-30')
        if (status !== 'REQUIRES_POLICY_REISSUANCE') assert.equal(grace(status, today, { issue: 0 }), null)
      }
    }
  })

  it('is none in every other state', () => {
    for (const status of [...IDLE, 'ISSUED', 'REQUIRES_CUSTOMER_RENEWAL'] as const) {
      assert.equal(grace(status, '2027-04-20'), null)
    }
  })
})

describe('startsNextTerm: whether a transition starts the next term', () => {
  const LAST_DAY = { endDate: '2027-03-31', today: '2027-03-31' }
  const DAY_AFTER = { endDate: '2027-03-31', today: '2027-04-01' }

  it('always out of the window, out of grace and expiry once the last day has passed, otherwise never', () => {
    for (const from of POLICY_STATUSES) {
      for (const to of POLICY_STATUSES) {
        const isBack = to === 'ISSUED' || to === 'REQUIRES_POLICY_REISSUANCE'
        const inWindow = isBack && from === 'REQUIRES_CUSTOMER_RENEWAL'
        const isLate = isBack && (from === 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE' || from === 'EXPIRED')
        assert.equal(startsNextTerm({ from, to }, LAST_DAY), inWindow, `${from} → ${to} on the last day`)
        assert.equal(startsNextTerm({ from, to }, DAY_AFTER), inWindow || isLate, `${from} → ${to} after it`)
      }
    }
  })
})
