import type { FastifyRequest } from 'fastify'
import { matrix } from '../../../access/matrix.ts'
import { userScopeFrom } from '../../../access/scope.ts'
import type { Deps } from '../../../deps.ts'
import { sendRecord } from '../../../kernel/http/conditional.ts'
import { paged, pageFrom } from '../../../kernel/http/paging.ts'
import { param } from '../../../kernel/http/param.ts'
import type { App } from '../../../kernel/http/server.ts'
import { changed, perform, responding } from '../../../record/index.ts'
import { type Followers, ensureUserInScope } from '../users/index.ts'
import { correctDependant } from './correct-dependant.ts'
import { createDependants } from './create-dependants.ts'
import { presentDependant, versionOf } from './present.ts'
import * as schemas from './schemas.ts'
import { correctionStatements, findDependant, listDependants } from './store.ts'

export function dependantRoutes(app: App, { followers, ...deps }: Deps & { followers: Followers }): void {
  app.addSchema(schemas.Dependant)
  const correction = { ...deps, ...correctionStatements(followers), follow: followers.follow }
  const loadTarget = (request: FastifyRequest) => ensureUserInScope(deps.db, userScopeFrom(request))
  const find = (request: FastifyRequest) => findDependant(deps, userScopeFrom(request), param(request, 'dependant_id'))

  app.post(
    '/users/:user_id/dependants/bulk',
    {
      schema: schemas.createDependantsSchema,
      config: { access: matrix.createDependants, loadTarget, refuses: ['conflict'] },
    },
    (request, reply) => {
      const input = { userId: request.params.user_id, inputs: request.body.dependants }
      return perform(deps, {
        request,
        reply,
        turn: input.userId,
        decide: (by) => createDependants(deps, input, by),
        present: (dependants) => responding({ data: dependants.map(presentDependant) }, 201),
      })
    },
  )

  app.get(
    '/users/:user_id/dependants',
    { schema: schemas.listDependantsSchema, config: { access: matrix.listDependants, loadTarget } },
    async (request, reply) => {
      const page = pageFrom(request.query)
      const { rows, total } = await listDependants(deps, userScopeFrom(request), page)
      return paged({ request, reply }, { ...page, total }, rows.map(presentDependant))
    },
  )

  app.get(
    '/users/:user_id/dependants/:dependant_id',
    { schema: schemas.readDependantSchema, config: { access: matrix.readDependant, loadTarget: find } },
    async (request, reply) => sendRecord({ request, reply }, versionOf(await find(request))),
  )

  app.patch(
    '/users/:user_id/dependants/:dependant_id',
    {
      schema: schemas.updateDependantSchema,
      config: { access: matrix.updateDependant, loadTarget: find, refuses: ['conflict', 'precondition_failed'] },
    },
    (request, reply) => {
      const { user_id: userId, dependant_id: dependantId } = request.params
      const input = { userId, dependantId, ifMatch: request.headers['if-match'], patch: request.body }
      return perform(deps, {
        request,
        reply,
        turn: userId,
        decide: (by) => correctDependant(correction, input, by),
        present: (dependant) => changed(versionOf(dependant)),
      })
    },
  )
}
