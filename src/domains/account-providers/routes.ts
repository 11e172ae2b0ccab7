import type { FastifyRequest } from 'fastify'
import { matrix } from '../../access/matrix.ts'
import type { Deps } from '../../deps.ts'
import { answerChanged, answerRecord, checkFresh } from '../../kernel/http/conditional.ts'
import { paged, pageFrom } from '../../kernel/http/paging.ts'
import type { App } from '../../kernel/http/server.ts'
import { presentAccountProvider, versionOf } from './present.ts'
import * as schemas from './schemas.ts'
import {
  findAccountProvider,
  insertAccountProvider,
  listAccountProviders,
  lockAccountProvider,
  renameAccountProvider,
} from './store.ts'

export function accountProviderRoutes(app: App, { db }: Deps): void {
  app.addSchema(schemas.AccountProvider)
  const idFrom = (request: FastifyRequest) => (request.params as { account_provider_id: string }).account_provider_id
  const reach = (request: FastifyRequest) => findAccountProvider(db, idFrom(request))

  app.post(
    '/account_providers',
    { schema: schemas.createAccountProviderSchema, config: { may: matrix.createAccountProvider } },
    async (request, reply) => {
      const provider = await db.transaction((tx) => insertAccountProvider(tx, request.body.name))
      return reply
        .code(201)
        .header('location', `/v1/account_providers/${provider.id}`)
        .send(answerChanged(reply, versionOf(provider)))
    },
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
    async (request, reply) => {
      const id = idFrom(request)
      const renamed = await db.transaction(async (tx) => {
        const current = await lockAccountProvider(tx, id)
        checkFresh(request.headers['if-match'], () => versionOf(current))
        return renameAccountProvider(tx, { id, name: request.body.name })
      })
      return answerChanged(reply, versionOf(renamed))
    },
  )
}
