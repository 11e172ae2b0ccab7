import type { Queryable } from '../../../kernel/db/database.ts'
import { checkFresh } from '../../../kernel/http/conditional.ts'
import { conflict } from '../../../kernel/problem-error.ts'
import { type By, type Decision, newEvent, unchanged } from '../../../record/index.ts'
import { benefitEvent } from './create-benefit.ts'
import { versionOf } from './present.ts'
import { type Archive, findBenefitWithUse } from './store.ts'

type Deletion = { benefitId: string; archive: Archive; ifMatch: string | undefined }

/**
 * Decides to archive a benefit. Idempotent; the result is its id (contract 4.14). Throws 404, 409 while policies use
 * it, 412.
 */
export async function deleteBenefit(
  db: Queryable,
  { benefitId, archive, ifMatch }: Deletion,
  by: By,
): Promise<Decision<string>> {
  const { benefit, isInUse } = await findBenefitWithUse(db, archive, benefitId)
  checkFresh(ifMatch, () => versionOf(benefit))
  if (benefit.status === 'ARCHIVED') return unchanged(benefit.id)
  if (isInUse)
    throw conflict('Policies that are not EXPIRED or REJECTED use this benefit. End them first.', { reason: 'in_use' })
  return {
    result: benefit.id,
    write: archive.write,
    values: [benefit.id, benefit.revision, by.at],
    history: [{ userId: null, entityId: benefit.id, from: benefit.status, to: 'ARCHIVED' }],
    events: [newEvent('benefit.deleted', benefitEvent(benefit))],
  }
}
