import type { FastifyContextConfig } from 'fastify'
import type { App } from './server.ts'

/** Returns the state of each component; `ok` when it is available. */
type Check = () => Promise<Record<string, string>>

/** Mounts `/livez` (the process responds) and `/readyz` (everything it needs is available; 503 names what is not). */
export function healthRoutes(app: App, findReadiness: Check, config: FastifyContextConfig): void {
  const hidden = { schema: { hide: true }, config: { ...config, isProbe: true } }

  app.get('/livez', hidden, () => ({ status: 'ok' }))

  app.get('/readyz', hidden, async (_request, reply) => {
    const checks = await findReadiness()
    const isReady = Object.values(checks).every((state) => state === 'ok')
    return reply
      .code(isReady ? 200 : 503)
      .headers(isReady ? {} : { 'retry-after': '2' })
      .send({ status: isReady ? 'ok' : 'unavailable', checks })
  })
}
