import assert from 'node:assert/strict'
import type { FastifyRequest } from 'fastify'
import { matrix } from '../../../access/matrix.ts'
import { scopeOf, userScopeFrom } from '../../../access/scope.ts'
import type { Deps } from '../../../deps.ts'
import { sendRecord } from '../../../kernel/http/conditional.ts'
import { paged, pageFrom } from '../../../kernel/http/paging.ts'
import type { App } from '../../../kernel/http/server.ts'
import { changed, perform, responding } from '../../../record/index.ts'
import type { Followers } from './followers.ts'
import { identifyUser, tokenRequestOf } from './identify-user.ts'
import { presentUser, versionOf } from './present.ts'
import * as schemas from './schemas.ts'
import { validateSearch, searchUsers } from './search-users.ts'
import { searchStatements } from './search-store.ts'
import { findUser, listUsers, ensureUserInScope, updateStatements } from './store.ts'
import { validatePhone } from './trim-phone.ts'
import { validateUpdate, updateUser } from './update-user.ts'

type UserRouteDeps = { followers: Followers; holdersOf: (policyNumber: string) => string }

/** Mounts the user routes. What depends on policies is injected. */
export function userRoutes(app: App, { followers, holdersOf, ...deps }: Deps & UserRouteDeps): void {
  for (const schema of schemas.records) app.addSchema(schema)
  const find = (request: FastifyRequest) => findUser(deps.db, deps.vault, userScopeFrom(request))
  const search = { ...deps, searches: searchStatements({ holdersOf }) }
  const update = { ...deps, ...updateStatements(followers), follow: followers.follow }

  app.post(
    '/auth/token',
    {
      schema: schemas.issueTokenSchema,
      config: { access: matrix.issueToken, errors: validatePhone, refuses: ['conflict'] },
    },
    (request, reply) => {
      const { caller } = request
      assert(caller.kind === 'platform', 'the access matrix admits platforms only')
      const tokenOf = (userId: string) => deps.tokens.issueToUser({ ...caller, userId }).token
      const tokenRequest = tokenRequestOf(deps.vault, caller, request.body)
      return perform(deps, {
        request,
        reply,
        turn: tokenRequest.identities[0].phoneHash.toString('base64'),
        decide: (by) => identifyUser(update, tokenRequest, by),
        present: (userId) => responding({ access_token: tokenOf(userId), user_id: userId }),
        replay: (body) => ({ ...body, access_token: tokenOf(body.user_id) }),
      })
    },
  )

  app.get(
    '/users',
    { schema: schemas.listUsersSchema, config: { access: matrix.listUsers } },
    async (request, reply) => {
      const page = pageFrom(request.query)
      const { rows, total } = await listUsers(deps, scopeOf(request.caller), page)
      return paged({ request, reply }, { ...page, total }, rows.map(presentUser))
    },
  )

  app.post(
    '/users/search',
    { schema: schemas.searchUsersSchema, config: { access: matrix.searchUsers, errors: validateSearch } },
    async (request, reply) => {
      const page = pageFrom(request.query)
      const { rows, total } = await searchUsers(search, { caller: request.caller, input: request.body, page })
      return paged({ request, reply }, { ...page, total }, rows.map(presentUser))
    },
  )

  app.get(
    '/users/:user_id',
    { schema: schemas.readUserSchema, config: { access: matrix.readUser, loadTarget: find } },
    async (request, reply) => sendRecord({ request, reply }, versionOf(await find(request))),
  )

  app.patch(
    '/users/:user_id',
    {
      schema: schemas.updateUserSchema,
      config: {
        access: matrix.updateUser,
        loadTarget: (request) => ensureUserInScope(deps.db, userScopeFrom(request)),
        errors: validateUpdate,
        refuses: ['conflict', 'precondition_failed'],
      },
    },
    (request, reply) => {
      const input = { userId: request.params.user_id, patch: request.body, ifMatch: request.headers['if-match'] }
      return perform(deps, {
        request,
        reply,
        turn: input.userId,
        decide: (by) => updateUser(update, input, by),
        present: (user) => changed(versionOf(user)),
      })
    },
  )
}
