import { isDeepStrictEqual } from 'node:util'
import { refuseOlderPrograms } from '../../../kernel/db/refuse-older-programs.ts'
import { conflict } from '../../../kernel/problem-error.ts'
import { changed, newEvent, operation, unchanged } from '../../../record/index.ts'
import {
  benefitEvent,
  BenefitPatch,
  BenefitPath,
  BenefitRecord,
  hasPremiumGate,
  presentBenefit,
  tags,
  validateWindows,
  versionOf,
  withDefaults,
} from './records.ts'
import { benefitInPath, update } from './store.ts'

export const updateBenefit = operation('PATCH /benefits/:benefit_id', {
  access: 'updateBenefit',
  tags,
  summary: 'Update a benefit',
  description:
    'Top-level JSON merge patch (RFC 7396); `plans` is replaced as a whole. Policies keep the plan they were ' +
    'enrolled in.',
  consumes: ['application/json', 'application/merge-patch+json'],
  params: BenefitPath,
  body: BenefitPatch,
  versioned: true,
  response: { 200: BenefitRecord },
  problems: ['not_found', 'conflict', 'precondition_failed', 'unavailable'],
  validate: validateWindows,
  target: benefitInPath,
  version: versionOf,
  serializeBy: ({ params }) => params.benefit_id,
  change: async ({ deps, target: benefit, body }, { at }) => {
    if (hasPremiumGate(body.plans)) await refuseOlderPrograms(deps.db, 'deposits')
    const { name = benefit.name } = body
    const plans = body.plans?.map(withDefaults) ?? benefit.plans
    if (isDeepStrictEqual(presentBenefit({ ...benefit, name, plans }), presentBenefit(benefit)))
      return unchanged(benefit)
    if (benefit.status === 'ARCHIVED') throw conflict('The benefit is archived.', { reason: 'archived' })
    return {
      ...update(benefit, { name, plans }, at),
      events: [newEvent('benefit.updated', benefitEvent(benefit))],
    }
  },
  present: (benefit) => changed(versionOf(benefit)),
})
