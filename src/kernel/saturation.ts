/** What one iteration of the event loop may spend on requests before the next ones are refused. */
const ITERATION_MS_MAX = 100
/** For how long iterations must have been longer without a break: one pause, such as that of a collector, refuses nobody. */
const SATURATED_AFTER_MS = 500

type Timing = { now?: () => number; later?: (end: () => void) => unknown }

/**
 * Knows when this process has less CPU time than its requests need (`docs/decisions/0018-overload.md`). An iteration of the event loop
 * handles all that has arrived since the last one, so its length is how long a request waits before anything looks at it.
 */
export function createSaturation({ now = () => performance.now(), later = setImmediate }: Timing = {}) {
  let startedAt: number | undefined // of this iteration; undefined before its first request
  let longSince: number | undefined // the start of the first of the long iterations in a row

  function end(): void {
    if (startedAt !== undefined) longSince = now() - startedAt > ITERATION_MS_MAX ? (longSince ?? startedAt) : undefined
    startedAt = undefined
  }

  return {
    /** Called as each request begins; true when it would be served too late. */
    refusesNext(): boolean {
      const at = now()
      if (startedAt === undefined) {
        startedAt = at
        later(end)
      }
      return longSince !== undefined && at - longSince > SATURATED_AFTER_MS && at - startedAt > ITERATION_MS_MAX
    },
  }
}
