import type { Benefit, Money, PlanInput } from '@banyan/client'
import { AMOUNTS, type Name, pointerOf } from './plan-fields.ts'
import { amountIn } from './rupee-amount.ts'
import { HOW_TO_WRITE_RUPEES } from './rupees.ts'

const NUMBERS = ['term_months', 'renewal_window_days', 'grace_days'] as const
const GRACE_COVERS = ['FULL', 'NONE'] as const
const PREMIUM_GATES = ['none', 'deposit'] as const
const NO_NUMBER = 'Write a whole number in digits, such as 12.'
const MISSING = 'Must not be empty.'

export type PlanText = Record<Name, string>
export type Errors = Readonly<Record<string, string>>

/** Every member, the optional ones too: a form that knows one less does not compile, because plans are saved as a whole. */
type WholePlan = { [Member in keyof Required<PlanInput>]: PlanInput[Member] }

export const NEW_PLAN: PlanText = {
  plan_code: '',
  plan_name: '',
  term_months: '12',
  daily: '',
  annual: '',
  sponsor_contribution: '0',
  renewal_window_days: '30',
  grace_days: '30',
  grace_cover: 'FULL',
  premium_gate: 'none',
}

export const textOfPlan = ({
  premium_amounts: { daily, annual, sponsor_contribution },
  ...plan
}: Benefit['plans'][number]): PlanText => ({
  plan_code: plan.plan_code,
  plan_name: plan.plan_name ?? '',
  term_months: String(plan.term_months),
  daily: daily.rupees,
  annual: annual.rupees,
  sponsor_contribution: sponsor_contribution.rupees,
  renewal_window_days: String(plan.renewal_window_days),
  grace_days: String(plan.grace_days),
  grace_cover: plan.grace_cover,
  premium_gate: plan.premium_gate,
})

/** The plan as it is sent, when `ownErrors` has none. What is empty is left out, so that the service says what it needs. */
export function planFrom(text: PlanText): WholePlan {
  const number = (one: string) => (one.trim() === '' ? undefined : Number(one)) as number
  const amount = (name: (typeof AMOUNTS)[number]) => amountIn(text[name]) as Money
  return {
    plan_code: text.plan_code.trim(),
    plan_name: text.plan_name.trim() || undefined,
    term_months: number(text.term_months),
    premium_amounts: {
      annual: amount('annual'),
      daily: amount('daily'),
      sponsor_contribution: amount('sponsor_contribution'),
    },
    renewal_window_days: number(text.renewal_window_days),
    grace_days: number(text.grace_days),
    grace_cover: GRACE_COVERS.find((cover) => cover === text.grace_cover),
    premium_gate: PREMIUM_GATES.find((gate) => gate === text.premium_gate),
  }
}

/** What cannot be sent, all of it at once. `Number` would read `1e2` and `0x10`. */
export const ownErrors = (name: string, plans: readonly PlanText[]): Errors =>
  Object.fromEntries([
    ...(name.trim() === '' ? [['/name', MISSING]] : []),
    ...plans.flatMap((plan, index) => [
      ...(plan.plan_code.trim() === '' ? [[pointerOf(index, 'plan_code'), MISSING]] : []),
      ...AMOUNTS.filter((one) => !amountIn(plan[one])).map((one) => [pointerOf(index, one), HOW_TO_WRITE_RUPEES]),
      ...NUMBERS.filter((one) => !/^\s*\d*\s*$/.test(plan[one])).map((one) => [pointerOf(index, one), NO_NUMBER]),
    ]),
  ])

/** The error alongside a field. The service counts paise, which nobody types here. */
export const errorAt = (errors: Errors, pointer: string): string | undefined =>
  errors[pointer] ?? errors[`${pointer}/value`]?.replace(/^Must be 1 or more.*$/, 'Write more than ₹0.00.')
