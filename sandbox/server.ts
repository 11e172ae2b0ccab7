import Fastify from 'fastify'
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
export async function startSandbox({
  host,
  port,
  operatorSecret,
  appOrigin,
  calendar,
}: SandboxSettings): Promise<() => Promise<void>> {
  const app = Fastify({ logger: false, forceCloseConnections: true })
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
