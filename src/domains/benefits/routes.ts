import type { FastifyRequest } from 'fastify'
import { matrix } from '../../access/matrix.ts'
import { scopeOf } from '../../access/scope.ts'
import type { Deps } from '../../deps.ts'
import { answerChanged, answerRecord } from '../../kernel/http/conditional.ts'
import { paged, pageFrom } from '../../kernel/http/paging.ts'
import type { App } from '../../kernel/http/server.ts'
import { createBenefit } from './create-benefit.ts'
import { deleteBenefit, type IsInUse, updateBenefit } from './update-benefit.ts'
import { presentBenefit, versionOf } from './present.ts'
import * as schemas from './schemas.ts'
import { findBenefit, listBenefits } from './store.ts'

export function benefitRoutes(app: App, { db, vault, isInUse }: Deps & { isInUse: IsInUse }): void {
  app.addSchema(schemas.Benefit)
  const reach = (request: FastifyRequest) =>
    findBenefit(db, scopeOf(request.caller), (request.params as { benefit_id: string }).benefit_id)

  app.post(
    '/benefits',
    { schema: schemas.createBenefitSchema, config: { may: matrix.createBenefit } },
    async (request, reply) => {
      const benefit = await db.transaction((tx) => createBenefit(tx, { vault }, request.body))
      return reply
        .code(201)
        .header('location', `/v1/benefits/${benefit.id}`)
        .send(answerChanged(reply, versionOf(benefit)))
    },
  )

  app.get(
    '/benefits',
    { schema: schemas.listBenefitsSchema, config: { may: matrix.listBenefits } },
    async (request, reply) => {
      const page = pageFrom(request.query)
      const filter = { scope: scopeOf(request.caller), statuses: request.query.status ?? ['ACTIVE' as const], page }
      const { rows, total } = await listBenefits(db, filter)
      return paged({ request, reply }, { ...page, total }, rows.map(presentBenefit))
    },
  )

  app.get(
    '/benefits/:benefit_id',
    { schema: schemas.readBenefitSchema, config: { may: matrix.readBenefit, reach } },
    async (request, reply) => answerRecord({ request, reply }, versionOf(await reach(request))),
  )

  app.patch(
    '/benefits/:benefit_id',
    {
      schema: schemas.updateBenefitSchema,
      config: { may: matrix.updateBenefit, reach, refuses: ['not_found', 'conflict', 'precondition_failed'] },
    },
    async (request, reply) => {
      const change = { benefitId: request.params.benefit_id, ifMatch: request.headers['if-match'], patch: request.body }
      return answerChanged(reply, versionOf(await db.transaction((tx) => updateBenefit(tx, change))))
    },
  )

  app.delete(
    '/benefits/:benefit_id',
    {
      schema: schemas.deleteBenefitSchema,
      config: { may: matrix.deleteBenefit, reach, refuses: ['not_found', 'conflict'] },
    },
    async (request) => ({
      id: await db.transaction((tx) => deleteBenefit(tx, { benefitId: request.params.benefit_id, isInUse })),
    }),
  )
}
