import type { FastifyRequest } from 'fastify'
import { matrix } from '../../../access/matrix.ts'
import { scopeOf } from '../../../access/scope.ts'
import type { Deps } from '../../../deps.ts'
import { sendRecord } from '../../../kernel/http/conditional.ts'
import { paged, pageFrom } from '../../../kernel/http/paging.ts'
import { locationOf, param } from '../../../kernel/http/param.ts'
import type { App } from '../../../kernel/http/server.ts'
import { changed, created, perform, responding } from '../../../record/index.ts'
import { createBenefit } from './create-benefit.ts'
import { deleteBenefit } from './delete-benefit.ts'
import { presentBenefit, versionOf } from './present.ts'
import * as schemas from './schemas.ts'
import { archiveStatements, findBenefit, type IsInUse, listBenefits } from './store.ts'
import { updateBenefit } from './update-benefit.ts'

export function benefitRoutes(app: App, { isInUse, ...deps }: Deps & { isInUse: IsInUse }): void {
  app.addSchema(schemas.Benefit)
  const { db } = deps
  const archive = archiveStatements(isInUse)
  const loadTarget = (request: FastifyRequest) => findBenefit(db, scopeOf(request.caller), param(request, 'benefit_id'))

  app.post(
    '/benefits',
    { schema: schemas.createBenefitSchema, config: { access: matrix.createBenefit, errors: schemas.validateWindows } },
    (request, reply) =>
      perform(deps, {
        request,
        reply,
        decide: (by) => createBenefit(db, request.body, by),
        present: (benefit) => created(locationOf(request, benefit.id), versionOf(benefit)),
      }),
  )

  app.get(
    '/benefits',
    { schema: schemas.listBenefitsSchema, config: { access: matrix.listBenefits } },
    async (request, reply) => {
      const page = pageFrom(request.query)
      const filter = { scope: scopeOf(request.caller), statuses: request.query.status ?? ['ACTIVE' as const], page }
      const { rows, total } = await listBenefits(db, filter)
      return paged({ request, reply }, { ...page, total }, rows.map(presentBenefit))
    },
  )

  app.get(
    '/benefits/:benefit_id',
    { schema: schemas.readBenefitSchema, config: { access: matrix.readBenefit, loadTarget } },
    async (request, reply) => sendRecord({ request, reply }, versionOf(await loadTarget(request))),
  )

  app.patch(
    '/benefits/:benefit_id',
    {
      schema: schemas.updateBenefitSchema,
      config: {
        access: matrix.updateBenefit,
        loadTarget,
        errors: schemas.validateWindows,
        refuses: ['not_found', 'conflict', 'precondition_failed'],
      },
    },
    (request, reply) => {
      const { benefit_id: benefitId } = request.params
      const input = { benefitId, patch: request.body, ifMatch: request.headers['if-match'] }
      return perform(deps, {
        request,
        reply,
        turn: benefitId,
        decide: (by) => updateBenefit(db, input, by),
        present: (benefit) => changed(versionOf(benefit)),
      })
    },
  )

  app.delete(
    '/benefits/:benefit_id',
    {
      schema: schemas.deleteBenefitSchema,
      config: { access: matrix.deleteBenefit, loadTarget, refuses: ['not_found', 'conflict', 'precondition_failed'] },
    },
    (request, reply) => {
      const { benefit_id: benefitId } = request.params
      const deletion = { benefitId, archive, ifMatch: request.headers['if-match'] }
      return perform(deps, {
        request,
        reply,
        turn: benefitId,
        decide: (by) => deleteBenefit(db, deletion, by),
        present: (id) => responding({ id }),
      })
    },
  )
}
