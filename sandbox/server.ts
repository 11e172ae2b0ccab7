import Fastify, { type FastifyInstance } from 'fastify'
import { bankRoutes } from './account-provider.ts'
import type { MovableClock } from '../src/kernel/clock.ts'
import { clockRoutes } from './clock.ts'
import { identityProviderRoutes } from './identity-provider.ts'
import { operatorRoutes } from './operator.ts'
import { smsRoutes } from './sms.ts'
import { startPageRoute } from './start-page.ts'
import { webhookRoutes } from './webhooks.ts'

type SandboxSettings = {
  host: string
  port: number
  operatorSecret: string
  /** The URL of the program that administrators log in to; without it there is no identity provider. */
  appOrigin?: string
  /** The calendar of the program in the same process, if any. */
  calendar?: MovableClock
}

/**
 * Starts stand-ins for the external companies as one real HTTP server. Never in production. The returned function stops
 * it.
 */
export async function startSandbox(settings: SandboxSettings): Promise<() => Promise<void>> {
  const { host, port, operatorSecret, appOrigin, calendar } = settings
  const app = Fastify({ logger: false, forceCloseConnections: true })
  if (appOrigin) letPagesCall(app, appOrigin)
  const companies = [
    operatorRoutes(app, { secret: operatorSecret }),
    bankRoutes(app),
    smsRoutes(app),
    ...(calendar ? [clockRoutes(app, calendar)] : []),
    webhookRoutes(app),
  ]
  if (appOrigin) await identityProviderRoutes(app, { sandboxOrigin: `http://localhost:${port}`, appOrigin })
  startPageRoute(app, companies)
  await app.listen({ host, port })
  return () => app.close()
}

/** Lets the dashboard of the program, and no other site, look at the companies and set them. */
function letPagesCall(app: FastifyInstance, origin: string): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (request.headers.origin === origin && !request.url.startsWith('/oidc')) {
      reply
        .header('access-control-allow-origin', origin)
        .header('access-control-allow-methods', 'GET, PUT, DELETE')
        .header('access-control-allow-headers', 'content-type')
        .header('vary', 'origin')
    }
    done()
  })
  for (const path of ['/clock', '/operator/*', '/account_provider/*', '/webhooks/*'])
    app.options(path, (_request, reply) => reply.code(204).send())
}
