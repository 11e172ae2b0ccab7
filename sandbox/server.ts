import Fastify from 'fastify'
import { bankRoutes } from './bank.ts'

/** Stand-ins for the companies outside, as one real HTTP server. Never in production. The returned function stops it. */
export async function startSandbox({ host, port }: { host: string; port: number }): Promise<() => Promise<void>> {
  const app = Fastify({ logger: false, forceCloseConnections: true })
  bankRoutes(app)
  await app.listen({ host, port })
  return () => app.close()
}
