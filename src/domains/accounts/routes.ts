import type { FastifyRequest } from 'fastify'
import { matrix } from '../../access/matrix.ts'
import { userScopeFrom } from '../../access/scope.ts'
import type { Deps } from '../../deps.ts'
import { answerPart, answerRecord } from '../../kernel/http/conditional.ts'
import { paged, pageFrom } from '../../kernel/http/paging.ts'
import { locationOf, param } from '../../kernel/http/param.ts'
import type { App } from '../../kernel/http/server.ts'
import { changedPart, created, perform } from '../../record/index.ts'
import { reachUser } from '../users/index.ts'
import { openAccount } from './open-account.ts'
import { presentAccount, presentStatus, versionOf } from './present.ts'
import * as schemas from './schemas.ts'
import { setAccountStatus } from './set-account-status.ts'
import { findAccount, listAccounts } from './store.ts'

export function accountRoutes(app: App, deps: Deps): void {
  for (const schema of schemas.records) app.addSchema(schema)
  const { db } = deps
  const reachOwner = (request: FastifyRequest) => reachUser(db, userScopeFrom(request))
  const reach = (request: FastifyRequest) => findAccount(deps, userScopeFrom(request), param(request, 'account_id'))

  app.post(
    '/users/:user_id/accounts',
    {
      schema: schemas.createAccountSchema,
      config: { may: matrix.createAccount, reach: reachOwner, refuses: ['conflict'] },
    },
    (request, reply) => {
      const form = { userId: request.params.user_id, accountType: request.body.account_type }
      return perform(deps, {
        request,
        reply,
        decide: (by) => openAccount(deps, form, by),
        present: (account) => created(locationOf(request, account.id), versionOf(account)),
      })
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
    async (request, reply) => answerRecord({ request, reply }, versionOf((await reach(request)).account)),
  )

  app.get(
    '/users/:user_id/accounts/:account_id/status',
    { schema: schemas.readAccountStatusSchema, config: { may: matrix.readAccountStatus, reach } },
    async (request, reply) => {
      const standing = await reach(request)
      const status = presentStatus(standing, request.caller.kind)
      return answerPart({ request, reply }, versionOf(standing.account), status)
    },
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
    (request, reply) => {
      const { user_id: userId, account_id: accountId } = request.params
      const form = { userId, accountId, ...request.body, ifMatch: request.headers['if-match'] }
      return perform(deps, {
        request,
        reply,
        turn: accountId,
        decide: (by) => setAccountStatus(deps, form, by),
        present: (standing) => changedPart(versionOf(standing.account), presentStatus(standing, request.caller.kind)),
      })
    },
  )
}
