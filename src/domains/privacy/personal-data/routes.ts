import { Readable } from 'node:stream'
import { matrix } from '../../../access/matrix.ts'
import { userScopeFrom } from '../../../access/scope.ts'
import type { Deps } from '../../../deps.ts'
import { checkFresh } from '../../../kernel/http/conditional.ts'
import type { App } from '../../../kernel/http/server.ts'
import { perform, responding } from '../../../record/index.ts'
import type { Summaries } from '../../administration/audit/index.ts'
import { ensureUserInScope, findUser, versionOfUser } from '../../people/users/index.ts'
import { cancelErasure } from './cancel-erasure.ts'
import { eraseUser } from './erase-user.ts'
import { exportUser } from './export-user.ts'
import { presentErasure } from './present.ts'
import type { ErasureRunContext } from './run-erasures.ts'
import * as schemas from './schemas.ts'

type PersonalDataContext = Deps & ErasureRunContext & { origin: string; summaries: Summaries }

/** Mounts export and erasure of users. The list of erasure steps is injected, because it spans the whole program. */
export function personalDataRoutes(app: App, context: PersonalDataContext): void {
  for (const schema of schemas.records) app.addSchema(schema)
  const loadTarget = (request: Parameters<typeof userScopeFrom>[0]) =>
    ensureUserInScope(context.db, userScopeFrom(request))

  app.get(
    '/users/:user_id/export',
    { schema: schemas.exportUserSchema, config: { access: matrix.exportUser, loadTarget, versioned: false } },
    async (request, reply) => {
      const scope = userScopeFrom(request)
      context.rates.countExport(request.caller, scope.userId)
      const { byteLength, parts } = await exportUser(context, scope)
      reply.header('content-length', byteLength).type('application/json; charset=utf-8')
      return reply.send(Readable.from(parts, { objectMode: false }))
    },
  )

  app.delete(
    '/users/:user_id',
    {
      schema: schemas.eraseUserSchema,
      config: { access: matrix.eraseUser, loadTarget, refuses: ['conflict', 'precondition_failed'] },
    },
    (request, reply) => {
      const { user_id: userId } = request.params
      const ifMatch = request.headers['if-match']
      const checkVersion = async () => {
        if (ifMatch === undefined) return
        const user = await findUser(context.db, context.vault, userScopeFrom(request))
        checkFresh(ifMatch, () => versionOfUser(user))
      }
      const input = { userId, endsPolicies: request.query.end_policies === 'true', checkVersion }
      return perform(context, {
        request,
        reply,
        turn: userId,
        decide: (by) => eraseUser(context, input, by),
        present: (outcome) => responding(presentErasure(context, outcome)),
      })
    },
  )

  app.delete(
    '/users/:user_id/erasure',
    { schema: schemas.cancelErasureSchema, config: { access: matrix.cancelErasure, loadTarget } },
    (request, reply) => {
      const { user_id: userId } = request.params
      return perform(context, {
        request,
        reply,
        turn: userId,
        decide: (by) => cancelErasure(context, userId, by),
        present: (cancelled) => responding({ user_id: userId, cancelled }),
      })
    },
  )
}
