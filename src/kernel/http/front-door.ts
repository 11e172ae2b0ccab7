import { COMMIT } from '../program-version.ts'
import type { RouteRules } from './exchange.ts'
import type { Routes } from './router.ts'

/** Mounts `GET /`: redirects a browser to the documentation, and returns its URL to a program. */
export function frontDoorRoute(routes: Routes, { version, config }: { version: string; config: RouteRules }): void {
  const places = { name: 'Banyan', version, commit: COMMIT, docs: '/docs', openapi: '/openapi.json' }
  routes.page('/', { config: { ...config, anyAccept: true } }, (request, reply) => {
    reply.header('vary', 'accept')
    return request.headers.accept?.includes('text/html') ? reply.redirect(places.docs) : places
  })
}
