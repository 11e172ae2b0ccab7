import type { Benefit, Money, PlanInput } from '@banyan/client'
import { amountIn } from './rupee-amount.ts'
import { HOW_TO_WRITE_RUPEES } from './rupees.ts'

export const PLAN_FIELDS = [
  { name: 'plan_code', label: 'Plan code, such as FAMILY_5L' },
  { name: 'plan_name', label: 'Name on documents; without one, the code stands there' },
  { name: 'term_months', label: 'Term in months' },
  { name: 'daily', label: 'Premium a day, ₹' },
  { name: 'annual', label: 'Premium a year, ₹' },
  { name: 'sponsor_contribution', label: 'The sponsor pays a year, ₹' },
  { name: 'renewal_window_days', label: 'Renewal opens, days before the end' },
  { name: 'grace_days', label: 'Grace, days after the end' },
] as const

const AMOUNTS = ['daily', 'annual', 'sponsor_contribution'] as const
const NUMBERS = ['term_months', 'renewal_window_days', 'grace_days'] as const
const NO_NUMBER = 'Write a whole number in digits, such as 12.'
const MISSING = 'Must not be empty.'

type Name = (typeof PLAN_FIELDS)[number]['name']
export const isText = (name: Name): boolean => name === 'plan_code' || name === 'plan_name'

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

export const pointerOf = (index: number, name: Name): string =>
  AMOUNTS.some((amount) => amount === name) ? `/plans/${index}/premium_amounts/${name}` : `/plans/${index}/${name}`

/** The pointers of everything that stands beside a field of a plan; an error of an amount can be about its value. */
export const pointersOf = (index: number): string[] =>
  PLAN_FIELDS.flatMap(({ name }) => [pointerOf(index, name), `${pointerOf(index, name)}/value`])

/** The error beside a field. The service counts paise, which nobody types here. */
export const errorAt = (errors: Errors, pointer: string): string | undefined =>
  errors[pointer] ?? errors[`${pointer}/value`]?.replace(/^Must be 1 or more.*$/, 'Write more than ₹0.00.')
