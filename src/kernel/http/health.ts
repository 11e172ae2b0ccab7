import type { FastifyContextConfig } from 'fastify'
import type { App } from './server.ts'

/** Resolves to true when the part can do its work. */
type Check = () => Promise<boolean>

/** `/livez`: the process answers. `/readyz`: everything it needs is there; 503 names what is not. */
export function healthRoutes(app: App, checks: Record<string, Check>, config: FastifyContextConfig): void {
  const hidden = { schema: { hide: true }, config }

  app.get('/livez', hidden, () => ({ status: 'ok' }))

  app.get('/readyz', hidden, async (_request, reply) => {
    const entries = await Promise.all(
      Object.entries(checks).map(
        async ([name, check]) => [name, (await check().catch(() => false)) ? 'ok' : 'failed'] as const,
      ),
    )
    const isReady = entries.every(([, state]) => state === 'ok')
    return reply
      .code(isReady ? 200 : 503)
      .headers(isReady ? {} : { 'retry-after': '2' })
      .send({ status: isReady ? 'ok' : 'unavailable', checks: Object.fromEntries(entries) })
  })
}
