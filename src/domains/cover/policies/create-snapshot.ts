import { isDeepStrictEqual } from 'node:util'
import type { Day } from '../../../kernel/date.ts'
import type { PolicySnapshot } from '../documents/policy-snapshot.ts'
import { namedInTerm } from './list-member-days.ts'
import { findDependant, type Policy } from './records.ts'
import { isShortTerm } from './states.ts'
import type { Parties } from './store.ts'

type Circumstances = Parties & { planName: string | null; madeOn: Day }

export const createSnapshot = (policy: Policy, { madeOn, ...named }: Circumstances) =>
  ({
    ...createContent(policy),
    made_on: madeOn,
    ...(named.planName !== null && { plan_name: named.planName }),
    sponsor_name: named.sponsorName,
    provider_name: named.providerName,
    ...(named.providerAddress !== null && { provider_address: named.providerAddress }),
    ...(named.providerColour !== null && { provider_colour: named.providerColour }),
  }) satisfies PolicySnapshot

/**
 * Returns true when a new issue would have the same numbers, term and people as the last one; false before the first.
 */
export const matchesLastIssue = (policy: Policy, last: PolicySnapshot | undefined): boolean =>
  last !== undefined &&
  last.issue > 0 &&
  isDeepStrictEqual(comparableFields(createContent(policy)), comparableFields(last))

type Content = Omit<PolicySnapshot, 'made_on' | 'sponsor_name' | 'provider_name'>

const comparableFields = (content: Content) => [
  content.external_policy_id,
  content.master_policy_number,
  content.start_date,
  content.end_date,
  content.member,
  content.dependants,
  content.nominee,
]

function createContent(policy: Policy): Content {
  const { member } = policy
  return {
    issue: policy.issue,
    external_policy_id: policy.externalPolicyId,
    master_policy_number: policy.masterPolicyNumber,
    benefit_name: policy.benefitName,
    plan_code: policy.planCode,
    start_date: policy.startDate,
    end_date: policy.endDate,
    term_months: policy.termMonths,
    ...(policy.coveredFrom > policy.startDate && { cover_from: policy.coveredFrom }),
    ...(isShortTerm(policy) && { is_short_term: true as const }),
    renewal_window_days: policy.renewalWindowDays,
    grace_days: policy.graceDays,
    ...(policy.graceCover === 'NONE' && { grace_cover: policy.graceCover }),
    premium: {
      currency: policy.currency,
      annual: policy.premiumAnnualPaise,
      daily: policy.premiumDailyPaise,
      sponsor: policy.premiumSponsorPaise,
    },
    member: {
      ...copyName(member),
      title: member.title ?? null,
      gender: member.gender ?? null,
      dob: member.dob ?? null,
    },
    dependants: namedInTerm(policy).map(({ id, from, to }) => {
      const dependant = findDependant(policy, id)
      return {
        id,
        ...copyName(dependant),
        date_of_birth: dependant.date_of_birth,
        ...(from !== null && from > policy.startDate && { from }),
        ...(to !== null && { to }),
      }
    }),
    nominee: policy.nomineeDependantId === null ? null : copyName(findDependant(policy, policy.nomineeDependantId)),
    ...(policy.issue === 0 && { application: copyApplication(policy) }),
  }
}

function copyApplication({ member, private: { questionnaire } }: Policy): NonNullable<PolicySnapshot['application']> {
  return {
    phone: `${member.phone_country_code} ${member.phone_number}`.trim(),
    email: member.email ?? null,
    address: member.address ?? null,
    questions: questionnaire?.questions ?? [],
  }
}

const copyName = ({ first_name, last_name }: { first_name?: string; last_name?: string }) => ({
  first_name: first_name ?? null,
  last_name: last_name ?? null,
})
