import Fastify from 'fastify'
import { bankRoutes } from './account-provider.ts'
import type { MovableClock } from '../src/kernel/clock.ts'
import { clockRoutes } from './clock.ts'
import { operatorRoutes } from './operator.ts'
import { smsRoutes } from './sms.ts'

type SandboxSettings = {
  host: string
  port: number
  operatorSecret: string
  /** Of the program in the same process; a sandbox alone has none to move. */
  calendar?: MovableClock
}

/** Stand-ins for the companies outside, as one real HTTP server. Never in production. The returned function stops it. */
export async function startSandbox({
  host,
  port,
  operatorSecret,
  calendar,
}: SandboxSettings): Promise<() => Promise<void>> {
  const app = Fastify({ logger: false, forceCloseConnections: true })
  bankRoutes(app)
  smsRoutes(app)
  if (calendar) clockRoutes(app, calendar)
  operatorRoutes(app, { secret: operatorSecret })
  await app.listen({ host, port })
  return () => app.close()
}
