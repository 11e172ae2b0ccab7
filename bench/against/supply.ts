/** Things that are made before a round and used once each, in their order. */
export type Supply<T> = {
  /** Makes as many as are missing. */
  ensure(count: number): Promise<void>
  /** Undefined when all are used. */
  take(): T | undefined
}

export function supplyOf<T>(make: (count: number) => Promise<T[]>): Supply<T> {
  let waiting: T[] = []
  let taken = 0
  return {
    async ensure(count) {
      waiting = waiting.slice(taken)
      taken = 0
      const missing = count - waiting.length
      if (missing > 0) waiting = waiting.concat(await make(missing))
    },
    take: () => waiting[taken++],
  }
}
