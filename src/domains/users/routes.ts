import assert from 'node:assert/strict'
import type { FastifyRequest } from 'fastify'
import { matrix } from '../../access/matrix.ts'
import { userScopeFrom } from '../../access/scope.ts'
import type { Deps } from '../../deps.ts'
import { answerRecord } from '../../kernel/http/conditional.ts'
import type { App } from '../../kernel/http/server.ts'
import { perform, responding } from '../../record/index.ts'
import { identifyUser, requestOf } from './identify-user.ts'
import { versionOf } from './present.ts'
import * as schemas from './schemas.ts'
import { findUser } from './store.ts'
import { tooManyDigits } from './trim-phone.ts'

export function userRoutes(app: App, deps: Deps): void {
  for (const schema of schemas.records) app.addSchema(schema)
  const find = (request: FastifyRequest) => findUser(deps.db, deps.vault, userScopeFrom(request))

  app.post(
    '/auth/token',
    {
      schema: schemas.issueTokenSchema,
      config: { may: matrix.issueToken, faults: tooManyDigits, refuses: ['conflict'] },
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

  app.get(
    '/users/:user_id',
    { schema: schemas.readUserSchema, config: { may: matrix.readUser, reach: find } },
    async (request, reply) => answerRecord({ request, reply }, versionOf(await find(request))),
  )
}
