import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  afterCalendar,
  nextMoveOn,
  nextTerm,
  type PolicyStatus,
  windowOpensOn,
} from '../../src/domains/cover/policies/states.ts'
import { coverOn } from '../../src/domains/cover/policies/cover-days.ts'
import { validateWindows, withDefaults } from '../../src/domains/partners/benefits/records.ts'
import { rejectOverlap } from '../../src/domains/cover/policies/find-rejection.ts'
import { lastDayOfTerm } from '../../src/kernel/date.ts'
import { boundaryDay, daysFrom, monthsLater, tomorrowOf, yesterdayOf } from '../support/days.ts'

const RUPEE = { currency: 'INR', value: 1 } as const
const PLAN = {
  plan_code: 'FAMILY_5L',
  premium_amounts: { annual: RUPEE, daily: RUPEE, sponsor_contribution: RUPEE },
}

const months = fc.integer({ min: 1, max: 14 })

/** A valid plan: its window is shorter than its shortest term. */
const terms = fc
  .record({ start: boundaryDay, termMonths: months, window: fc.nat(365), graceDays: fc.nat(60) })
  .map(({ start, termMonths, window, graceDays }) => ({
    coveredFrom: start,
    startDate: start,
    endDate: lastDayOfTerm(start, termMonths),
    termMonths,
    renewalWindowDays: Math.min(window, 28 * termMonths - 1),
    graceDays,
  }))

type Terms = { coveredFrom: string; endDate: string; renewalWindowDays: number; graceDays: number }

const issued = (plan: Terms, status: PolicyStatus = 'ISSUED') => ({
  ...plan,
  status,
  graceUntil: null,
  endsOn: null,
  issue: 1,
  dependantIds: [],
  memberDays: null,
  id: 'pol_1',
  userId: '012345678901',
  benefitProviderId: 'bpr_1',
  platformId: 'plt_1',
  key: null,
})

const WITHIN = { numRuns: 60 }

/** An open policy that covers these days. */
const covering = (from: string, endDate: string) => ({
  id: 'pol_1',
  from,
  endDate,
  status: 'ISSUED' as const,
  renewalWindowDays: 7,
  graceDays: 30,
  graceUntil: null,
  endsOn: null,
  issue: 1,
})

describe('consecutive terms', () => {
  it('leave no day out and cover none twice, and stay aligned with the first one', () => {
    fc.assert(
      fc.property(terms, fc.integer({ min: 1, max: 30 }), (first, renewals) => {
        let term: { startDate: string; endDate: string } = first
        for (let count = 2; count <= renewals + 1; count++) {
          const next = nextTerm({ ...first, endDate: term.endDate })
          assert.equal(next.startDate, tomorrowOf(term.endDate))
          assert.equal(tomorrowOf(next.endDate), monthsLater(first.coveredFrom, count * first.termMonths))
          const own = covering(first.coveredFrom, term.endDate)
          assert.equal(rejectOverlap([own], { from: next.startDate, to: next.endDate, today: term.endDate }), undefined)
          term = next
        }
      }),
    )
  })

  it('are rejected when they share a single day', () => {
    fc.assert(
      fc.property(terms, months, ({ startDate: from, endDate: to }, termMonths) => {
        const others = [covering(from, to)]
        const today = from
        const shared = { reason: 'already_exists', existing_ids: ['pol_1'] }
        const overlap = (days: { from: string; to: string }) => rejectOverlap(others, { ...days, today })?.members
        assert.deepEqual(overlap({ from: to, to: lastDayOfTerm(to, termMonths) }), shared)
        assert.deepEqual(overlap({ from: yesterdayOf(from), to: from }), shared)
        assert.equal(overlap({ from: yesterdayOf(from), to: yesterdayOf(from) }), undefined)
        assert.equal(overlap({ from: tomorrowOf(to), to: tomorrowOf(to) }), undefined)
      }),
    )
  })
})

describe('the renewal window', () => {
  it('opens as many days before the last one as the plan says, and is never open when the term starts', () => {
    fc.assert(
      fc.property(terms, (term) => {
        const opens = windowOpensOn(term)
        assert.equal(daysFrom(opens, term.endDate).length, term.renewalWindowDays + 1)
        assert.ok(
          term.startDate < opens || term.renewalWindowDays === daysFrom(term.startDate, term.endDate).length - 1,
        )
        assert.ok(term.startDate <= opens)
        assert.equal(nextMoveOn(issued(term)), opens)
      }),
    )
  })

  it('may have any length below 28 days a month, up to a year; its default is within that', () => {
    fc.assert(
      fc.property(months, fc.integer({ min: 0, max: 365 }), (term_months, renewal_window_days) => {
        const errors = validateWindows({ body: { plans: [{ ...PLAN, term_months, renewal_window_days }] } })
        assert.equal(errors.length, renewal_window_days < 28 * term_months ? 0 : 1)
        const { renewal_window_days: otherwise, grace_days } = withDefaults({ ...PLAN, term_months })
        assert.deepEqual([otherwise, grace_days], [term_months > 4 ? 30 : 7 * term_months, 30])
      }),
    )
  })
})

describe('the cover of an issued policy, day by day', () => {
  const RESULTS = [undefined, 'valid', 'in_grace', 'expired'] as const

  it('is null, then valid for the term, in grace for the days of grace, expired for ever', () => {
    fc.assert(
      fc.property(terms, (term) => {
        const days = daysFrom(yesterdayOf(term.coveredFrom), term.endDate)
        let after = term.endDate
        for (let count = 0; count <= term.graceDays; count++) days.push((after = tomorrowOf(after)))
        const counted = RESULTS.map((result) => days.filter((day) => coverOn(issued(term), day) === result).length)
        assert.deepEqual(counted, [1, daysFrom(term.startDate, term.endDate).length, term.graceDays, 1])
        assert.equal(coverOn(issued(term), '9999-12-31'), 'expired')
      }),
      WITHIN,
    )
  })

  it('does not depend on when the calendar has run', () => {
    const someDays = fc.integer({ min: -20, max: 80 })
    const around = (day: string, count: number) => {
      let found = day
      for (let step = 0; step < Math.abs(count); step++) found = count > 0 ? tomorrowOf(found) : yesterdayOf(found)
      return found
    }
    fc.assert(
      fc.property(terms, someDays, someDays, (term, one, other) => {
        const [run, asked] = [Math.min(one, other), Math.max(one, other)].map((count) => around(term.endDate, count))
        const { policy } = afterCalendar(issued(term), run as string)
        assert.equal(coverOn(policy, asked as string), coverOn(issued(term), asked as string))
        assert.deepEqual(
          afterCalendar(policy, asked as string).policy,
          afterCalendar(issued(term), asked as string).policy,
        )
      }),
    )
  })
})
