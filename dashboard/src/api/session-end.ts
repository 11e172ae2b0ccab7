type Waiting = { promise: Promise<void>; resolve: () => void }

let waiting: Waiting | undefined
const listeners = new Set<() => void>()

const changed = () => {
  for (const listener of listeners) listener()
}

/**
 * The end of the session while the page is open. Calls wait here and are sent again after the person has logged in, so
 * that nothing that was typed is lost.
 */
export const sessionEnd = {
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
  hasEnded: (): boolean => waiting !== undefined,
  /** Resolves when the person has logged in again. */
  untilLoggedIn(): Promise<void> {
    if (!waiting) {
      waiting = Promise.withResolvers<void>()
      changed()
    }
    return waiting.promise
  },
  loggedIn(): void {
    waiting?.resolve()
    waiting = undefined
    changed()
  },
}
