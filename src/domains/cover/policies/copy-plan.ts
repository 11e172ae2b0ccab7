import assert from 'node:assert/strict'
import { type Currency, toPaise } from '../../../kernel/money.ts'
import { type Benefit, graceCoverOf } from '../../partners/benefits/index.ts'
import { currencyOf } from '../documents/currency-of.ts'
import type { PolicySnapshot } from '../documents/policy-snapshot.ts'
import type { Policy } from './records.ts'

export type Plan = Benefit['plans'][number]

/** What a policy copies of its plan: length, days and amounts. A term that begins can take them from the plan of that day. */
export const PLAN_FIELDS = [
  'termMonths',
  'renewalWindowDays',
  'graceDays',
  'graceCover',
  'currency',
  'premiumAnnualPaise',
  'premiumDailyPaise',
  'premiumSponsorPaise',
] as const satisfies (keyof Policy)[]
type PlanField = (typeof PLAN_FIELDS)[number]

export function copyPlan(plan: Plan): Pick<Policy, PlanField> {
  const { annual, daily, sponsor_contribution } = plan.premium_amounts
  return {
    termMonths: plan.term_months,
    renewalWindowDays: plan.renewal_window_days,
    graceDays: plan.grace_days,
    graceCover: graceCoverOf(plan),
    currency: findCurrency(plan),
    premiumAnnualPaise: toPaise(annual.value),
    premiumDailyPaise: toPaise(daily.value),
    premiumSponsorPaise: toPaise(sponsor_contribution.value),
  }
}

/** Returns the days of a policy's term with what it has of the plan. */
export const termOf = (policy: Policy): Pick<Policy, 'startDate' | 'endDate' | PlanField> => ({
  startDate: policy.startDate,
  endDate: policy.endDate,
  ...(Object.fromEntries(PLAN_FIELDS.map((field) => [field, policy[field]])) as Pick<Policy, PlanField>),
})

/** Returns the same as an issue printed it. */
export const termOfIssue = (issue: PolicySnapshot): ReturnType<typeof termOf> => ({
  startDate: issue.start_date,
  endDate: issue.end_date,
  termMonths: issue.term_months,
  renewalWindowDays: issue.renewal_window_days,
  graceDays: issue.grace_days,
  graceCover: issue.grace_cover ?? 'FULL',
  currency: currencyOf(issue),
  premiumAnnualPaise: issue.premium.annual,
  premiumDailyPaise: issue.premium.daily,
  premiumSponsorPaise: issue.premium.sponsor,
})

function findCurrency({ premium_amounts: { annual, daily, sponsor_contribution } }: Plan): Currency {
  const others = [daily.currency, sponsor_contribution.currency]
  assert(
    others.every((currency) => currency === annual.currency),
    'the amounts of a plan are in one currency',
  )
  return annual.currency
}
