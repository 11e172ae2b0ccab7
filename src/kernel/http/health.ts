import type { RouteRules } from './exchange.ts'
import type { Routes } from './router.ts'

/** Returns the state of each component; `ok` when it is available. */
type Check = () => Promise<Record<string, string>>

/** Mounts `/livez` (the process responds) and `/readyz` (everything it needs is available; 503 names what is not). */
export function healthRoutes(routes: Routes, findReadiness: Check, config: RouteRules): void {
  const probe = { config: { ...config, isProbe: true } }

  routes.page('/livez', probe, () => ({ status: 'ok' }))

  routes.page('/readyz', probe, async (_request, reply) => {
    const checks = await findReadiness()
    const isReady = Object.values(checks).every((state) => state === 'ok')
    if (!isReady) reply.code(503).header('retry-after', '2')
    return { status: isReady ? 'ok' : 'unavailable', checks }
  })
}
