import { unavailable } from './problem-error.ts'

type Waiter = { since_ms: number; start: () => void }
type Compartment = { running: number; waiters: Waiter[] }

type Bulkhead = ReturnType<typeof createBulkhead>

/**
 * Limits how much work of one key runs at a time; other keys are not affected. The rest waits in order of arrival, in
 * memory, and holds no connection and no lock. With `waitMax_ms`, work that waits longer is rejected, by default with
 * 503. `cockatiel` has a bulkhead too, but without keys, deadlines and the age of what waits.
 */
export function createBulkhead({ width, waitMax_ms }: { width: number; waitMax_ms?: number }) {
  const compartments = new Map<string, Compartment>()

  function place({ waiters }: Compartment, timeoutError: () => Error): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiter = { since_ms: performance.now(), start }
      const giveUp = () => {
        waiters.splice(waiters.indexOf(waiter), 1)
        reject(timeoutError())
      }
      const timer = waitMax_ms === undefined ? undefined : setTimeout(giveUp, waitMax_ms)
      function start() {
        clearTimeout(timer)
        resolve()
      }
      waiters.push(waiter)
    })
  }

  function leave(key: string, compartment: Compartment): void {
    const next = compartment.waiters.shift()
    if (next) return next.start() // takes over the place
    if (--compartment.running === 0) compartments.delete(key)
  }

  return {
    /** Runs work, at once when there is a place. */
    async run<T>(key: string, work: () => Promise<T>, timeoutError: () => Error = unavailable): Promise<T> {
      let compartment = compartments.get(key)
      if (!compartment) compartments.set(key, (compartment = { running: 0, waiters: [] }))
      if (compartment.running < width) compartment.running++
      else await place(compartment, timeoutError)
      try {
        return await work()
      } finally {
        leave(key, compartment)
      }
    },

    /** Returns how long the first work of a key has waited; 0 when none waits. */
    oldest_ms(key: string): number {
      const first = compartments.get(key)?.waiters[0]
      return first === undefined ? 0 : performance.now() - first.since_ms
    },
  }
}

const SERIALIZED_WAIT_MS_MAX = 2_000
const mutexes = new WeakMap<object, Bulkhead>()

/**
 * Runs work on one record, or with one secret, of a database: one at a time in this process. Otherwise guarded writes to
 * a hot row would keep conflicting and rereading; this way each reads once. Between processes, the guards decide.
 */
export function serialize<T>(
  db: { readonly timeoutFactor: number },
  key: string,
  work: () => Promise<T>,
  timeoutError?: () => Error,
): Promise<T> {
  let mutex = mutexes.get(db)
  if (!mutex) {
    mutex = createBulkhead({ width: 1, waitMax_ms: SERIALIZED_WAIT_MS_MAX * db.timeoutFactor })
    mutexes.set(db, mutex)
  }
  return mutex.run(key, work, timeoutError)
}
