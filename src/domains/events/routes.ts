import { matrix } from '../../access/matrix.ts'
import { scopeOf } from '../../access/scope.ts'
import type { Deps } from '../../deps.ts'
import { cursorPaged, LIMIT_DEFAULT } from '../../kernel/http/paging.ts'
import type { App } from '../../kernel/http/server.ts'
import { listEvents } from './list-events.ts'
import * as schemas from './schemas.ts'

export function eventRoutes(app: App, deps: Deps): void {
  app.get(
    '/events',
    { schema: schemas.listEventsSchema, config: { may: matrix.listEvents } },
    async (request, reply) => {
      const { type: types, subject, after, limit = LIMIT_DEFAULT } = request.query
      const meant = { scope: scopeOf(request.caller), subject }
      return cursorPaged({ request, reply }, await listEvents(deps, { meant, types, after, limit }))
    },
  )
}
