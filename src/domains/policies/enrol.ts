import assert from 'node:assert/strict'
import { scopeOnUser } from '../../access/scope.ts'
import type { Deps } from '../../deps.ts'
import { todayIn, wireTime } from '../../kernel/clock.ts'
import { lastDayOfTerm } from '../../kernel/date.ts'
import { newId } from '../../kernel/id.ts'
import { type Currency, toPaise } from '../../kernel/money.ts'
import { conflict, type FieldError, invalid, unknownReference } from '../../kernel/problem-error.ts'
import { beginning, type By, type Change } from '../../record/index.ts'
import type { Benefit } from '../benefits/index.ts'
import { rowsOfSnapshot } from '../documents/index.ts'
import { checkNoOverlap } from './check-no-overlap.ts'
import { type Policy, rowOfPolicy } from './open-policy.ts'
import type { PolicyInput } from './schemas.ts'
import { snapshotOf } from './snapshot-of.ts'
import { POLICY_MACHINE } from './states.ts'
import { ENROL, type EnrolmentScene, findEnrolmentScene } from './enrolment-store.ts'

type Offer = NonNullable<EnrolmentScene['offer']>
type Plan = Benefit['plans'][number]

/**
 * Enrols a user in a plan of a benefit of their platform; the policy starts PENDING. Throws 404 for a foreign user, and
 * what `decideEnrolment` throws.
 */
export async function enrol(
  context: Pick<Deps, 'db' | 'vault' | 'calendar'>,
  { userId, input }: { userId: string; input: PolicyInput },
  by: By,
): Promise<Change<Policy>> {
  const scene = await findEnrolmentScene(context, scopeOnUser(by.caller, userId), {
    benefitId: input.benefit_id,
    planCode: input.plan_code,
    dependantIds: dependantsIn(input).map(({ id }) => id),
  })
  const { policy, offer } = decideEnrolment(scene, input, { id: newId('pol'), at: by.at })
  const snapshot = snapshotOf(policy, { ...offer, madeOn: todayIn(context.calendar) })
  const { user } = scene
  return {
    result: policy,
    write: ENROL,
    values: [user.id, user.coverRevision, policy.benefitId, offer.sponsorId, rowOfPolicy(policy, by.at)],
    rows: {
      into_user_providers: [{ user_id: user.id, benefit_provider_id: policy.benefitProviderId }],
      ...rowsOfSnapshot(context.vault, { policy, snapshot, at: by.at }),
    },
    ...beginning(POLICY_MACHINE, policy),
  }
}

/**
 * Decides an enrolment. Pure. Throws 422 for what the form names and does not exist, 409 `conflict` for a benefit or
 * sponsor that takes nobody, and where the plan covers the user already.
 */
export function decideEnrolment(
  { user, offer, dependant, others }: EnrolmentScene,
  input: PolicyInput,
  { id, at }: { id: string; at: Date },
): { policy: Policy; offer: Offer } {
  const plan = offer?.plans.find(({ plan_code }) => plan_code === input.plan_code)
  const errors = [...errorsOfPlan(offer, plan), ...errorsOfDependants(dependant, input)]
  if (!offer || !plan || errors.length > 0) throw invalid(errors)
  if (offer.isArchived) throw conflict('The benefit is archived.', { reason: 'archived' })
  if (offer.isSponsorInactive) throw conflict('The sponsor of the benefit is inactive.', { reason: 'inactive' })
  const terms = termsOf(offer, plan, input)
  checkNoOverlap(others, { from: terms.startDate, to: terms.endDate })
  const policy: Policy = {
    id,
    userId: user.id,
    platformId: user.platformId,
    key: user.key,
    member: user.profile,
    dependant,
    ...terms,
    status: 'PENDING',
    private: input.questionnaire ? { questionnaire: input.questionnaire } : {},
    externalPolicyId: null,
    masterPolicyNumber: null,
    graceUntil: null,
    issue: 0,
    issuedDependantIds: null,
    revision: 1,
    createdAt: wireTime(at),
    lastModifiedAt: wireTime(at),
  }
  return { policy, offer }
}

function errorsOfPlan(offer: Offer | undefined, plan: Plan | undefined): FieldError[] {
  if (!offer) return [unknownReference('/benefit_id', 'There is no such benefit of the user’s platform.')]
  return plan ? [] : [unknownReference('/plan_code', 'The benefit has no such plan.')]
}

/** Whom a form names, and where. */
function dependantsIn({ dependant_ids, nominee_details }: PolicyInput): { id: string; pointer: string }[] {
  const covered = dependant_ids.map((id, index) => ({ id, pointer: `/dependant_ids/${index}` }))
  if (!nominee_details) return covered
  return [...covered, { id: nominee_details.dependant_id, pointer: '/nominee_details/dependant_id' }]
}

const errorsOfDependants = (dependant: Policy['dependant'], input: PolicyInput): FieldError[] =>
  dependantsIn(input)
    .filter(({ id }) => dependant(id) === undefined)
    .map(({ pointer }) => unknownReference(pointer, 'The user has no such dependant, or there is a newer version.'))

function termsOf(offer: Offer, plan: Plan, input: PolicyInput) {
  const { annual, daily, sponsor_contribution } = plan.premium_amounts
  return {
    benefitId: offer.benefitId,
    benefitName: offer.benefitName,
    benefitProviderId: offer.benefitProviderId,
    planCode: plan.plan_code,
    dependantIds: input.dependant_ids,
    nomineeDependantId: input.nominee_details?.dependant_id ?? null,
    startDate: input.start_date,
    coveredFrom: input.start_date,
    endDate: lastDayOfTerm(input.start_date, plan.term_months),
    termMonths: plan.term_months,
    renewalWindowDays: plan.renewal_window_days,
    graceDays: plan.grace_days,
    currency: currencyOf(plan),
    premiumAnnualPaise: toPaise(annual.value),
    premiumDailyPaise: toPaise(daily.value),
    premiumSponsorPaise: toPaise(sponsor_contribution.value),
  }
}

/** The one currency of a plan's amounts. */
function currencyOf({ premium_amounts: { annual, daily, sponsor_contribution } }: Plan): Currency {
  const others = [daily.currency, sponsor_contribution.currency]
  assert(
    others.every((currency) => currency === annual.currency),
    'the amounts of a plan are in one currency',
  )
  return annual.currency
}
