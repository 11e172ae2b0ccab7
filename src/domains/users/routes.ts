import assert from 'node:assert/strict'
import type { FastifyRequest } from 'fastify'
import { matrix } from '../../access/matrix.ts'
import { userScopeFrom } from '../../access/scope.ts'
import type { Deps } from '../../deps.ts'
import { answerRecord } from '../../kernel/http/conditional.ts'
import type { App } from '../../kernel/http/server.ts'
import { issueToken } from './issue-token.ts'
import { versionOf } from './present.ts'
import * as schemas from './schemas.ts'
import { findUser, openIdentification } from './store.ts'
import { tooManyDigits } from './trim-phone.ts'

export function userRoutes(app: App, deps: Deps): void {
  for (const schema of schemas.records) app.addSchema(schema)
  const find = (request: FastifyRequest) => findUser(deps.db, deps.vault, userScopeFrom(request))
  const kit = { ...deps, find: openIdentification(deps.db) }

  app.post(
    '/auth/token',
    {
      schema: schemas.issueTokenSchema,
      config: { may: matrix.issueToken, faults: tooManyDigits, refuses: ['conflict'] },
    },
    (request) => {
      assert(request.caller.kind === 'platform', 'only platforms are let in here')
      return issueToken(kit, { form: request.body, platform: request.caller })
    },
  )

  app.get(
    '/users/:user_id',
    { schema: schemas.readUserSchema, config: { may: matrix.readUser, reach: find } },
    async (request, reply) => answerRecord({ request, reply }, versionOf(await find(request))),
  )
}
