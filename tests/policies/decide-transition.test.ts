import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Policy } from '../../src/domains/cover/policies/records.ts'
import { allowedToday } from '../../src/domains/cover/policies/find-rejection.ts'
import { decidePolicyTransition, type DecidedTransition } from '../../src/domains/cover/policies/set-policy-status.ts'
import { createSnapshot } from '../../src/domains/cover/policies/create-snapshot.ts'
import {
  afterCalendar,
  nextMoveOn,
  POLICY_MACHINE,
  POLICY_STATUSES,
  startsNextTerm,
} from '../../src/domains/cover/policies/states.ts'
import { coverOn } from '../../src/domains/cover/policies/cover-days.ts'
import { addDays } from '../../src/kernel/date.ts'
import { ProblemError } from '../../src/kernel/problem-error.ts'
import { AT, CALLERS, day, inputs, issuesIn, KEY, MEMBER, NOW, policies, seldom, termOf, USER } from './any-policy.ts'

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

/** Whether a decision is about other people than it says, or than at the last transition. */
function isOfOthers({ policy, input }: Asked): boolean {
  if (typeof input.persons_version === 'number') return input.persons_version !== policy.personsVersion
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
  policy.graceCover,
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
    const last = createSnapshot(isSame ? policy : { ...policy, masterPolicyNumber: 'MP-1' }, parties)
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

  it('increments the issues exactly when it is issued again, and keeps the people each covers', () => {
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

  it('remembers which people the last transition was about', () => {
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
