import assert from 'node:assert/strict'
import type { FastifyRequest } from 'fastify'
import { matrix } from '../../access/matrix.ts'
import { scopeOf, userScopeFrom } from '../../access/scope.ts'
import type { Deps } from '../../deps.ts'
import { answerRecord } from '../../kernel/http/conditional.ts'
import { paged, pageFrom } from '../../kernel/http/paging.ts'
import type { App } from '../../kernel/http/server.ts'
import { changed, perform, responding } from '../../record/index.ts'
import type { Followers } from './followers.ts'
import { identifyUser, requestOf } from './identify-user.ts'
import { presentUser, versionOf } from './present.ts'
import * as schemas from './schemas.ts'
import { faultsOfSearch, searchUsers } from './search-users.ts'
import { findUser, listUsers, reachUser, searchesWith, updating } from './store.ts'
import { faultsOfPhone } from './trim-phone.ts'
import { faultsOfUpdate, updateUser } from './update-user.ts'

type Above = { followers: Followers; holdersOf: (policyNumber: string) => string }

/** What policies know of their users is handed in. */
export function userRoutes(app: App, { followers, holdersOf, ...deps }: Deps & Above): void {
  for (const schema of schemas.records) app.addSchema(schema)
  const find = (request: FastifyRequest) => findUser(deps.db, deps.vault, userScopeFrom(request))
  const search = { ...deps, searches: searchesWith({ holdersOf }) }
  const update = { ...deps, ...updating(followers), follow: followers.follow }

  app.post(
    '/auth/token',
    {
      schema: schemas.issueTokenSchema,
      config: { may: matrix.issueToken, faults: faultsOfPhone, refuses: ['conflict'] },
    },
    (request, reply) => {
      const { caller } = request
      assert(caller.kind === 'platform', 'only platforms are let in here')
      const asked = requestOf(deps.vault, caller, request.body)
      return perform(deps, {
        request,
        reply,
        turn: asked.identity.phoneHash.toString('base64'),
        decide: (by) => identifyUser(deps, asked, by),
        present: (userId) => {
          const { token } = deps.tokens.issueToUser({ ...caller, userId })
          return responding({ access_token: token, user_id: userId })
        },
      })
    },
  )

  app.get('/users', { schema: schemas.listUsersSchema, config: { may: matrix.listUsers } }, async (request, reply) => {
    const page = pageFrom(request.query)
    const { rows, total } = await listUsers(deps, scopeOf(request.caller), page)
    return paged({ request, reply }, { ...page, total }, rows.map(presentUser))
  })

  app.post(
    '/users/search',
    { schema: schemas.searchUsersSchema, config: { may: matrix.searchUsers, faults: faultsOfSearch } },
    async (request, reply) => {
      const page = pageFrom(request.query)
      const { rows, total } = await searchUsers(search, { caller: request.caller, form: request.body, page })
      return paged({ request, reply }, { ...page, total }, rows.map(presentUser))
    },
  )

  app.get(
    '/users/:user_id',
    { schema: schemas.readUserSchema, config: { may: matrix.readUser, reach: find } },
    async (request, reply) => answerRecord({ request, reply }, versionOf(await find(request))),
  )

  app.patch(
    '/users/:user_id',
    {
      schema: schemas.updateUserSchema,
      config: {
        may: matrix.updateUser,
        reach: (request) => reachUser(deps.db, userScopeFrom(request)),
        faults: faultsOfUpdate,
        refuses: ['conflict', 'precondition_failed'],
      },
    },
    (request, reply) => {
      const form = { userId: request.params.user_id, patch: request.body, ifMatch: request.headers['if-match'] }
      return perform(deps, {
        request,
        reply,
        turn: form.userId,
        decide: (by) => updateUser(update, form, by),
        present: (user) => changed(versionOf(user)),
      })
    },
  )
}
