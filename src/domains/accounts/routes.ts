import type { FastifyRequest } from 'fastify'
import { actorFrom } from '../../access/caller.ts'
import { matrix } from '../../access/matrix.ts'
import { userScopeFrom } from '../../access/scope.ts'
import type { Deps } from '../../deps.ts'
import { answerChanged, answerRecord } from '../../kernel/http/conditional.ts'
import { paged, pageFrom } from '../../kernel/http/paging.ts'
import type { App } from '../../kernel/http/server.ts'
import { reachUser } from '../users/index.ts'
import { moveAccount } from './move-account.ts'
import { openFurtherAccount } from './open-account.ts'
import { presentAccount, versionOf } from './present.ts'
import * as schemas from './schemas.ts'
import { findAccount, listAccounts } from './store.ts'

export function accountRoutes(app: App, { db, vault, queue }: Deps): void {
  for (const schema of schemas.records) app.addSchema(schema)
  const reachOwner = (request: FastifyRequest) => reachUser(db, userScopeFrom(request))
  const reach = (request: FastifyRequest) =>
    findAccount(db, userScopeFrom(request), (request.params as { account_id: string }).account_id)

  app.post(
    '/users/:user_id/accounts',
    {
      schema: schemas.createAccountSchema,
      config: { may: matrix.createAccount, reach: reachOwner, refuses: ['conflict'] },
    },
    async (request, reply) => {
      const form = { userId: request.params.user_id, accountType: request.body.account_type, by: actorFrom(request) }
      const account = await db.transaction((tx) => openFurtherAccount(tx, { vault, queue }, form))
      return reply
        .code(201)
        .header('location', `/v1/users/${account.userId}/accounts/${account.id}`)
        .send(answerChanged(reply, versionOf(account)))
    },
  )

  app.get(
    '/users/:user_id/accounts',
    { schema: schemas.listAccountsSchema, config: { may: matrix.listAccounts, reach: reachOwner } },
    async (request, reply) => {
      const page = pageFrom(request.query)
      const filter = { statuses: request.query.status, types: request.query.account_type, page }
      const { rows, total } = await listAccounts(db, userScopeFrom(request), filter)
      return paged({ request, reply }, { ...page, total }, rows.map(presentAccount))
    },
  )

  app.get(
    '/users/:user_id/accounts/:account_id',
    { schema: schemas.readAccountSchema, config: { may: matrix.readAccount, reach } },
    async (request, reply) => answerRecord({ request, reply }, versionOf(await reach(request))),
  )

  app.put(
    '/users/:user_id/accounts/:account_id/status',
    {
      schema: schemas.setAccountStatusSchema,
      config: {
        may: matrix.setAccountStatus,
        reach,
        refuses: ['not_found', 'conflict', 'invalid_state', 'precondition_failed'],
      },
    },
    async (request) => {
      const { user_id: userId, account_id: accountId } = request.params
      const { status, reason } = request.body
      const move = { userId, accountId, status, reason, ifMatch: request.headers['if-match'], by: actorFrom(request) }
      const { account, from } = await db.transaction((tx) => moveAccount(tx, vault, move))
      return { id: account.id, status: account.status, previous_status: from, last_modified_at: account.lastModifiedAt }
    },
  )
}
