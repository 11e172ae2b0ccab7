import assert from 'node:assert/strict'
import { createSecretKey } from 'node:crypto'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { CallerKind } from '../../src/access/caller.ts'
import { decidePropagation } from '../../src/domains/cover/policy-propagation/decide-propagation.ts'
import type { Policy } from '../../src/domains/cover/policies/records.ts'
import { allowedToday } from '../../src/domains/cover/policies/rejection-of.ts'
import {
  decidePolicyTransition,
  type DecidedTransition,
  type PolicyStatusInput,
} from '../../src/domains/cover/policies/set-policy-status.ts'
import { snapshotOf } from '../../src/domains/cover/policies/snapshot-of.ts'
import {
  afterCalendar,
  coverOn,
  dueTransition,
  graceUntil,
  nextMoveOn,
  POLICY_MACHINE,
  POLICY_STATUSES,
  type PolicyStatus,
  startsNextTerm,
} from '../../src/domains/cover/policies/states.ts'
import { addDays, addMonths } from '../../src/kernel/date.ts'
import type { UserId } from '../../src/access/user-id.ts'
import { ProblemError } from '../../src/kernel/problem-error.ts'
import { PERSON_FIELDS } from '../../src/record/index.ts'

const USER = '012345678901' as UserId
const KEY = createSecretKey(Buffer.alloc(32))
const AT = new Date('2027-05-06T07:08:09.123Z')
const NOW = '2027-05-06T07:08:09'
const PHONE = { phone_country_code: '+91', phone_number: '9876543210' }
const MEMBER = { ...PHONE, first_name: 'Asha', last_name: 'Example', dob: '1990-05-17' }
const FAMILY = ['dep_a', 'dep_b', 'dep_c', 'dep_d']
const CALLERS: CallerKind[] = ['platform', 'user', 'provider', 'viewer', 'operator', 'owner', 'wallet_user', 'system']

const dependant = (id: string) =>
  FAMILY.includes(id) ? { first_name: id, last_name: 'Example', date_of_birth: '2015-08-02' } : undefined

const day = fc.integer({ min: 0, max: 4_000 }).map((count) => addDays('2024-01-01', count))
const days = fc.integer({ min: 0, max: 365 })
const people = fc.subarray(FAMILY)
const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined })

/** The term after some earlier ones, counted from the first start. */
function termOf({ coveredFrom, termMonths }: Pick<Policy, 'coveredFrom' | 'termMonths'>, earlier: number) {
  const startDate = addMonths(coveredFrom, earlier * termMonths)
  return { startDate, endDate: addDays(addMonths(coveredFrom, (earlier + 1) * termMonths), -1) }
}

/** States that no policy is in before its first issue. */
const IN_FORCE: readonly PolicyStatus[] = [
  'ISSUED',
  'REQUIRES_POLICY_REISSUANCE',
  'REQUIRES_CUSTOMER_RENEWAL',
  'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE',
  'EXPIRED',
]
const issuesIn = (status: PolicyStatus, issue: number) => (IN_FORCE.includes(status) ? Math.max(1, issue) : issue)
const seldom = fc.nat(9).map((one) => one === 0)

/** A policy in any state, on any terms. */
const policies: fc.Arbitrary<Policy> = fc
  .record({
    status: fc.constantFrom(...POLICY_STATUSES),
    coveredFrom: day,
    termMonths: fc.integer({ min: 1, max: 36 }),
    earlierTerms: fc.nat(30),
    renewalWindowDays: days,
    graceDays: days,
    graceUntil: fc.option(day),
    dependantIds: people,
    nomineeDependantId: fc.option(fc.constantFrom(...FAMILY)),
    issue: fc.nat(3),
    beginsCover: fc.boolean(),
    personsSeen: fc.nat(2),
    correctedSince: fc.oneof(fc.constant(0), fc.nat(2)),
    isNameless: seldom,
    externalPolicyId: fc.option(fc.constantFrom('SG-1', 'SG-2')),
    revision: fc.integer({ min: 1, max: 50 }),
  })
  .map(({ earlierTerms, isNameless, correctedSince, ...some }) => ({
    ...some,
    personsVersion: some.personsSeen + correctedSince,
    ...termOf(some, earlierTerms),
    issue: issuesIn(some.status, some.issue),
    id: 'pol_1',
    userId: USER,
    platformId: 'plt_1',
    key: KEY,
    member: isNameless ? PHONE : MEMBER,
    dependant,
    benefitId: 'bnf_1',
    benefitName: 'Family health cover',
    benefitProviderId: 'bpr_1',
    planCode: 'FAMILY_5L',
    currency: 'INR' as const,
    premiumAnnualPaise: 1_204_500,
    premiumDailyPaise: 3_300,
    premiumSponsorPaise: 602_250,
    masterPolicyNumber: null,
    issuedDependantIds: some.issue === 0 ? null : some.dependantIds,
    private: {},
    createdAt: '2024-01-01T00:00:00',
    lastModifiedAt: '2024-01-01T00:00:00',
  }))

const inputs: fc.Arbitrary<PolicyStatusInput> = fc
  .record({
    status: fc.constantFrom(...POLICY_STATUSES),
    reason: maybe(fc.constant('Paid after all')),
    external_policy_id: maybe(fc.constantFrom('SG-1', 'SG-2')),
    provider_metadata: maybe(fc.constant({ tpa: 'Example' })),
    persons_version: maybe(fc.nat(4)),
  })
  .map((input) => JSON.parse(JSON.stringify(input)) as PolicyStatusInput) // fields that are not sent are absent

const parties = {
  sponsorName: 'Banyan Textiles',
  providerName: 'Suraksha General',
  providerAddress: null,
  providerColour: null,
  planName: null,
  madeOn: '2024-01-01',
}

/** The first day after the current term and those of its continuations that a request starts. */
function isNextTerm({ policy: { status, endDate }, input, today }: Asked): boolean {
  const isBack = input.status === 'ISSUED' || input.status === 'REQUIRES_POLICY_REISSUANCE'
  const isLate = endDate < today && ['REQUIRES_CUSTOMER_RENEWAL_IN_GRACE', 'EXPIRED'].includes(status)
  return isBack && (status === 'REQUIRES_CUSTOMER_RENEWAL' || isLate)
}

const earlierTermsOf = (policy: Policy) => {
  let earlier = 0
  while (termOf(policy, earlier).startDate < policy.startDate) earlier++
  return earlier
}

/** Why a transition of the table is refused, computed a second time. */
function rejectionIn(one: Asked): string | undefined {
  const { policy, input, today, conditions } = one
  const [isIssue, isBack] = [input.status === 'ISSUED', policy.status === 'EXPIRED']
  if (!isIssue && input.status !== 'REQUIRES_POLICY_REISSUANCE') return undefined
  const { endDate } = isNextTerm(one) ? termOf(policy, earlierTermsOf(policy) + 1) : policy
  if (addDays(endDate, policy.graceDays) < today) return 'term_over'
  const begins = isNextTerm(one) || isBack || (isIssue && (policy.issue === 0 || policy.beginsCover))
  const isPayment = policy.status === 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE' && !begins
  if ((begins || (isIssue && !isPayment)) && !policy.member.dob) return 'incomplete'
  if (begins && conditions.isArchived) return 'archived'
  return begins && !conditions.isSponsorActive ? 'inactive' : undefined
}

/** Whether a decision is about other people than it says, or than the last move saw. */
function isOfOthers({ policy, input }: Asked): boolean {
  if (input.persons_version != null) return input.persons_version !== policy.personsVersion
  return ['APPROVED', 'ISSUED'].includes(input.status) && policy.personsSeen !== policy.personsVersion
}

/** Returns the decision, or the reason or code of its error; either way the input is unchanged. */
function decided<T>(work: () => T, inputs: unknown): T | string {
  const before = JSON.stringify(inputs)
  try {
    return work()
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    return (error.members as { reason?: string }).reason ?? error.code
  } finally {
    assert.equal(JSON.stringify(inputs), before, 'what went in is as it was')
  }
}

/** What no transition changes, by any caller. */
const constant = ({ id, userId, platformId, benefitId, benefitProviderId, planCode, ...policy }: Policy) => [
  [id, userId, platformId, benefitId, benefitProviderId, planCode],
  [policy.dependantIds, policy.nomineeDependantId, policy.termMonths, policy.renewalWindowDays, policy.graceDays],
  [policy.currency, policy.premiumAnnualPaise, policy.premiumDailyPaise, policy.premiumSponsorPaise],
  [policy.coveredFrom, policy.createdAt, policy.benefitName],
]

/** A transition of the table by an allowed caller, or an instalment paid late; sometimes any by anyone. */
const steps = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .constantFrom(...POLICY_MACHINE.table)
      .chain(({ from, to, who }) =>
        fc.record({ from: fc.constant(from), to: fc.constant(to), who: fc.constantFrom(...who) }),
      ),
  },
  {
    weight: 1,
    arbitrary: fc.constant({ from: 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE', to: 'ISSUED', who: 'provider' } as const),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      from: fc.constantFrom(...POLICY_STATUSES),
      to: fc.constantFrom(...POLICY_STATUSES),
      who: fc.constantFrom(...CALLERS),
    }),
  },
)

/** A requested transition, and the stored last issue: with the same content, or another. */
const asked = fc
  .record({
    step: steps,
    policy: policies,
    input: inputs,
    today: day,
    isSame: fc.boolean(),
    conditions: fc.record({ isArchived: seldom, isSponsorActive: seldom.map((is) => !is), others: fc.constant([]) }),
  })
  .map(({ step, policy: any, input: sent, today, isSame, conditions }) => {
    const policy = { ...any, status: step.from, issue: issuesIn(step.from, any.issue) }
    const last = snapshotOf(isSame ? policy : { ...policy, masterPolicyNumber: 'MP-1' }, parties)
    return { policy, input: { ...sent, status: step.to }, who: step.who, today, isSame, conditions, lastSnapshot: last }
  })
type Asked = typeof asked extends fc.Arbitrary<infer T> ? T : never

const decide = ({ policy, input, who, today, conditions, lastSnapshot }: Asked) =>
  decided(
    () => decidePolicyTransition(policy, input, { who, at: AT, today, conditions, lastSnapshot }),
    [policy, input, conditions, lastSnapshot],
  )

const ISSUED_BY_PROVIDER = { input: { status: 'ISSUED' }, who: 'provider' } as const

/** Checks every transition that is made against a promise. */
const assertOfEach = (promise: (asked: Asked, result: DecidedTransition) => void) =>
  fc.assert(
    fc.property(asked, (one) => {
      const result = decide(one)
      if (typeof result !== 'string') promise(one, result)
    }),
    { numRuns: 400 },
  )

describe('decidePolicyTransition: any policy, any day, any caller', () => {
  it('makes exactly the transitions of the table that the caller may make, with a reason where required', () => {
    fc.assert(
      fc.property(asked, (one) => {
        const { policy, input, who } = one
        const found = POLICY_MACHINE.table.find(
          ({ from, to, wasIssued = policy.issue > 0 }) =>
            from === policy.status && to === input.status && wasIssued === policy.issue > 0,
        )
        const result = decide(one)
        if (!found?.who.includes(who)) {
          assert.ok(result === 'invalid_state' || (found && result === 'forbidden'))
        } else if (found.needsReason && input.reason === undefined) assert.equal(result, 'validation_failed')
        else if (rejectionIn(one)) assert.equal(result, rejectionIn(one))
        else if (isOfOthers(one)) assert.equal(result, 'persons_changed')
        else assert.ok(typeof result === 'object' && result.policy.status === input.status)
      }),
      { numRuns: 1_000 },
    )
  })

  it('offers exactly what it makes', () => {
    fc.assert(
      fc.property(asked, (one) => {
        const { policy, who, today, conditions } = one
        const made = POLICY_STATUSES.filter((status) => {
          const input = { status, reason: 'Asked for', persons_version: policy.personsVersion }
          return typeof decide({ ...one, input }) === 'object'
        })
        assert.deepEqual(allowedToday(policy, { who, today, conditions }).toSorted(), made.toSorted())
      }),
      { numRuns: 400 },
    )
  })

  it('shifts the dates by whole terms without a gap, and only where the next term starts', () => {
    assertOfEach(({ policy, input, today }, result) => {
      const isNext = startsNextTerm({ from: policy.status, to: input.status }, { endDate: policy.endDate, today })
      const { startDate, endDate } = isNext ? termOf(policy, earlierTermsOf(policy) + 1) : policy
      assert.deepEqual([result.policy.startDate, result.policy.endDate], [startDate, endDate])
      if (isNext) assert.equal(startDate, addDays(policy.endDate, 1), 'no gap, no overlap')
    })
  })

  it('increments the issues exactly when it is issued anew, and keeps the people each covers', () => {
    assertOfEach(({ policy, input, today, isSame }, result) => {
      const isPayment = policy.status === 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE' && today <= policy.endDate
      const isUnchanged = (input.external_policy_id ?? policy.externalPolicyId) === policy.externalPolicyId
      const saysTheSame = isPayment && policy.issue > 0 && isSame && isUnchanged
      const isNew = input.status === 'ISSUED' && !saysTheSame
      const { issue, issuedDependantIds } = result.policy
      assert.deepEqual([result.isIssued, issue], [isNew, policy.issue + Number(isNew)])
      assert.deepEqual(issuedDependantIds, isNew ? policy.dependantIds : policy.issuedDependantIds)
    })
  })

  it('records one history row, one event of ids and states, and the next revision', () => {
    assertOfEach(({ policy, input }, result) => {
      const { revision, lastModifiedAt } = result.policy
      assert.deepEqual([revision, lastModifiedAt], [policy.revision + 1, NOW])
      assert.deepEqual(constant(result.policy), constant(policy))
      const step = { from: policy.status, to: input.status }
      const reason = { text: input.reason, key: KEY }
      assert.deepEqual(result.history, [{ userId: USER, entityId: 'pol_1', ...step, reason }])
      const ids = { user_id: USER, insurance_policy_id: 'pol_1', benefit_provider_id: 'bpr_1' }
      const [event, ...more] = result.events
      assert.deepEqual([event?.type, event?.platformId, more], ['policy.status_changed', 'plt_1', []])
      assert.deepEqual(event?.data, { ...ids, ...step })
    })
  })

  it('remembers which people the last move was about', () => {
    assertOfEach(({ policy }, { policy: { personsVersion, personsSeen } }) => {
      assert.deepEqual([personsVersion, personsSeen], [policy.personsVersion, policy.personsVersion])
    })
  })

  it('stores the fields that the provider sends, and keeps the others', () => {
    assertOfEach(({ policy, input }, result) => {
      assert.equal(result.policy.externalPolicyId, input.external_policy_id ?? policy.externalPolicyId)
      assert.deepEqual(result.policy.private.provider_metadata, input.provider_metadata)
    })
  })

  it('gives a last day of grace to whatever waits for somebody after an issue, and to no other; it can be issued until then', () => {
    assertOfEach((one, { policy }) => {
      const { status, issue, endDate, graceDays, graceUntil } = policy
      const afterEnd = addDays(endDate, graceDays)
      const isWaiting = ['REQUIRES_POLICY_REISSUANCE', 'PENDING', 'VERIFICATION', 'APPROVED'].includes(status)
      if (status === 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE') assert.ok(graceUntil !== null && graceUntil <= afterEnd)
      else assert.equal(graceUntil, isWaiting && issue > 0 ? afterEnd : null)
      if (graceUntil !== null)
        assert.notEqual(decide({ ...one, ...ISSUED_BY_PROVIDER, policy, today: graceUntil }), 'term_over')
    })
  })

  it('remembers that cover is about to begin until it is issued', () => {
    assertOfEach((one, { policy, isLonger }) => {
      assert.equal(isLonger, isNextTerm(one) || one.policy.status === 'EXPIRED')
      assert.equal(policy.beginsCover, policy.status !== 'ISSUED' && (isLonger || one.policy.beginsCover))
    })
  })
})

describe('decidePolicyTransition: a whole life', () => {
  const wish = fc.record({ input: inputs, days: fc.nat(200), who: fc.constantFrom('provider', 'operator', 'owner') })
  const wishes = fc.array(wish, { minLength: 20, maxLength: 60 })

  const conditions = { isArchived: false, isSponsorActive: true, others: [] }

  it('has terms without gap or overlap, increasing issues, and no cover before it starts or after it ends', () => {
    fc.assert(
      fc.property(policies, wishes, (begun, path) => {
        const fresh = { status: 'PENDING', issue: 0, issuedDependantIds: null, graceUntil: null } as const
        const first = { ...begun, ...fresh, beginsCover: false, coveredFrom: begun.startDate, member: MEMBER }
        let policy: Policy = first
        let today = addDays(policy.startDate, -30)
        for (const { input, days: passed, who } of path) {
          today = addDays(today, passed)
          policy = afterCalendar(policy, today).policy
          const on = { who, at: AT, today, conditions }
          const result = decided(() => decidePolicyTransition(policy, input, on), [policy, input])
          if (typeof result === 'string') continue
          const next = result.policy
          const isOver = next.status === 'EXPIRED' || next.status === 'REJECTED'
          if (next.issue > 0) {
            assert.notEqual(next.status, 'REJECTED', 'a policy that covered people expires')
            assert.equal(nextMoveOn(next) === null, isOver, 'it keeps its calendar in every other state')
          }
          if (next.startDate !== policy.startDate) assert.equal(next.startDate, addDays(policy.endDate, 1))
          assert.ok(next.issue - policy.issue === Number(result.isIssued))
          assert.equal(coverOn(next, addDays(first.startDate, -1)), undefined)
          if (isOver) {
            assert.deepEqual([coverOn(next, next.endDate), nextMoveOn(next)], ['expired', null])
          }
          policy = next
        }
      }),
      { numRuns: 300 },
    )
  })
})

describe('decidePropagation: any open policy that names the dependant', () => {
  const open = POLICY_STATUSES.filter((status) => status !== 'EXPIRED' && status !== 'REJECTED')
  const previous = { id: 'dep_a', userId: USER, platformId: 'plt_1', key: KEY }
  const names = fc.subarray([...PERSON_FIELDS])

  it('replaces the old version by the new one; an ISSUED policy must be issued again, after the calendar’s transitions', () => {
    fc.assert(
      fc.property(policies, fc.constantFrom(...open), day, names, (policy, status, today, fields) => {
        const issue = issuesIn(status, policy.issue)
        const linked = { ...policy, status, issue, graceUntil: issue > 0 ? policy.graceUntil : null }
        const { row, history, events } = decidePropagation(linked, { previous, id: 'dep_new', fields }, today)
        let [due, late]: [Policy, number] = [linked, 0]
        for (let to = dueTransition(due, today); to; to = dueTransition(due, today), late++) {
          due = { ...due, status: to, graceUntil: graceUntil({ ...due, status: to }, today) }
        }
        const newest = (id: string) => (id === 'dep_a' && due.status !== 'EXPIRED' ? 'dep_new' : id)
        assert.deepEqual(row['dependant_ids'], policy.dependantIds.map(newest))
        assert.equal(row['nominee_dependant_id'], policy.nomineeDependantId && newest(policy.nomineeDependantId))
        const isAsked = due.status === 'ISSUED'
        assert.equal(row['status'], isAsked ? 'REQUIRES_POLICY_REISSUANCE' : due.status)
        const isCounted = due.status !== 'EXPIRED' && fields.length > 0
        const corrected = events.filter(({ type }) => type === 'policy.corrected')
        const persons_version = policy.personsVersion + Number(isCounted)
        assert.equal(row['persons_version'], persons_version)
        const of = { user_id: USER, insurance_policy_id: 'pol_1', benefit_provider_id: 'bpr_1', person_id: 'dep_new' }
        assert.deepEqual(
          corrected.map(({ data }) => data),
          isCounted ? [{ ...of, fields, persons_version }] : [],
        )
        assert.deepEqual([history.length, events.length - corrected.length], isAsked ? [1, 1] : [late, late])
        const makers = history.map(({ by }) => (by?.kind === 'system' ? by.job : 'the caller'))
        assert.deepEqual(makers, isAsked ? ['the caller'] : Array(late).fill('policy-calendar'))
        const { grace_until, next_move_on } = row
        if (!isAsked) assert.deepEqual([grace_until, next_move_on], [due.graceUntil, nextMoveOn(due)])
        else assert.equal(next_move_on, addDays(String(grace_until), 1))
      }),
    )
  })
})
