import { COMMIT } from '../program-version.ts'
import type { FastifyContextConfig } from 'fastify'
import type { App } from './server.ts'

/** Mounts `GET /`: redirects a browser to the documentation, and returns its URL to a program. */
export function frontDoorRoute(app: App, { version, config }: { version: string; config: FastifyContextConfig }): void {
  const places = { name: 'Banyan', version, commit: COMMIT, docs: '/docs', openapi: '/openapi.json' }
  app.get('/', { schema: { hide: true }, config: { ...config, anyAccept: true } }, (request, reply) => {
    reply.header('vary', 'accept')
    return request.headers.accept?.includes('text/html') ? reply.redirect(places.docs) : reply.send(places)
  })
}
