import type { Static } from 'typebox'
import type { Benefit as BenefitSchema, Plan } from './schemas.ts'
import type { Benefit } from './store.ts'

export const presentBenefit = (benefit: Benefit): Static<typeof BenefitSchema> => ({
  id: benefit.id,
  name: benefit.name,
  benefit_provider_id: benefit.benefitProviderId,
  sponsor_id: benefit.sponsorId,
  status: benefit.status,
  plans: benefit.plans.map(presentPlan),
  created_at: benefit.createdAt,
  last_modified_at: benefit.lastModifiedAt,
})

/** Restores the order of the fields, which the database's JSON does not keep. */
const presentPlan = (plan: Plan): Plan => ({
  plan_code: plan.plan_code,
  term_months: plan.term_months,
  premium_amounts: {
    annual: presentMoney(plan.premium_amounts.annual),
    daily: presentMoney(plan.premium_amounts.daily),
    sponsor_contribution: presentMoney(plan.premium_amounts.sponsor_contribution),
  },
  renewal_window_days: plan.renewal_window_days,
  grace_days: plan.grace_days,
})

const presentMoney = ({ currency, value }: Plan['premium_amounts']['annual']) => ({ currency, value })

export const versionOf = (benefit: Benefit) => ({ record: presentBenefit(benefit), revision: benefit.revision })
