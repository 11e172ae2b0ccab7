import { matrix } from '../../../access/matrix.ts'
import { scopeOf } from '../../../access/scope.ts'
import type { Deps } from '../../../deps.ts'
import { serveDocsPage } from '../../../kernel/http/docs-page.ts'
import { cursorPaged, LIMIT_DEFAULT } from '../../../kernel/http/paging.ts'
import type { App } from '../../../kernel/http/server.ts'
import { asyncApi } from './async-api.ts'
import { eventsPage } from './events-page.ts'
import { listEvents } from './list-events.ts'
import * as schemas from './schemas.ts'

export function eventRoutes(app: App, deps: Deps): void {
  app.get(
    '/events',
    { schema: schemas.listEventsSchema, config: { access: matrix.listEvents } },
    async (request, reply) => {
      const { type: types, subject, after, limit = LIMIT_DEFAULT } = request.query
      const selection = { scope: scopeOf(request.caller), subject }
      return cursorPaged({ request, reply }, await listEvents(deps, { selection, types, after, limit }))
    },
  )
}

/** Mounts the documentation of events, outside both interfaces: a page, and two documents for programs. */
export function eventDocumentRoutes(app: App, about: { origin: string; version: string }): void {
  const config = { access: 'anyone' as const }
  serveDocsPage(app, '/docs/events', eventsPage(), config)
  const hidden = { schema: { hide: true }, config: { ...config, anyAccept: true } }
  const documents = { '/asyncapi.json': asyncApi(about), '/events.schema.json': schemas.eventsSchema() }
  for (const [path, document] of Object.entries(documents)) {
    const encoded = Buffer.from(JSON.stringify(document))
    app.get(path, hidden, (_request, reply) => reply.type('application/json').send(encoded))
  }
}
