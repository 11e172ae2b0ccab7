import type { FastifyContextConfig } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../../kernel/http/server.ts'
import { PAGES } from './return-target.ts'

/** For pages, which get whatever a browser had in the address bar. */
const AnyQuery = Type.Object({}, { additionalProperties: true })

/** Where administrators try operations. */
const TRY = '/docs/try'

/** Redirects the dashboard, which has no pages of its own yet, to the page where administrators try operations. */
export function dashboardRoutes(app: App, config: FastifyContextConfig): void {
  const [, dashboard] = PAGES
  const page = { schema: { hide: true, querystring: AnyQuery }, config: { ...config, anyAccept: true } }
  for (const url of [dashboard, `${dashboard}/*`]) app.get(url, page, (_request, reply) => reply.redirect(TRY))
}
