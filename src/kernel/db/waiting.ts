/** Tracks the calls that wait for the database: for a connection, or for a slot in a shared statement. */
export type Waiting = {
  /** Starts a wait. The returned function ends it. */
  begin(): () => void
  /** Returns how long the oldest wait has lasted; 0 when nothing waits. */
  oldest_ms(): number
}

export function createWaiting(): Waiting {
  const all = new Set<{ since_ms: number }>() // in order of arrival
  return {
    begin() {
      const one = { since_ms: performance.now() }
      all.add(one)
      return () => void all.delete(one)
    },
    oldest_ms() {
      for (const { since_ms } of all) return performance.now() - since_ms
      return 0
    },
  }
}
