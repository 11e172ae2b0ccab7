import type { Queryable } from '../../kernel/db/database.ts'
import { conflict } from '../../kernel/problem-error.ts'
import { type By, type Decision, newEvent, unchanged } from '../../record/index.ts'
import { aboutBenefit } from './create-benefit.ts'
import { type Archive, findBenefitWithUse } from './store.ts'

type Deletion = { benefitId: string; archive: Archive }

/** Archives a benefit; the result is its id, a second time too (contract 4.14). Throws 404, 409 while policies use it. */
export async function deleteBenefit(
  db: Queryable,
  { benefitId, archive }: Deletion,
  by: By,
): Promise<Decision<string>> {
  const { benefit, isInUse } = await findBenefitWithUse(db, archive, benefitId)
  if (benefit.status === 'ARCHIVED') return unchanged(benefit.id)
  if (isInUse) throw conflict('Policies that are not EXPIRED or REJECTED use this benefit.', { reason: 'in_use' })
  return {
    result: benefit.id,
    write: archive.write,
    values: [benefit.id, benefit.revision, by.at],
    history: [{ userId: null, entityId: benefit.id, from: benefit.status, to: 'ARCHIVED' }],
    events: [newEvent('benefit.deleted', aboutBenefit(benefit))],
  }
}
