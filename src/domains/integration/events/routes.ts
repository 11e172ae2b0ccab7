import type { App } from '../../../kernel/http/server.ts'
import { asyncApi } from './async-api.ts'
import { eventsSchema } from './records.ts'

/** Mounts the two documents for programs that describe events, outside both interfaces. */
export function eventDocumentRoutes(app: App, about: { origin: string; version: string }): void {
  const hidden = { schema: { hide: true }, config: { access: 'anyone' as const, anyAccept: true } }
  const documents = { '/asyncapi.json': asyncApi(about), '/events.schema.json': eventsSchema() }
  for (const [path, document] of Object.entries(documents)) {
    const encoded = Buffer.from(JSON.stringify(document))
    app.get(path, hidden, (_request, reply) => reply.type('application/json').send(encoded))
  }
}
