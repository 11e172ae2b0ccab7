import type { Log } from '../log.ts'
import { describe } from '../http/problems.ts'

/** Something done again and again by every worker; it must be harmless when several do it at once, and end when told to. */
export type Periodic = { name: string; every_ms: number; run: (stop: AbortSignal) => Promise<void> }

/** Runs each at once and then at its interval, never twice at the same time. The returned function ends them. */
export function startPeriodic(list: Periodic[], log: Log): () => Promise<void> {
  const stopping = new AbortController()
  const endings = list.map(({ name, every_ms, run }) => {
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
    await Promise.all(endings.map((end) => end()))
  }
}
