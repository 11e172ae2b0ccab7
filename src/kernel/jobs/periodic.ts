import type { Log } from '../log.ts'
import { describe } from '../http/problems.ts'

/**
 * A task that every worker repeats. It must be safe to run concurrently in several workers, and end when `stop` is
 * aborted.
 */
export type PeriodicTask = { name: string; every_ms: number; run: (stop: AbortSignal) => Promise<void> }

/**
 * Runs each task at once and then at its interval, never concurrently with itself. The returned function stops them.
 */
export function startPeriodic(list: PeriodicTask[], log: Log): () => Promise<void> {
  const stopping = new AbortController()
  const stops = list.map(({ name, every_ms, run }) => {
    let timer: NodeJS.Timeout | undefined
    let current: Promise<void> = Promise.resolve()
    const tick = () => {
      current = run(stopping.signal)
        .catch((error: unknown) => log.warn({ periodic: name, error: describe(error) }, 'periodic task failed'))
        .finally(() => {
          if (!stopping.signal.aborted) timer = setTimeout(tick, every_ms)
        })
    }
    tick()
    return () => {
      clearTimeout(timer)
      return current
    }
  })
  return async () => {
    stopping.abort()
    await Promise.all(stops.map((stop) => stop()))
  }
}
