/** Thrown where the time of a call, or of one attempt, is over. */
export const OUT_OF_TIME = new Error('Out of time')

/** What a timer can hold: beyond it, `setTimeout` fires at once. */
const LONGEST_MS = 2 ** 31 - 1

type Ends = { outer?: AbortSignal | undefined; ms?: number | undefined }

/**
 * What ends a call early: an outer signal, or its time. `AbortSignal.any` and `timeout` would do this, but leak in early
 * Node 20 and are missing in React Native, whose signals have no reason either.
 */
export class Limit {
  readonly signal: AbortSignal
  /** Why it has ended. */
  reason: unknown
  /** Someone else closes it, because the result goes on: the body of a download. */
  isKept = false
  /** Leaves neither timer nor listener behind. */
  readonly close: () => void

  constructor({ outer, ms }: Ends) {
    const controller = new AbortController()
    this.signal = controller.signal
    const end = (reason: unknown) => {
      this.reason = reason
      controller.abort(reason)
    }
    const onOuter = () => end(outer?.reason ?? Object.assign(new Error('Aborted'), { name: 'AbortError' }))
    const timer = ms === undefined ? undefined : setTimeout(() => end(OUT_OF_TIME), Math.min(ms, LONGEST_MS))
    outer?.addEventListener('abort', onOuter)
    this.close = () => {
      clearTimeout(timer)
      outer?.removeEventListener('abort', onOuter)
    }
    if (outer?.aborted) onOuter()
  }

  throwIfOver(): void {
    if (this.signal.aborted) throw this.reason
  }

  /** Runs something that need not know the signal: it is left when the limit ends. */
  async race<T>(run: (signal: AbortSignal) => T | Promise<T>): Promise<T> {
    this.throwIfOver()
    let onEnd = () => {}
    const over = new Promise<never>((_, reject) => {
      onEnd = () => reject(this.reason)
      this.signal.addEventListener('abort', onEnd)
    })
    try {
      return await Promise.race([run(this.signal), over])
    } finally {
      this.signal.removeEventListener('abort', onEnd)
    }
  }
}

/** Runs something that ends early when the signal is aborted or the time is over. */
export async function limited<T>(ends: Ends, run: (signal: AbortSignal) => T | Promise<T>): Promise<T> {
  const limit = new Limit(ends)
  try {
    return await limit.race(run)
  } finally {
    limit.close()
  }
}

/** Resolves after the time; rejects with the signal's reason when it is aborted before. */
export const pause = (ms: number, outer: AbortSignal | undefined): Promise<void> => limited({ outer }, sleep(ms))

/** Resolves after the time; leaves no timer behind when it is aborted before. */
export const sleep = (ms: number) => (aborted: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, Math.min(ms, LONGEST_MS))
    aborted.addEventListener('abort', () => clearTimeout(timer))
  })
