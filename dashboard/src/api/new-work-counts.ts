export type Counts = Readonly<Record<string, number>>

/** Returns what is known after a look: what went away is not missed, so that the next one to come is new. */
export const lowered = (known: Counts, now: Counts): Counts =>
  Object.fromEntries(Object.entries(now).map(([name, count]) => [name, Math.min(count, known[name] ?? count)]))

export const hasMore = (known: Counts, now: Counts): boolean =>
  Object.entries(now).some(([name, count]) => count > (known[name] ?? count))
