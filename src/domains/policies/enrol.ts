import { type Actor } from '../../access/caller.ts'
import { scopeOnUser } from '../../access/scope.ts'
import type { Vault } from '../../kernel/crypto/vault.ts'
import { type Clock, todayIn } from '../../kernel/clock.ts'
import { lastDayOfTerm } from '../../kernel/date.ts'
import type { Tx } from '../../kernel/db/database.ts'
import { newId } from '../../kernel/id.ts'
import { toPaise } from '../../kernel/money.ts'
import { conflict, type Fault, invalid, unknownReference } from '../../kernel/refusal.ts'
import { type Benefit, findBenefitForShare } from '../benefits/index.ts'
import { currentDependantIds } from '../dependants/index.ts'
import { recordAndTellUserMove } from '../events/index.ts'
import { findSponsor } from '../sponsors/index.ts'
import { linkProvider, lockUser, type User } from '../users/index.ts'
import { keepPolicyFacts } from './keep-policy-facts.ts'
import type { PolicyForm } from './schemas.ts'
import { findPolicy, insertPolicy, type Policy, type Terms } from './store.ts'

type Enrolment = { userId: string; form: PolicyForm; by: Actor }
type Plan = Benefit['plans'][number]

/**
 * Enrols a user in a plan of a benefit of their platform; the policy starts PENDING. 404 for a foreign user, 422 for
 * what the form names and does not exist, 409 for a benefit or sponsor that takes nobody and for the same enrolment again.
 */
export async function enrol(
  tx: Tx,
  { vault, calendar }: { vault: Vault; calendar: Clock },
  { userId, form, by }: Enrolment,
): Promise<Policy> {
  const scope = scopeOnUser(by.caller, userId)
  const user = await lockUser(tx, vault, scope)
  const ofPlatform = { platformId: user.platformId, providerId: null }
  const benefit = await findBenefitForShare(tx, ofPlatform, form.benefit_id)
  const plan = benefit?.plans.find(({ plan_code }) => plan_code === form.plan_code)
  const faults = [...faultsOfPlan(benefit, plan), ...(await faultsOfDependants(tx, user, form))]
  if (!benefit || !plan || faults.length > 0) throw invalid(faults)

  if (benefit.status === 'ARCHIVED') throw conflict('The benefit is archived.')
  const sponsor = await findSponsor(tx, vault, ofPlatform, benefit.sponsorId)
  if (sponsor.status === 'INACTIVE') throw conflict('The sponsor of the benefit is inactive.')

  const id = newId('pol')
  await insertPolicy(tx, { user, id, terms: termsOf(benefit, plan, form), questionnaire: form.questionnaire })
  await linkProvider(tx, { userId: user.id, benefitProviderId: benefit.benefitProviderId })
  await recordAndTellUserMove(
    tx,
    { userId: user.id, platformId: user.platformId },
    {
      type: 'policy.status_changed',
      idName: 'insurance_policy_id',
      entityId: id,
      from: null,
      to: 'PENDING',
      by,
    },
  )
  const policy = await findPolicy(tx, vault, scope, id)
  await keepPolicyFacts(tx, vault, { policy, made_on: todayIn(calendar) })
  return policy
}

function faultsOfPlan(benefit: Benefit | undefined, plan: Plan | undefined): Fault[] {
  if (!benefit) return [unknownReference('/benefit_id', 'There is no such benefit of the user’s platform.')]
  return plan ? [] : [unknownReference('/plan_code', 'The benefit has no such plan.')]
}

async function faultsOfDependants(
  tx: Tx,
  user: User,
  { dependant_ids, nominee_details }: PolicyForm,
): Promise<Fault[]> {
  const nominee = nominee_details?.dependant_id
  const named = nominee === undefined ? dependant_ids : [...dependant_ids, nominee]
  const current = named.length === 0 ? new Set<string>() : await currentDependantIds(tx, user.id, named)
  const sentence = 'The user has no such dependant, or there is a newer version.'
  const faults = dependant_ids.flatMap((id, index) =>
    current.has(id) ? [] : [unknownReference(`/dependant_ids/${index}`, sentence)],
  )
  if (nominee !== undefined && !current.has(nominee))
    faults.push(unknownReference('/nominee_details/dependant_id', sentence))
  return faults
}

function termsOf(benefit: Benefit, plan: Plan, form: PolicyForm): Terms {
  const { annual, daily, sponsor_contribution } = plan.premium_amounts
  return {
    benefit_id: benefit.id,
    benefit_provider_id: benefit.benefitProviderId,
    plan_code: plan.plan_code,
    dependant_ids: form.dependant_ids,
    nominee_dependant_id: form.nominee_details?.dependant_id ?? null,
    start_date: form.start_date,
    end_date: lastDayOfTerm(form.start_date, plan.term_months),
    term_months: plan.term_months,
    renewal_window_days: plan.renewal_window_days,
    grace_days: plan.grace_days,
    currency: annual.currency,
    premium_annual_paise: toPaise(annual.value),
    premium_daily_paise: toPaise(daily.value),
    premium_sponsor_paise: toPaise(sponsor_contribution.value),
  }
}
