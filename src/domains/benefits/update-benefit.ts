import type { Tx } from '../../kernel/db/database.ts'
import { checkFresh } from '../../kernel/http/conditional.ts'
import { conflict } from '../../kernel/refusal.ts'
import { emit } from '../events/index.ts'
import { withDefaults } from './create-benefit.ts'
import { versionOf } from './present.ts'
import type { BenefitPatch } from './schemas.ts'
import { type Benefit, lockBenefit, updateBenefitRow } from './store.ts'

/** Says whether policies that are not EXPIRED or REJECTED use the benefit; the policies' domain answers. */
export type IsInUse = (tx: Tx, benefitId: string) => Promise<boolean>

/**
 * Archives a benefit; a second call answers the same (contract 4.14). The lock makes enrolments wait, so none slips in
 * between the question and the move. 404, 409 while it is in use.
 */
export async function deleteBenefit(
  tx: Tx,
  { benefitId, isInUse }: { benefitId: string; isInUse: IsInUse },
): Promise<string> {
  const benefit = await lockBenefit(tx, benefitId)
  if (benefit.status === 'ARCHIVED') return benefit.id
  if (await isInUse(tx, benefitId)) throw conflict('Policies that are not EXPIRED or REJECTED use this benefit.')
  await updateBenefitRow(tx, { ...benefit, status: 'ARCHIVED' })
  await emit(tx, 'benefit.deleted', {
    platformId: benefit.platformId,
    subject: benefitId,
    data: { benefit_id: benefitId },
  })
  return benefit.id
}

type Change = { benefitId: string; ifMatch: string | undefined; patch: BenefitPatch }

/** Changes name or plans; policies keep the plan they have. 404, 409 when it is archived, 412. */
export async function updateBenefit(tx: Tx, { benefitId, ifMatch, patch }: Change): Promise<Benefit> {
  const benefit = await lockBenefit(tx, benefitId)
  checkFresh(ifMatch, () => versionOf(benefit))
  if (benefit.status === 'ARCHIVED') throw conflict('The benefit is archived.')
  return updateBenefitRow(tx, {
    ...benefit,
    name: patch.name ?? benefit.name,
    plans: patch.plans?.map(withDefaults) ?? benefit.plans,
  })
}
