import { Type } from 'typebox'
import { conflict } from '../../../kernel/problem-error.ts'
import { newEvent, operation, responding, unchanged } from '../../../record/index.ts'
import { benefitEvent, BenefitPath, tags, versionOf } from './records.ts'
import { archiveStatements, findBenefitWithUse, type IsInUse } from './store.ts'

const IN_USE = 'Policies that are not EXPIRED or REJECTED use this benefit. End them first.'

export function deleteBenefit(isUsed: IsInUse) {
  const archive = archiveStatements(isUsed)
  return operation('DELETE /benefits/:benefit_id', {
    access: 'deleteBenefit',
    tags,
    summary: 'Delete a benefit',
    description:
      'Archives the benefit. Rejected while policies that are not EXPIRED or REJECTED use it. Deleting it again ' +
      'returns the same response.',
    params: BenefitPath,
    response: { 200: Type.Object({ id: Type.String() }, { examples: [{ id: 'bnf_06bnv3m2r8f1s4k7q9t3v6w0y2' }] }) },
    problems: ['not_found', 'conflict', 'precondition_failed'],
    target: ({ deps, params }) => findBenefitWithUse(deps.db, archive, params.benefit_id),
    version: ({ benefit }) => versionOf(benefit),
    serializeBy: ({ params }) => params.benefit_id,
    change: ({ target: { benefit, isInUse } }, { at }) => {
      const { id, revision, status } = benefit
      if (status === 'ARCHIVED') return unchanged(id)
      if (isInUse) throw conflict(IN_USE, { reason: 'in_use' })
      return {
        result: id,
        ...archive.write.with({ benefit_id: id, revision, at }),
        history: [{ userId: null, entityId: id, from: status, to: 'ARCHIVED' }],
        events: [newEvent('benefit.deleted', benefitEvent(benefit))],
      }
    },
    present: (id) => responding({ id }),
  })
}
