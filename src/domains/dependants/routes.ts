import type { FastifyRequest } from 'fastify'
import { actorFrom } from '../../access/caller.ts'
import { matrix } from '../../access/matrix.ts'
import { userScopeFrom } from '../../access/scope.ts'
import type { Deps } from '../../deps.ts'
import { answerChanged, answerRecord } from '../../kernel/http/conditional.ts'
import { paged, pageFrom } from '../../kernel/http/paging.ts'
import type { App } from '../../kernel/http/server.ts'
import { reachUser } from '../users/index.ts'
import { createDependants, type FollowVersion, updateDependant } from './create-dependants.ts'
import { presentDependant, versionOf } from './present.ts'
import * as schemas from './schemas.ts'
import { findDependant, listDependants } from './store.ts'

export function dependantRoutes(app: App, { db, vault, follow }: Deps & { follow: FollowVersion }): void {
  app.addSchema(schemas.Dependant)
  const reach = (request: FastifyRequest) => reachUser(db, userScopeFrom(request))
  const find = (request: FastifyRequest) =>
    findDependant(db, vault, userScopeFrom(request), (request.params as { dependant_id: string }).dependant_id)

  app.post(
    '/users/:user_id/dependants/bulk',
    { schema: schemas.createDependantsSchema, config: { may: matrix.createDependants, reach, refuses: ['conflict'] } },
    async (request, reply) => {
      const form = { caller: request.caller, userId: request.params.user_id, dependants: request.body.dependants }
      const dependants = await db.transaction((tx) => createDependants(tx, vault, form))
      return reply.code(201).send({ data: dependants.map(presentDependant) })
    },
  )

  app.get(
    '/users/:user_id/dependants',
    { schema: schemas.listDependantsSchema, config: { may: matrix.listDependants, reach } },
    async (request, reply) => {
      const page = pageFrom(request.query)
      const { rows, total } = await listDependants(db, vault, userScopeFrom(request), page)
      return paged({ request, reply }, { ...page, total }, rows.map(presentDependant))
    },
  )

  app.get(
    '/users/:user_id/dependants/:dependant_id',
    { schema: schemas.readDependantSchema, config: { may: matrix.readDependant, reach: find } },
    async (request, reply) => answerRecord({ request, reply }, versionOf(await find(request))),
  )

  app.patch(
    '/users/:user_id/dependants/:dependant_id',
    {
      schema: schemas.updateDependantSchema,
      config: { may: matrix.updateDependant, reach: find, refuses: ['conflict', 'precondition_failed'] },
    },
    async (request, reply) => {
      const { user_id: userId, dependant_id: dependantId } = request.params
      const correction = {
        by: actorFrom(request),
        follow,
        userId,
        dependantId,
        ifMatch: request.headers['if-match'],
        patch: request.body,
      }
      return answerChanged(reply, versionOf(await db.transaction((tx) => updateDependant(tx, vault, correction))))
    },
  )
}
