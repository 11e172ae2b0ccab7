/** Who waits for the database: for a connection, or for a place in a shared statement. */
export type Waiting = {
  /** Notes somebody who waits from now on. The returned function ends it. */
  begin(): () => void
  /** How long the first of those who wait has waited; 0 when nobody does. */
  oldest_ms(): number
}

export function openWaiting(): Waiting {
  const all = new Set<{ since_ms: number }>() // in the order of their coming
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
