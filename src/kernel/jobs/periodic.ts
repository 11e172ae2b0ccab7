import type { Log } from '../log.ts'
import { describe } from '../http/problems.ts'

/** Something done again and again by every worker; it must be harmless when several do it at once. */
export type Periodic = { name: string; every_ms: number; run: () => Promise<void> }

/** Runs each at once and then at its interval, never twice at the same time. The returned function ends them. */
export function startPeriodic(list: Periodic[], log: Log): () => Promise<void> {
  const stops = list.map(({ name, every_ms, run }) => {
    let timer: NodeJS.Timeout | undefined
    let stopped = false
    let current: Promise<void> = Promise.resolve()
    const tick = () => {
      current = run()
        .catch((error: unknown) => log.warn({ periodic: name, error: describe(error) }, 'periodic work failed'))
        .finally(() => {
          if (!stopped) timer = setTimeout(tick, every_ms)
        })
    }
    tick()
    return () => {
      stopped = true
      clearTimeout(timer)
      return current
    }
  })
  return async () => void (await Promise.all(stops.map((stop) => stop())))
}
