import { matrix } from '../../../access/matrix.ts'
import type { Deps } from '../../../deps.ts'
import { sendRecord } from '../../../kernel/http/conditional.ts'
import { paged, pageFrom } from '../../../kernel/http/paging.ts'
import { locationOf, param } from '../../../kernel/http/param.ts'
import type { App } from '../../../kernel/http/server.ts'
import { created, perform } from '../../../record/index.ts'
import { createBenefitProvider } from './create-benefit-provider.ts'
import { presentBenefitProvider, versionOf } from './present.ts'
import * as schemas from './schemas.ts'
import { findBenefitProvider, listBenefitProviders } from './store.ts'

export function benefitProviderRoutes(app: App, deps: Deps): void {
  app.addSchema(schemas.BenefitProvider)
  const { db } = deps
  const loadTarget = (request: { params: unknown }) => findBenefitProvider(db, param(request, 'benefit_provider_id'))

  app.post(
    '/benefit_providers',
    {
      schema: schemas.createBenefitProviderSchema,
      config: { access: matrix.createBenefitProvider, refuses: ['conflict'] },
    },
    (request, reply) =>
      perform(deps, {
        request,
        reply,
        decide: async (by) => createBenefitProvider(db, request.body, by),
        present: (provider) => created(locationOf(request, provider.id), versionOf(provider)),
      }),
  )

  app.get(
    '/benefit_providers',
    { schema: schemas.listBenefitProvidersSchema, config: { access: matrix.listBenefitProviders } },
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
      config: { access: matrix.readBenefitProvider, loadTarget, refuses: ['not_found'] },
    },
    async (request, reply) => sendRecord({ request, reply }, versionOf(await loadTarget(request))),
  )
}
