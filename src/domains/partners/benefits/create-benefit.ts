import type { Queryable } from '../../../kernel/db/database.ts'
import { refuseOlderPrograms } from '../../../kernel/db/refuse-older-programs.ts'
import { createLocation } from '../../../kernel/http/param.ts'
import { newId } from '../../../kernel/id.ts'
import { type FieldError, invalid, unknownReference } from '../../../kernel/problem-error.ts'
import { type Author, type Change, created, newEvent, operation } from '../../../record/index.ts'
import {
  type Benefit,
  benefitEvent,
  BenefitInput,
  BenefitRecord,
  hasPremiumGate,
  tags,
  validateWindows,
  versionOf,
  withDefaults,
} from './records.ts'
import { findParties, insert } from './store.ts'

export const createBenefit = operation('POST /benefits', {
  access: 'createBenefit',
  tags,
  summary: 'Create a benefit',
  description: 'Creates a benefit that a sponsor pays for and a benefit provider delivers, in one or more plans.',
  body: BenefitInput,
  versioned: true,
  response: { 201: BenefitRecord },
  problems: ['unavailable'],
  validate: validateWindows,
  change: ({ deps, body }, author) => decideBenefit(deps.db, body, author),
  present: (benefit, { request }) => created(createLocation(request, benefit.id), versionOf(benefit)),
})

/** Throws 422 for a sponsor and for a benefit provider that does not exist, 503 for a gate while a program runs that does not know it. */
async function decideBenefit(db: Queryable, input: BenefitInput, { at }: Author): Promise<Change<Benefit>> {
  if (hasPremiumGate(input.plans)) await refuseOlderPrograms(db, 'deposits')
  const { name, sponsor_id: sponsorId, benefit_provider_id: benefitProviderId } = input
  const { platformId, hasProvider } = await findParties(db, { sponsorId, providerId: benefitProviderId })
  const errors: FieldError[] = []
  if (!hasProvider) errors.push(unknownReference('/benefit_provider_id', 'No benefit provider has this id.'))
  if (platformId === null) errors.push(unknownReference('/sponsor_id', 'No sponsor has this id.'))
  if (platformId === null || errors.length > 0) throw invalid(errors)

  const plans = input.plans.map(withDefaults)
  const change = insert(
    { id: newId('bnf'), name, benefitProviderId, sponsorId, platformId, status: 'ACTIVE', plans },
    at,
  )
  const { id, status } = change.result
  return {
    ...change,
    history: [{ userId: null, entityId: id, from: null, to: status }],
    events: [newEvent('benefit.created', benefitEvent(change.result))],
  }
}
