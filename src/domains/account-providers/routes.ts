import { matrix } from '../../access/matrix.ts'
import type { Deps } from '../../deps.ts'
import { sendRecord } from '../../kernel/http/conditional.ts'
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
  const loadTarget = (request: { params: unknown }) => findAccountProvider(db, param(request, 'account_provider_id'))

  app.post(
    '/account_providers',
    { schema: schemas.createAccountProviderSchema, config: { access: matrix.createAccountProvider } },
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
    { schema: schemas.listAccountProvidersSchema, config: { access: matrix.listAccountProviders } },
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
      config: { access: matrix.readAccountProvider, loadTarget, refuses: ['not_found'] },
    },
    async (request, reply) => sendRecord({ request, reply }, versionOf(await loadTarget(request))),
  )

  app.patch(
    '/account_providers/:account_provider_id',
    {
      schema: schemas.updateAccountProviderSchema,
      config: { access: matrix.updateAccountProvider, loadTarget, refuses: ['not_found', 'precondition_failed'] },
    },
    (request, reply) => {
      const { account_provider_id: providerId } = request.params
      const input = { providerId, name: request.body.name, ifMatch: request.headers['if-match'] }
      return perform(deps, {
        request,
        reply,
        turn: providerId,
        decide: (by) => renameAccountProvider(db, input, by),
        present: (provider) => changed(versionOf(provider)),
      })
    },
  )

  app.put(
    '/account_providers/:account_provider_id/status',
    {
      schema: schemas.setAccountProviderStatusSchema,
      config: { access: matrix.setAccountProviderStatus, loadTarget, refuses: ['not_found', 'precondition_failed'] },
    },
    (request, reply) => {
      const { account_provider_id: providerId } = request.params
      const input = { providerId, ...request.body, ifMatch: request.headers['if-match'] }
      return perform(deps, {
        request,
        reply,
        turn: providerId,
        decide: (by) => setAccountProviderStatus(db, input, by),
        present: (provider) => changed(versionOf(provider)),
      })
    },
  )
}
