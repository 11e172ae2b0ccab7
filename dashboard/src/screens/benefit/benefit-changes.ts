import type { Benefit } from '@banyan/client'

type Plan = Benefit['plans'][number]

/** What a plan says, in one line. */
export function planText({ plan_code, premium_amounts: premium, ...plan }: Plan): string {
  const { annual, daily, sponsor_contribution: share } = premium
  const days = `renewal opens ${plan.renewal_window_days} days before, grace ${plan.grace_days} days${plan.grace_cover === 'NONE' ? ', not covered' : ''}`
  const amounts = `${annual.format()} a year, ${daily.format()} a day, the sponsor pays ${share.format()}`
  const gate = plan.premium_gate === 'deposit' ? ', paid before cover from the sponsor’s deposit' : ''
  const called = plan.plan_name === null ? plan_code : `${plan_code} (${plan.plan_name})`
  return `${called}: ${plan.term_months} months, ${amounts}${gate}, ${days}`
}

/** What somebody else has changed in a benefit: the name, and each plan that is new, different or gone. */
export function changesOf(before: Benefit, now: Benefit): { label: string; value: string }[] {
  const old = before.plans.map(planText)
  const kept = now.plans.map(({ plan_code }) => plan_code)
  return [
    ...(before.name === now.name ? [] : [{ label: 'Name', value: now.name }]),
    ...now.plans
      .map(planText)
      .filter((text) => !old.includes(text))
      .map((value) => ({ label: 'Plan', value })),
    ...before.plans
      .filter(({ plan_code }) => !kept.includes(plan_code))
      .map(({ plan_code }) => ({ label: 'Plan', value: `${plan_code} is removed` })),
  ]
}
