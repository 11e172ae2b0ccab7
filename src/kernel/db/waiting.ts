export type Waiting = ReturnType<typeof createWaiting>

/** Tracks the calls that wait for the database: for a connection, or for a slot in a shared statement. */
export function createWaiting() {
  const all = new Set<{ since_ms: number }>() // in order of arrival
  return {
    /** Starts a wait. The returned function ends it. */
    begin(): () => void {
      const one = { since_ms: performance.now() }
      all.add(one)
      return () => void all.delete(one)
    },
    /** Returns how long the oldest wait has lasted; 0 when nothing waits. */
    oldest_ms(): number {
      for (const { since_ms } of all) return performance.now() - since_ms
      return 0
    },
  }
}
