import type { FastifyRequest } from 'fastify'
import { matrix } from '../../../access/matrix.ts'
import { userScopeFrom } from '../../../access/scope.ts'
import type { Deps } from '../../../deps.ts'
import { responsePart, sendRecord } from '../../../kernel/http/conditional.ts'
import { paged, pageFrom } from '../../../kernel/http/paging.ts'
import { locationOf, param } from '../../../kernel/http/param.ts'
import type { App } from '../../../kernel/http/server.ts'
import { changedPart, created, perform } from '../../../record/index.ts'
import { ensureUserInScope } from '../../people/users/index.ts'
import { openAccount } from './open-account.ts'
import { presentAccount, presentStatus, versionOf } from './present.ts'
import * as schemas from './schemas.ts'
import { setAccountStatus } from './set-account-status.ts'
import { findAccount, listAccounts } from './store.ts'

export function accountRoutes(app: App, deps: Deps): void {
  for (const schema of schemas.records) app.addSchema(schema)
  const { db } = deps
  const ensureOwnerInScope = (request: FastifyRequest) => ensureUserInScope(db, userScopeFrom(request))
  const loadTarget = (request: FastifyRequest) =>
    findAccount(deps, userScopeFrom(request), param(request, 'account_id'))

  app.post(
    '/users/:user_id/accounts',
    {
      schema: schemas.createAccountSchema,
      config: { access: matrix.createAccount, loadTarget: ensureOwnerInScope, refuses: ['conflict'] },
    },
    (request, reply) => {
      const input = { userId: request.params.user_id, accountType: request.body.account_type }
      return perform(deps, {
        request,
        reply,
        decide: (by) => openAccount(deps, input, by),
        present: (account) => created(locationOf(request, account.id), versionOf(account)),
      })
    },
  )

  app.get(
    '/users/:user_id/accounts',
    { schema: schemas.listAccountsSchema, config: { access: matrix.listAccounts, loadTarget: ensureOwnerInScope } },
    async (request, reply) => {
      const page = pageFrom(request.query)
      const filter = { statuses: request.query.status, types: request.query.account_type, page }
      const { rows, total } = await listAccounts(db, userScopeFrom(request), filter)
      return paged({ request, reply }, { ...page, total }, rows.map(presentAccount))
    },
  )

  app.get(
    '/users/:user_id/accounts/:account_id',
    { schema: schemas.readAccountSchema, config: { access: matrix.readAccount, loadTarget } },
    async (request, reply) => sendRecord({ request, reply }, versionOf((await loadTarget(request)).account)),
  )

  app.get(
    '/users/:user_id/accounts/:account_id/status',
    { schema: schemas.readAccountStatusSchema, config: { access: matrix.readAccountStatus, loadTarget } },
    async (request, reply) => {
      const found = await loadTarget(request)
      const status = presentStatus(found, request.caller.kind)
      return responsePart({ request, reply }, versionOf(found.account), status)
    },
  )

  app.put(
    '/users/:user_id/accounts/:account_id/status',
    {
      schema: schemas.setAccountStatusSchema,
      config: {
        access: matrix.setAccountStatus,
        loadTarget,
        refuses: ['not_found', 'conflict', 'invalid_state', 'precondition_failed'],
      },
    },
    (request, reply) => {
      const { user_id: userId, account_id: accountId } = request.params
      const input = { userId, accountId, ...request.body, ifMatch: request.headers['if-match'] }
      return perform(deps, {
        request,
        reply,
        turn: accountId,
        decide: (by) => setAccountStatus(deps, input, by),
        present: (result) => changedPart(versionOf(result.account), presentStatus(result, request.caller.kind)),
      })
    },
  )
}
