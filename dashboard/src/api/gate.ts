/** Where calls wait for the person who has to do something first. */
export type Gate = {
  subscribe: (listener: () => void) => () => void
  isClosed: () => boolean
  /** Closes it, and resolves when it opens. */
  wait: () => Promise<void>
  open: () => void
}

export function createGate(): Gate {
  let waiting: PromiseWithResolvers<void> | undefined
  const listeners = new Set<() => void>()
  const changed = () => {
    for (const listener of listeners) listener()
  }
  return {
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    isClosed: () => waiting !== undefined,
    wait() {
      if (waiting) return waiting.promise
      waiting = Promise.withResolvers<void>()
      changed()
      return waiting.promise
    },
    open() {
      waiting?.resolve()
      waiting = undefined
      changed()
    },
  }
}
