import { serveDocsPage } from '../../../kernel/http/docs-page.ts'
import type { App } from '../../../kernel/http/server.ts'
import { asyncApi } from './async-api.ts'
import { eventsPage } from './events-page.ts'
import { eventsSchema } from './records.ts'

/** Mounts the documentation of events, outside both interfaces: a page, and two documents for programs. */
export function eventDocumentRoutes(app: App, about: { origin: string; version: string }): void {
  const config = { access: 'anyone' as const }
  serveDocsPage(app, '/docs/events', eventsPage(), config)
  const hidden = { schema: { hide: true }, config: { ...config, anyAccept: true } }
  const documents = { '/asyncapi.json': asyncApi(about), '/events.schema.json': eventsSchema() }
  for (const [path, document] of Object.entries(documents)) {
    const encoded = Buffer.from(JSON.stringify(document))
    app.get(path, hidden, (_request, reply) => reply.type('application/json').send(encoded))
  }
}
