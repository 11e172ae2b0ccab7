/** Resolves after the time; rejects with the signal's reason when it is aborted before. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  const wait = (aborted: AbortSignal) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      aborted.addEventListener('abort', () => clearTimeout(timer))
    })
  return abortable(wait, { signal })
}

/** The reason when an attempt, not the caller, has ended the wait. */
export const OUT_OF_TIME = new Error('Out of time')

type Limits = { signal: AbortSignal | undefined; timeoutMs?: number | undefined; keepsSignal?: boolean | undefined }

/**
 * Runs something that ends early when the signal is aborted or the time is over. `keepsSignal`: its result, a stream,
 * goes on, so the signal stays connected. `AbortSignal.any` would do this, but leaks in early Node 20.
 */
export async function abortable<T>(run: (signal: AbortSignal) => Promise<T>, limits: Limits): Promise<T> {
  const { signal, timeoutMs, keepsSignal } = limits
  signal?.throwIfAborted()
  const controller = new AbortController()
  const abort = (reason: unknown) => controller.abort(reason)
  const aborted = new Promise<never>((_, reject) => {
    controller.signal.addEventListener('abort', () => reject(controller.signal.reason))
  })
  const onAbort = () => abort(signal?.reason)
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => abort(OUT_OF_TIME), timeoutMs)
  signal?.addEventListener('abort', onAbort)
  try {
    return await Promise.race([run(controller.signal), aborted])
  } finally {
    clearTimeout(timer)
    if (!keepsSignal) signal?.removeEventListener('abort', onAbort)
  }
}
