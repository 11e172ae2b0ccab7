import assert from 'node:assert/strict'
import { type Currency, toPaise } from '../../../kernel/money.ts'
import { type Benefit, graceCoverOf } from '../../partners/benefits/index.ts'

export type Plan = Benefit['plans'][number]

/** Returns what a policy copies of its plan: length, days and amounts. */
export function copyPlan(plan: Plan) {
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

function findCurrency({ premium_amounts: { annual, daily, sponsor_contribution } }: Plan): Currency {
  const others = [daily.currency, sponsor_contribution.currency]
  assert(
    others.every((currency) => currency === annual.currency),
    'the amounts of a plan are in one currency',
  )
  return annual.currency
}
