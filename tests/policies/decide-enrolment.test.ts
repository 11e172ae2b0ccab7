import assert from 'node:assert/strict'
import { createSecretKey } from 'node:crypto'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { decideEnrolment } from '../../src/domains/cover/policies/enrol-policy.ts'
import type { PolicyInput } from '../../src/domains/cover/policies/enrol-policy.ts'
import { nextMoveOn } from '../../src/domains/cover/policies/states.ts'
import type { EnrolmentData } from '../../src/domains/cover/policies/enrolment-store.ts'
import { addDays, lastDayOfTerm } from '../../src/kernel/date.ts'
import type { UserId } from '../../src/access/user-id.ts'
import { ProblemError } from '../../src/kernel/problem-error.ts'

const USER = '012345678901' as UserId
const KEY = createSecretKey(Buffer.alloc(32))
const AT = new Date('2027-05-06T07:08:09.123Z')
const NOW = '2027-05-06T07:08:09'
const TODAY = '2027-05-06'
/** Policies that the calendar expires when term and grace are over. */
const IN_FORCE: readonly string[] = ['ISSUED', 'REQUIRES_CUSTOMER_RENEWAL', 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE']
const OPEN = [
  'PENDING',
  'APPROVED',
  'ISSUED',
  'REQUIRES_CUSTOMER_RENEWAL',
  'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE',
] as const
const MEMBER = { phone_country_code: '+91', phone_number: '9876543210' }
const FAMILY = ['dep_a', 'dep_b', 'dep_c', 'dep_d']

const dependant = (id: string) =>
  FAMILY.includes(id) ? { first_name: id, last_name: 'Example', date_of_birth: '2015-08-02' } : undefined

const days = fc.integer({ min: 0, max: 365 })
const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined })

describe('decideEnrolment: any input against any benefit and family', () => {
  const seldom = fc.nat(9).map((one) => one === 0)
  const money = fc.nat(10_000_000).map((paise) => ({ currency: 'INR' as const, value: paise / 100 }))
  const plan = fc.record({
    plan_code: fc.constantFrom('A', 'B', 'C'),
    plan_name: fc.constantFrom(null, 'Family floater'),
    term_months: fc.integer({ min: 1, max: 600 }),
    premium_amounts: fc.record({ annual: money, daily: money, sponsor_contribution: money }),
    renewal_window_days: days,
    grace_days: days,
    grace_cover: fc.constantFrom(undefined, 'FULL' as const, 'NONE' as const),
  })
  const offer = fc.record({
    benefitId: fc.constant('bnf_1'),
    benefitName: fc.constant('Family health cover'),
    benefitProviderId: fc.constant('bpr_1'),
    sponsorId: fc.constant('spn_1'),
    sponsorName: fc.constant('Banyan Textiles'),
    providerName: fc.constant('Suraksha General'),
    providerAddress: fc.constant(null),
    providerColour: fc.constant(null),
    isArchived: seldom,
    isSponsorInactive: seldom,
    plans: fc.uniqueArray(plan, { minLength: 1, maxLength: 3, selector: ({ plan_code }) => plan_code }),
  })
  const user = { id: USER, platformId: 'plt_1', key: KEY, profile: MEMBER } as EnrolmentData['user']
  const scenes: fc.Arbitrary<EnrolmentData> = fc.record({
    user: fc.constant(user),
    offer: fc.option(offer, { nil: undefined, freq: 8 }),
    dependant: fc.constant(dependant),
    others: fc.array(
      fc
        .record({ days: fc.nat(900), length: fc.nat(400), graceDays: fc.nat(60), status: fc.constantFrom(...OPEN) })
        .map(({ days: later, length, graceDays, status }) => {
          const from = addDays('2025-01-01', later)
          const endDate = addDays(from, length)
          const graceUntil = status === 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE' ? addDays(endDate, graceDays) : null
          const issue = Number(IN_FORCE.includes(status))
          const id = `pol_${later}`
          return { id, from, endDate, status, renewalWindowDays: 30, graceDays, graceUntil, issue, endsOn: null }
        }),
      { maxLength: 2 },
    ),
  })
  const named = fc.constantFrom(...FAMILY, ...FAMILY, ...FAMILY, 'dep_gone', 'dep_foreign')
  const enrolments: fc.Arbitrary<PolicyInput> = fc
    .record({
      benefit_id: fc.constant('bnf_1'),
      plan_code: fc.constantFrom('A', 'B', 'C'),
      start_date: fc.constantFrom('2025-06-01', '2026-04-01', '2026-05-01', '2028-02-29', '2028-05-06', '2028-05-07'),
      dependant_ids: fc.uniqueArray(named, { maxLength: 4 }),
      nominee_details: maybe(named.map((dependant_id) => ({ nominee_type: 'DEPENDANT' as const, dependant_id }))),
      questionnaire: maybe(fc.constant({ questions: [{ question: 'Do you smoke?', answer: false }] })),
    })
    .map((input) => JSON.parse(JSON.stringify(input)) as PolicyInput)

  /** Every error of an input in a scene, computed a second time. */
  function errorsIn({ offer: at }: EnrolmentData, input: PolicyInput): string[] {
    const errors = at ? [] : ['/benefit_id']
    if (at && !at.plans.some(({ plan_code }) => plan_code === input.plan_code)) errors.push('/plan_code')
    if (input.start_date === '2028-05-07') errors.push('/start_date') // more than a year after today
    for (const [index, id] of input.dependant_ids.entries()) {
      if (!FAMILY.includes(id)) errors.push(`/dependant_ids/${index}`)
    }
    const nominee = input.nominee_details?.dependant_id
    if (nominee !== undefined && !FAMILY.includes(nominee)) errors.push('/nominee_details/dependant_id')
    return errors
  }

  /** The reason of a rejection, computed a second time: overlapping policies are found by checking each day. */
  function problemOf({ offer: at, others }: EnrolmentData, input: PolicyInput): string | undefined {
    if (at?.isArchived) return 'archived'
    if (at?.isSponsorInactive) return 'inactive'
    const plan = at?.plans.find(({ plan_code }) => plan_code === input.plan_code)
    const end = lastDayOfTerm(input.start_date, plan?.term_months ?? 0)
    if (addDays(end, plan?.grace_days ?? 0) < TODAY) return 'term_over'
    const daysOf = ({ from, endDate }: { from: string; endDate: string }) =>
      Array.from({ length: 401 }, (_, index) => addDays(from, index)).filter((one) => one <= endDate)
    const ids = others
      .filter((other) => daysOf(other).some((one) => input.start_date <= one && one <= end))
      .filter(({ status, endDate, graceDays }) => !IN_FORCE.includes(status) || addDays(endDate, graceDays) >= TODAY)
      .map(({ id }) => id)
    return ids.length > 0 ? `already_exists ${ids.join(' ')}` : undefined
  }

  it('rejects with every error at once, then for inactive parties, and misses none', () => {
    fc.assert(
      fc.property(scenes, enrolments, (scene, input) => {
        const errors = errorsIn(scene, input)
        const expected = errors.length > 0 ? 'validation_failed' : problemOf(scene, input)
        const before = JSON.stringify([scene, input])
        try {
          decideEnrolment(scene, input, { id: 'pol_1', at: AT, today: TODAY })
          assert.equal(expected, undefined)
        } catch (error) {
          if (!(error instanceof ProblemError)) throw error
          const { reason, existing_ids } = error.members as { reason?: string; existing_ids?: string[] }
          const reported = reason ? [reason, ...(existing_ids ?? [])].join(' ') : error.code
          assert.equal(reported, expected)
          if (expected === 'validation_failed')
            assert.deepEqual(
              error.errors?.map(({ pointer }) => pointer),
              errors,
            )
        }
        assert.equal(JSON.stringify([scene, input]), before)
      }),
      { numRuns: 500 },
    )
  })

  it('creates a PENDING policy with the terms of the plan, exact to the paisa and to the day', () => {
    fc.assert(
      fc.property(scenes, enrolments, (scene, input) => {
        if (errorsIn(scene, input).length > 0 || problemOf(scene, input)) return
        const { policy } = decideEnrolment(scene, input, { id: 'pol_1', at: AT, today: TODAY })
        const of = scene.offer?.plans.find(({ plan_code }) => plan_code === input.plan_code)
        assert.ok(of)
        const { annual, daily, sponsor_contribution } = of.premium_amounts
        assert.deepEqual(
          [policy.status, policy.issue, policy.issuedDependantIds, policy.graceUntil, nextMoveOn(policy)],
          ['PENDING', 0, null, null, null],
        )
        assert.deepEqual(
          [policy.startDate, policy.coveredFrom, policy.endDate],
          [input.start_date, input.start_date, lastDayOfTerm(input.start_date, of.term_months)],
        )
        assert.deepEqual(
          [policy.premiumAnnualPaise, policy.premiumDailyPaise, policy.premiumSponsorPaise].map((paise) => paise / 100),
          [annual.value, daily.value, sponsor_contribution.value],
        )
        assert.deepEqual(
          [policy.termMonths, policy.renewalWindowDays, policy.graceDays, policy.graceCover, policy.currency],
          [of.term_months, of.renewal_window_days, of.grace_days, of.grace_cover ?? 'FULL', 'INR'],
        )
        assert.deepEqual(policy.dependantIds, input.dependant_ids)
        assert.equal(policy.nomineeDependantId, input.nominee_details?.dependant_id ?? null)
        assert.deepEqual([policy.createdAt, policy.lastModifiedAt, policy.revision], [NOW, NOW, 1])
      }),
      { numRuns: 500 },
    )
  })

  it('never stores one currency for amounts in two', () => {
    const amounts = { annual: { currency: 'INR', value: 1 }, daily: { currency: 'USD', value: 1 } }
    const mixed = { ...amounts, sponsor_contribution: { currency: 'INR', value: 1 } }
    fc.assert(
      fc.property(scenes, enrolments, (scene, input) => {
        const plans = scene.offer?.plans.map((one) => ({
          ...one,
          premium_amounts: mixed as typeof one.premium_amounts,
        }))
        const at = scene.offer && plans ? { ...scene, offer: { ...scene.offer, plans } } : scene
        assert.throws(() => decideEnrolment(at, input, { id: 'pol_1', at: AT, today: TODAY }))
      }),
      { numRuns: 500 },
    )
  })
})
