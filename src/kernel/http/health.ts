import type { RouteRules } from './exchange.ts'
import type { Routes } from './router.ts'

/** Returns the state of each component; `ok` when it is available. */
type Check = () => Promise<Record<string, string>>

/** Balancers ask every two seconds; anybody else may ask as often as they like. */
export const READINESS_CACHE_MS = 1_000

/** Returns the check with its result kept for this long: calls at the same time, or soon after it, share one. */
function cached(check: Check, cache_ms: number): Check {
  let last: { result: ReturnType<Check>; until: number } | undefined
  return () => {
    if (last && performance.now() < last.until) return last.result
    const current = { result: check(), until: Infinity }
    last = current
    void current.result.finally(() => void (current.until = performance.now() + cache_ms)).catch(() => {})
    return current.result
  }
}

/** Mounts `/livez` (the process responds) and `/readyz` (everything it needs is available; 503 names what is not). */
export function healthRoutes(
  routes: Routes,
  { findReadiness, cache_ms, config }: { findReadiness: Check; cache_ms: number; config: RouteRules },
): void {
  const find = cached(findReadiness, cache_ms)
  const probe = { config: { ...config, isProbe: true } }

  routes.page('/livez', probe, () => ({ status: 'ok' }))

  routes.page('/readyz', probe, async (_request, reply) => {
    const checks = await find()
    const isReady = Object.values(checks).every((state) => state === 'ok')
    if (!isReady) reply.code(503).header('retry-after', '2')
    return { status: isReady ? 'ok' : 'unavailable', checks }
  })
}
