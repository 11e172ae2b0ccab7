import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  findPendingIssue,
  graceUntil,
  findIssued,
  POLICY_STATUSES,
  type PolicyStatus,
} from '../../src/domains/cover/policies/states.ts'
import { coverOn } from '../../src/domains/cover/policies/cover-days.ts'

const TERM = {
  issue: 1,
  coveredFrom: '2026-04-01',
  endDate: '2027-03-31',
  renewalWindowDays: 30,
  graceDays: 30,
  graceUntil: null as string | null,
  endsOn: null as string | null,
}

const policyIn = (status: PolicyStatus, term: Partial<typeof TERM> = {}) => ({ ...TERM, ...term, status })

/** A policy that entered the status on the day, with the grace that it started with. */
function policyEntering(status: PolicyStatus, day: string, term: Partial<typeof TERM> = {}) {
  const policy = policyIn(status, term)
  return { ...policy, graceUntil: graceUntil(policy, day) }
}

type Cover = ReturnType<typeof coverOn>

function assertCover(policy: Parameters<typeof coverOn>[0], days: readonly (readonly [string, Cover])[]) {
  for (const [day, cover] of days) assert.equal(coverOn(policy, day), cover, `${policy.status} on ${day}`)
}

describe('coverOn: how an issued policy covers its members on a day', () => {
  it('is valid from the first day of the first term to the last day of this one', () => {
    for (const status of ['ISSUED', 'REQUIRES_CUSTOMER_RENEWAL', 'REQUIRES_POLICY_REISSUANCE'] as const) {
      assertCover(policyIn(status), [
        ['2026-04-01', 'valid'],
        ['2027-03-31', 'valid'],
        ['2027-04-01', 'in_grace'],
      ])
    }
  })

  it('is null before the first term, in every status', () => {
    for (const status of POLICY_STATUSES) assert.equal(coverOn(policyIn(status), '2026-03-31'), undefined, status)
  })

  it('counts from the first term, not from this one: an early renewal continues to cover', () => {
    assertCover(policyIn('ISSUED', { coveredFrom: '2025-04-01' }), [
      ['2025-03-31', undefined],
      ['2026-03-31', 'valid'],
    ])
  })

  it('is in grace for a missed instalment, within the term, until its grace is over', () => {
    const missed = policyEntering('REQUIRES_CUSTOMER_RENEWAL_IN_GRACE', '2026-07-01')
    assertCover(missed, [
      ['2026-07-01', 'in_grace'],
      ['2026-07-31', 'in_grace'],
      ['2026-08-01', 'expired'],
      ['2027-03-31', 'expired'],
      ['2027-04-01', 'expired'],
    ])
  })

  it('is in grace after the end, for the grace of a renewal', () => {
    assertCover(policyEntering('REQUIRES_CUSTOMER_RENEWAL_IN_GRACE', '2027-04-10'), [
      ['2027-04-10', 'in_grace'],
      ['2027-04-30', 'in_grace'],
      ['2027-05-01', 'expired'],
    ])
  })

  it('continues after the end while the certificate is pending, for the grace of a renewal', () => {
    for (const status of ['REQUIRES_POLICY_REISSUANCE', 'VERIFICATION', 'PENDING', 'APPROVED'] as const) {
      assertCover(policyEntering(status, '2027-04-10'), [
        ['2027-03-31', 'valid'],
        ['2027-04-01', 'in_grace'],
        ['2027-04-30', 'in_grace'],
        ['2027-05-01', 'expired'],
      ])
    }
  })

  it('is expired for EXPIRED and REJECTED policies, within the term and in what would be its grace', () => {
    for (const status of ['EXPIRED', 'REJECTED'] as const) {
      assertCover(policyIn(status), [
        ['2026-04-01', 'expired'],
        ['2027-03-31', 'expired'],
        ['2027-04-01', 'expired'],
        ['2027-05-01', 'expired'],
      ])
    }
  })

  it('lasts while an issued policy is under review again', () => {
    for (const status of ['PENDING', 'VERIFICATION', 'APPROVED'] as const) {
      assertCover(policyIn(status), [
        ['2026-07-01', 'valid'],
        ['2027-03-31', 'valid'],
        ['2027-04-01', 'in_grace'],
        ['2027-05-01', 'expired'],
      ])
    }
  })

  it('does not depend on the calendar: from the end in grace for the days of the plan, then expired', () => {
    for (const status of ['ISSUED', 'REQUIRES_CUSTOMER_RENEWAL'] as const) {
      assertCover(policyIn(status), [
        ['2027-04-30', 'in_grace'],
        ['2027-05-01', 'expired'],
      ])
      assertCover(policyIn(status, { graceDays: 1 }), [
        ['2027-04-01', 'in_grace'],
        ['2027-04-02', 'expired'],
      ])
    }
  })

  it('ends with the term in a plan without grace', () => {
    for (const status of ['ISSUED', 'REQUIRES_CUSTOMER_RENEWAL', 'VERIFICATION'] as const) {
      assertCover(policyIn(status, { graceDays: 0 }), [
        ['2027-03-31', 'valid'],
        ['2027-04-01', 'expired'],
      ])
    }
    assertCover(policyEntering('REQUIRES_CUSTOMER_RENEWAL_IN_GRACE', '2026-07-01', { graceDays: 0 }), [
      ['2026-07-01', 'in_grace'],
      ['2026-07-02', 'expired'],
    ])
  })
})

describe('pendingIssueOf: the next issue of a policy', () => {
  const policy = { issue: 2, dependantIds: ['dep_new'] }

  it('has the people it will cover, or is undefined', () => {
    const next = { issue: 3, dependantIds: ['dep_new'] }
    const expected: Record<PolicyStatus, typeof next | null> = {
      PENDING: next,
      VERIFICATION: next,
      APPROVED: next,
      REQUIRES_POLICY_REISSUANCE: next,
      ISSUED: null,
      REQUIRES_CUSTOMER_RENEWAL: null,
      REQUIRES_CUSTOMER_RENEWAL_IN_GRACE: null,
      EXPIRED: null,
      REJECTED: null,
    }
    for (const status of POLICY_STATUSES)
      assert.deepEqual(findPendingIssue({ ...policy, status }), expected[status], status)
  })

  it('is the first one before any', () => {
    assert.deepEqual(findPendingIssue({ ...policy, issue: 0, status: 'PENDING' }), {
      issue: 1,
      dependantIds: ['dep_new'],
    })
  })
})

describe('issuedOf: the last issue', () => {
  it('is none before the first', () => {
    assert.equal(findIssued({ issue: 0, issuedDependantIds: null }), null)
  })

  it('has the people it covers, possibly none', () => {
    assert.deepEqual(findIssued({ issue: 2, issuedDependantIds: ['dep_old'] }), { issue: 2, dependantIds: ['dep_old'] })
    assert.deepEqual(findIssued({ issue: 1, issuedDependantIds: [] }), { issue: 1, dependantIds: [] })
  })
})
