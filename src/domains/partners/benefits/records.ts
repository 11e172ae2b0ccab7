import { type Static, Type } from 'typebox'
import { json, type RecordOf, text } from '../../../kernel/db/columns.ts'
import { Name, Nullable, OneOf, OrNull, PathId, Text } from '../../../kernel/http/schemas.ts'
import { CURRENCIES, RUPEES_MAX } from '../../../kernel/money.ts'
import type { FieldError } from '../../../kernel/problem-error.ts'
import { choice, entity, field, internal } from '../../../record/index.ts'

/** They have no state table: a deletion archives a benefit for good. */
export const BENEFIT_STATUSES = ['ACTIVE', 'ARCHIVED'] as const

/** What a policy covers in its days of grace: as before them, or nothing until it is renewed or paid. */
export const GRACE_COVERS = ['FULL', 'NONE'] as const

/** What the cover of a policy waits for: nothing, or that the deposit of its sponsor holds the premium. */
export const PREMIUM_GATES = ['none', 'deposit'] as const

const PLANS_MAX = 50
const TERM_MONTHS_MAX = 600
const DAYS_MAX = 365

const WINDOW_DAYS_DEFAULT = 30
const GRACE_DAYS_DEFAULT = 30

/** The shortest month. A term is at least this long for each of its months. */
const MONTH_DAYS_MIN = 28

export const Money = Type.Object(
  {
    currency: OneOf(CURRENCIES),
    value: Type.Number({ minimum: 0, maximum: RUPEES_MAX, paisePrecision: true }),
  },
  {
    title: 'Money',
    description: 'An amount in major units with at most two decimals',
    examples: [{ currency: 'INR', value: 12_045 }],
  },
)

export const PremiumAmounts = Type.Object(
  { annual: Money, daily: Money, sponsor_contribution: Money },
  { title: 'PremiumAmounts', description: 'Price of a plan, and the sponsor’s share of it' },
)

const planFields = {
  plan_code: Text({ maxLength: 60 }),
  term_months: Type.Integer({ minimum: 1, maximum: TERM_MONTHS_MAX }),
  premium_amounts: PremiumAmounts,
}
const windowDays = Type.Integer({
  minimum: 0,
  maximum: DAYS_MAX,
  description:
    `Days before the end of the term when the renewal window opens. Must be less than ${MONTH_DAYS_MIN} days per ` +
    `month of the term. Defaults to ${WINDOW_DAYS_DEFAULT}, or a quarter of the term if that is less.`,
})
const graceDays = Type.Integer({
  minimum: 0,
  maximum: DAYS_MAX,
  description: `Days after the end of the term in which renewal is still possible. Defaults to ${GRACE_DAYS_DEFAULT}.`,
})
const graceCover = OneOf(GRACE_COVERS, {
  description:
    'What a policy covers in its days of grace: as before them (`FULL`), or nothing until it is renewed or paid (`NONE`). Defaults to `FULL`. ' +
    'A policy keeps what its plan said at the enrolment.',
})

const premiumGate = OneOf(PREMIUM_GATES, {
  description:
    'With `deposit`, an issue or a renewal takes its premium from the deposit of the sponsor at the benefit provider, and is refused where that is short. ' +
    'Defaults to `none`. What the plan says on that day holds, for every policy of it.',
})

const inr = (value: number) => ({ currency: 'INR' as const, value })
const planExample = {
  plan_code: 'FAMILY_5L',
  plan_name: 'Family floater of ₹5 lakh',
  term_months: 12,
  premium_amounts: { annual: inr(12_045), daily: inr(33), sponsor_contribution: inr(6_022.5) },
  renewal_window_days: 30,
  grace_days: 30,
  grace_cover: 'FULL' as const,
  premium_gate: 'none' as const,
}

const PlanName = Name()

const Plan = Type.Object(
  {
    ...planFields,
    plan_name: Nullable(PlanName),
    renewal_window_days: windowDays,
    grace_days: graceDays,
    grace_cover: graceCover,
    premium_gate: premiumGate,
  },
  { title: 'Plan', description: 'A plan users can enrol in', examples: [planExample] },
)
export type Plan = Static<typeof Plan>

const PlanInput = Type.Object(
  {
    ...planFields,
    plan_name: OrNull(PlanName),
    renewal_window_days: Type.Optional(windowDays),
    grace_days: Type.Optional(graceDays),
    grace_cover: Type.Optional(graceCover),
    premium_gate: Type.Optional(premiumGate),
  },
  { title: 'PlanInput', description: 'A plan to create', examples: [planExample] },
)

const Plans = Type.Array(PlanInput, { minItems: 1, maxItems: PLANS_MAX, uniqueBy: ['plan_code'] })
export type PlanInput = Static<typeof PlanInput>

const shortestTerm = (months: number): number => months * MONTH_DAYS_MIN

export const withDefaults = (plan: PlanInput): Plan => ({
  renewal_window_days: Math.min(WINDOW_DAYS_DEFAULT, shortestTerm(plan.term_months) / 4),
  grace_days: GRACE_DAYS_DEFAULT,
  grace_cover: 'FULL',
  premium_gate: 'none',
  plan_name: null,
  ...plan,
})

/**
 * Returns errors for renewal windows that are as long as the shortest term: with a window already open when the term
 * begins, the same renewal sent twice would buy two terms.
 */
export function validateWindows({ body }: { body: unknown }): FieldError[] {
  const plans: unknown = (body as { plans?: unknown } | undefined)?.plans
  return (Array.isArray(plans) ? plans : []).flatMap((plan: Partial<Record<string, unknown>> | null, index) => {
    const { term_months: months, renewal_window_days: days } = plan ?? {}
    if (typeof months !== 'number' || typeof days !== 'number') return []
    const shortest = shortestTerm(months)
    if (days < shortest || days > DAYS_MAX || months < 1) return []
    const detail = `Must be less than ${shortest}, the shortest term in days.`
    return [{ pointer: `/plans/${index}/renewal_window_days`, code: 'too_large', detail }]
  })
}

/** A plan of before has no `grace_cover` and no `premium_gate`. */
export type StoredPlan = Omit<Plan, 'grace_cover' | 'premium_gate'> &
  Partial<Record<'grace_cover', Plan['grace_cover'] | undefined>> &
  Partial<Record<'premium_gate', Plan['premium_gate'] | undefined>>

export const graceCoverOf = ({ grace_cover }: StoredPlan): Plan['grace_cover'] => grace_cover ?? 'FULL'

export const premiumGateOf = ({ premium_gate }: Pick<StoredPlan, 'premium_gate'>): Plan['premium_gate'] =>
  premium_gate ?? 'none'

/** Returns what programs of before do not know that a plan says; they would issue without its premium. */
export const hasPremiumGate = (plans: readonly Pick<StoredPlan, 'premium_gate'>[] = []): boolean =>
  plans.some((plan) => premiumGateOf(plan) !== 'none')

/** Restores the order of the fields, which the database's JSON does not keep. */
const presentPlan = (plan: StoredPlan): Plan => ({
  plan_code: plan.plan_code,
  plan_name: plan.plan_name ?? null, // plans from before had none
  term_months: plan.term_months,
  premium_amounts: {
    annual: presentMoney(plan.premium_amounts.annual),
    daily: presentMoney(plan.premium_amounts.daily),
    sponsor_contribution: presentMoney(plan.premium_amounts.sponsor_contribution),
  },
  renewal_window_days: plan.renewal_window_days,
  grace_days: plan.grace_days,
  grace_cover: graceCoverOf(plan),
  premium_gate: premiumGateOf(plan),
})

const presentMoney = ({ currency, value }: Plan['premium_amounts']['annual']) => ({ currency, value })

export const BENEFITS = entity(
  'benefits b',
  'Benefit',
  {
    id: field(text('benefit_id'), Type.String(), 'bnf_06bnv3m2r8f1s4k7q9t3v6w0y2'),
    name: field(text('name'), Type.String(), 'Family health cover'),
    benefitProviderId: field(text('benefit_provider_id'), Type.String(), 'bpr_06bnv3m2r8f1s4k7q9t3v6w0y2'),
    sponsorId: field(text('sponsor_id'), Type.String(), 'spn_06bnv3m2r8f1s4k7q9t3v6w0y2'),
    platformId: internal(text('platform_id')),
    status: choice('status', BENEFIT_STATUSES, 'ACTIVE'),
    plans: field(json<StoredPlan[]>('plans'), Type.Array(Plan), [planExample], (plans) => plans.map(presentPlan)),
  },
  { description: 'A benefit a sponsor pays for, with its plans' },
)
export type Benefit = RecordOf<typeof BENEFITS>
export const { schema: BenefitRecord, versionOf, present: presentBenefit } = BENEFITS

export const BenefitPath = Type.Object({ benefit_id: PathId('The benefit') })

export const BenefitInput = Type.Object(
  { name: Name(), benefit_provider_id: Text(), sponsor_id: Text(), plans: Plans },
  {
    examples: [
      {
        name: 'Family health cover',
        benefit_provider_id: 'bpr_06bnv3m2r8f1s4k7q9t3v6w0y2',
        sponsor_id: 'spn_06bnv3m2r8f1s4k7q9t3v6w0y2',
        plans: [planExample],
      },
    ],
  },
)
export type BenefitInput = Static<typeof BenefitInput>

export const BenefitPatch = Type.Object(
  { name: Type.Optional(Name()), plans: Type.Optional(Plans) },
  { requiresOneOf: ['name', 'plans'], examples: [{ name: 'Family health cover 2026' }] },
)

export const benefitEvent = ({ id, benefitProviderId, platformId }: Benefit) => ({
  platformId,
  data: { benefit_id: id, benefit_provider_id: benefitProviderId },
})

export const tags = ['Benefits']
