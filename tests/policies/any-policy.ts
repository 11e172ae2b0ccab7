import { createSecretKey } from 'node:crypto'
import fc from 'fast-check'
import type { CallerKind } from '../../src/access/caller.ts'
import type { UserId } from '../../src/access/user-id.ts'
import type { Policy } from '../../src/domains/cover/policies/records.ts'
import type { PolicyStatusInput } from '../../src/domains/cover/policies/set-policy-status.ts'
import { POLICY_STATUSES, type PolicyStatus } from '../../src/domains/cover/policies/states.ts'
import { addDays, addMonths } from '../../src/kernel/date.ts'

export const USER = '012345678901' as UserId
export const KEY = createSecretKey(Buffer.alloc(32))
export const AT = new Date('2027-05-06T07:08:09.123Z')
export const NOW = '2027-05-06T07:08:09'
export const PHONE = { phone_country_code: '+91', phone_number: '9876543210' }
export const MEMBER = { ...PHONE, first_name: 'Asha', last_name: 'Example', dob: '1990-05-17' }
const FAMILY = ['dep_a', 'dep_b', 'dep_c', 'dep_d']
export const CALLERS: CallerKind[] = [
  'platform',
  'user',
  'provider',
  'viewer',
  'operator',
  'owner',
  'wallet_user',
  'system',
]

const dependant = (id: string) =>
  FAMILY.includes(id) ? { first_name: id, last_name: 'Example', date_of_birth: '2015-08-02' } : undefined

export const day = fc.integer({ min: 0, max: 4_000 }).map((count) => addDays('2024-01-01', count))
const days = fc.integer({ min: 0, max: 365 })
const people = fc.subarray(FAMILY)
const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined })

/** The term after some earlier ones, counted from the first start. */
export function termOf({ coveredFrom, termMonths }: Pick<Policy, 'coveredFrom' | 'termMonths'>, earlier: number) {
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
export const issuesIn = (status: PolicyStatus, issue: number) =>
  IN_FORCE.includes(status) ? Math.max(1, issue) : issue
export const seldom = fc.nat(9).map((one) => one === 0)

/** A policy in any state, on any terms. */
export const policies: fc.Arbitrary<Policy> = fc
  .record({
    status: fc.constantFrom(...POLICY_STATUSES),
    coveredFrom: day,
    termMonths: fc.integer({ min: 1, max: 36 }),
    earlierTerms: fc.nat(30),
    renewalWindowDays: days,
    graceDays: days,
    graceCover: fc.constantFrom('FULL', 'NONE'),
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
    termsFrom: null,
    endsOn: null,
    memberDays: null,
    endsFrom: null,
    issuedDependantIds: some.issue === 0 ? null : some.dependantIds,
    private: {},
    createdAt: '2024-01-01T00:00:00',
    lastModifiedAt: '2024-01-01T00:00:00',
  }))

export const inputs: fc.Arbitrary<PolicyStatusInput> = fc
  .record({
    status: fc.constantFrom(...POLICY_STATUSES),
    reason: maybe(fc.constant('Paid after all')),
    external_policy_id: maybe(fc.constantFrom('SG-1', 'SG-2')),
    provider_metadata: maybe(fc.constant({ tpa: 'Example' })),
    persons_version: maybe(fc.nat(4)),
  })
  .map((input) => JSON.parse(JSON.stringify(input)) as PolicyStatusInput) // fields that are not sent are absent
