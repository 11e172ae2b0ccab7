import { onlineManager } from '@tanstack/react-query'

export const isOnline = (): boolean => onlineManager.isOnline()

/** Resolves when there is a connection; rejects when the signal is aborted before. */
export function whenOnline(signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const stop = onlineManager.subscribe((online) => online && resolve())
  signal.addEventListener('abort', () => reject(signal.reason))
  if (isOnline()) resolve()
  return promise.finally(stop)
}
