import type { Routes } from '../../../kernel/http/router.ts'
import { asyncApi } from './async-api.ts'
import { eventsSchema } from './records.ts'

/** Mounts the two documents for programs that describe events, outside both interfaces. */
export function eventDocumentRoutes(routes: Routes, about: { origin: string; version: string }): void {
  const options = { config: { access: 'anyone' as const, anyAccept: true } }
  const documents = { '/asyncapi.json': asyncApi(about), '/events.schema.json': eventsSchema() }
  for (const [path, document] of Object.entries(documents)) {
    const encoded = Buffer.from(JSON.stringify(document))
    routes.page(path, options, (_request, reply) => {
      reply.type('application/json')
      return encoded
    })
  }
}
