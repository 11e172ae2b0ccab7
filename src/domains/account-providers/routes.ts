import { matrix } from '../../access/matrix.ts'
import type { Deps } from '../../deps.ts'
import { answerRecord } from '../../kernel/http/conditional.ts'
import { paged, pageFrom } from '../../kernel/http/paging.ts'
import { locationOf, param } from '../../kernel/http/param.ts'
import type { App } from '../../kernel/http/server.ts'
import { changed, created, perform } from '../../record/index.ts'
import { createAccountProvider } from './create-account-provider.ts'
import { presentAccountProvider, versionOf } from './present.ts'
import { renameAccountProvider } from './rename-account-provider.ts'
import * as schemas from './schemas.ts'
import { setAccountProviderStatus } from './set-account-provider-status.ts'
import { findAccountProvider, listAccountProviders } from './store.ts'

export function accountProviderRoutes(app: App, deps: Deps): void {
  app.addSchema(schemas.AccountProvider)
  const { db } = deps
  const reach = (request: { params: unknown }) => findAccountProvider(db, param(request, 'account_provider_id'))

  app.post(
    '/account_providers',
    { schema: schemas.createAccountProviderSchema, config: { may: matrix.createAccountProvider } },
    (request, reply) =>
      perform(deps, {
        request,
        reply,
        decide: async (by) => createAccountProvider(request.body, by),
        present: (provider) => created(locationOf(request, provider.id), versionOf(provider)),
      }),
  )

  app.get(
    '/account_providers',
    { schema: schemas.listAccountProvidersSchema, config: { may: matrix.listAccountProviders } },
    async (request, reply) => {
      const page = pageFrom(request.query)
      const { rows, total } = await listAccountProviders(db, page)
      return paged({ request, reply }, { ...page, total }, rows.map(presentAccountProvider))
    },
  )

  app.get(
    '/account_providers/:account_provider_id',
    {
      schema: schemas.readAccountProviderSchema,
      config: { may: matrix.readAccountProvider, reach, refuses: ['not_found'] },
    },
    async (request, reply) => answerRecord({ request, reply }, versionOf(await reach(request))),
  )

  app.patch(
    '/account_providers/:account_provider_id',
    {
      schema: schemas.updateAccountProviderSchema,
      config: { may: matrix.updateAccountProvider, reach, refuses: ['not_found', 'precondition_failed'] },
    },
    (request, reply) => {
      const { account_provider_id: providerId } = request.params
      const form = { providerId, name: request.body.name, ifMatch: request.headers['if-match'] }
      return perform(deps, {
        request,
        reply,
        turn: providerId,
        decide: (by) => renameAccountProvider(db, form, by),
        present: (provider) => changed(versionOf(provider)),
      })
    },
  )

  app.put(
    '/account_providers/:account_provider_id/status',
    {
      schema: schemas.setAccountProviderStatusSchema,
      config: { may: matrix.setAccountProviderStatus, reach, refuses: ['not_found', 'precondition_failed'] },
    },
    (request, reply) => {
      const { account_provider_id: providerId } = request.params
      const form = { providerId, ...request.body, ifMatch: request.headers['if-match'] }
      return perform(deps, {
        request,
        reply,
        turn: providerId,
        decide: (by) => setAccountProviderStatus(db, form, by),
        present: (provider) => changed(versionOf(provider)),
      })
    },
  )
}
