import { isDeepStrictEqual } from 'node:util'
import { scopeOf } from '../../../access/scope.ts'
import type { Queryable } from '../../../kernel/db/database.ts'
import { nextVersion } from '../../../kernel/db/version.ts'
import { checkFresh } from '../../../kernel/http/conditional.ts'
import { conflict } from '../../../kernel/problem-error.ts'
import { type By, type Decision, newEvent, unchanged } from '../../../record/index.ts'
import { benefitEvent } from './create-benefit.ts'
import { presentBenefit, versionOf } from './present.ts'
import { type BenefitPatch, withDefaults } from './schemas.ts'
import { type Benefit, findBenefit, UPDATE_BENEFIT } from './store.ts'

type PatchInput = { benefitId: string; patch: BenefitPatch; ifMatch: string | undefined }

/** Decides a change of name or plans; policies keep their plan. Throws 404, 409 when the benefit is archived, 412. */
export async function updateBenefit(
  db: Queryable,
  { benefitId, patch, ifMatch }: PatchInput,
  by: By,
): Promise<Decision<Benefit>> {
  const benefit = await findBenefit(db, scopeOf(by.caller), benefitId)
  checkFresh(ifMatch, () => versionOf(benefit))
  const { name = benefit.name } = patch
  const plans = patch.plans?.map(withDefaults) ?? benefit.plans
  if (isDeepStrictEqual(presentBenefit({ ...benefit, name, plans }), presentBenefit(benefit))) return unchanged(benefit)
  if (benefit.status === 'ARCHIVED') throw conflict('The benefit is archived.', { reason: 'archived' })

  return {
    result: { ...nextVersion(benefit, by.at), name, plans },
    write: UPDATE_BENEFIT,
    values: [benefit.id, benefit.revision, name, JSON.stringify(plans), by.at],
    events: [newEvent('benefit.updated', benefitEvent(benefit))],
  }
}
