import type { Deps } from '../../deps.ts'
import type { Tx } from '../../kernel/db/database.ts'
import { type Fault, foundOrUndefined, invalid, unknownReference } from '../../kernel/refusal.ts'
import { findBenefitProvider } from '../benefit-providers/index.ts'
import { findSponsor } from '../sponsors/index.ts'
import { type BenefitForm, type Plan, PLAN_DEFAULTS, type PlanForm } from './schemas.ts'
import { type Benefit, insertBenefit } from './store.ts'

/** Creates a benefit of an existing sponsor and benefit provider; 422 names what does not exist, both at once. */
export async function createBenefit(tx: Tx, { vault }: Pick<Deps, 'vault'>, form: BenefitForm): Promise<Benefit> {
  const everywhere = { platformId: null, providerId: null }
  const sponsor = await foundOrUndefined(findSponsor(tx, vault, everywhere, form.sponsor_id))
  const provider = await foundOrUndefined(findBenefitProvider(tx, form.benefit_provider_id))
  const faults: Fault[] = []
  if (!provider) faults.push(unknownReference('/benefit_provider_id', 'There is no such benefit provider.'))
  if (!sponsor) faults.push(unknownReference('/sponsor_id', 'There is no such sponsor.'))
  if (!sponsor || !provider) throw invalid(faults)
  return insertBenefit(tx, { ...form, platformId: sponsor.platformId, plans: form.plans.map(withDefaults) })
}

export const withDefaults = (plan: PlanForm): Plan => ({ ...PLAN_DEFAULTS, ...plan })
