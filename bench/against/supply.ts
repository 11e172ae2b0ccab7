/** Records created before a round and used once each, in order. */
export type Supply<T> = {
  /** Creates the missing ones. */
  ensure(count: number): Promise<void>
  /** Returns undefined when all are used. */
  take(): T | undefined
}

export function supplyOf<T>(make: (count: number) => Promise<T[]>): Supply<T> {
  let unused: T[] = []
  let taken = 0
  return {
    async ensure(count) {
      unused = unused.slice(taken)
      taken = 0
      const missing = count - unused.length
      if (missing > 0) unused = unused.concat(await make(missing))
    },
    take: () => unused[taken++],
  }
}
