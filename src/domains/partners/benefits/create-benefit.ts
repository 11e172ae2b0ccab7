import type { Queryable } from '../../../kernel/db/database.ts'
import { firstVersion } from '../../../kernel/db/version.ts'
import { newId } from '../../../kernel/id.ts'
import { type FieldError, invalid, unknownReference } from '../../../kernel/problem-error.ts'
import { type By, type Change, newEvent } from '../../../record/index.ts'
import { type BenefitInput, withDefaults } from './schemas.ts'
import { type Benefit, findParties, INSERT_BENEFIT } from './store.ts'

/**
 * Decides a new ACTIVE benefit of a sponsor and a benefit provider. Throws 422 for each of them that does not exist.
 */
export async function createBenefit(db: Queryable, input: BenefitInput, by: By): Promise<Change<Benefit>> {
  const { name, sponsor_id: sponsorId, benefit_provider_id: benefitProviderId } = input
  const { platformId, hasProvider } = await findParties(db, { sponsorId, providerId: benefitProviderId })
  const errors: FieldError[] = []
  if (!hasProvider) errors.push(unknownReference('/benefit_provider_id', 'No benefit provider has this id.'))
  if (platformId === null) errors.push(unknownReference('/sponsor_id', 'No sponsor has this id.'))
  if (platformId === null || errors.length > 0) throw invalid(errors)

  const id = newId('bnf')
  const plans = input.plans.map(withDefaults)
  const status = 'ACTIVE'
  const benefit: Benefit = {
    id,
    benefitProviderId,
    sponsorId,
    platformId,
    name,
    status,
    plans,
    ...firstVersion(by.at),
  }
  return {
    result: benefit,
    write: INSERT_BENEFIT,
    values: [id, benefitProviderId, sponsorId, platformId, name, status, JSON.stringify(plans), by.at],
    history: [{ userId: null, entityId: id, from: null, to: status }],
    events: [newEvent('benefit.created', benefitEvent(benefit))],
  }
}

/** Returns the platform and payload of a benefit's events. */
export const benefitEvent = ({ id, benefitProviderId, platformId }: Benefit) => ({
  platformId,
  data: { benefit_id: id, benefit_provider_id: benefitProviderId },
})
