import type { FastifyContextConfig } from 'fastify'
import type { App } from './server.ts'

/** Says for each part whether it is there; `ok` is. */
type Check = () => Promise<Record<string, string>>

/** `/livez`: the process answers. `/readyz`: everything it needs is there; 503 names what is not. */
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
