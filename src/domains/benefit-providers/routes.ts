import { matrix } from '../../access/matrix.ts'
import type { Deps } from '../../deps.ts'
import { answerChanged, answerRecord } from '../../kernel/http/conditional.ts'
import { paged, pageFrom } from '../../kernel/http/paging.ts'
import type { App } from '../../kernel/http/server.ts'
import { presentBenefitProvider, versionOf } from './present.ts'
import * as schemas from './schemas.ts'
import { findBenefitProvider, insertBenefitProvider, listBenefitProviders } from './store.ts'

export function benefitProviderRoutes(app: App, { db }: Deps): void {
  app.addSchema(schemas.BenefitProvider)
  const reach = (request: { params: unknown }) =>
    findBenefitProvider(db, (request.params as { benefit_provider_id: string }).benefit_provider_id)

  app.post(
    '/benefit_providers',
    {
      schema: schemas.createBenefitProviderSchema,
      config: { may: matrix.createBenefitProvider, refuses: ['conflict'] },
    },
    async (request, reply) => {
      const provider = await db.transaction((tx) => insertBenefitProvider(tx, request.body))
      return reply
        .code(201)
        .header('location', `/v1/benefit_providers/${provider.id}`)
        .send(answerChanged(reply, versionOf(provider)))
    },
  )

  app.get(
    '/benefit_providers',
    { schema: schemas.listBenefitProvidersSchema, config: { may: matrix.listBenefitProviders } },
    async (request, reply) => {
      const page = pageFrom(request.query)
      const { rows, total } = await listBenefitProviders(db, page)
      return paged({ request, reply }, { ...page, total }, rows.map(presentBenefitProvider))
    },
  )

  app.get(
    '/benefit_providers/:benefit_provider_id',
    {
      schema: schemas.readBenefitProviderSchema,
      config: { may: matrix.readBenefitProvider, reach, refuses: ['not_found'] },
    },
    async (request, reply) => answerRecord({ request, reply }, versionOf(await reach(request))),
  )
}
