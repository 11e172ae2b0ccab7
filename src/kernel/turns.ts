import { unavailable } from './problem-error.ts'

/** Calls that wait longer for the same key are rejected; calls for other keys do not wait. */
const WAIT_MS_MAX = 2_000

export type Turns = <T>(key: string, work: () => Promise<T>, timeoutError?: () => Error) => Promise<T>

/**
 * Serialises work per key in order of arrival; different keys run concurrently. Without it, guarded writes to a hot row
 * would keep conflicting and rereading; with it each reads once. Waiting holds no connection and no lock. Between
 * processes, the guards decide.
 */
export function createTurns(waitMax_ms = WAIT_MS_MAX): Turns {
  const lastByKey = new Map<string, Promise<unknown>>()

  return async (key, work, timeoutError = unavailable) => {
    const previous = lastByKey.get(key)
    const queuedAt = performance.now()
    const own =
      previous === undefined ? work() : previous.then(() => runBefore(queuedAt + waitMax_ms, { work, timeoutError }))
    const settled = own.then(
      () => {},
      () => {},
    )
    lastByKey.set(key, settled)
    try {
      return await own
    } finally {
      if (lastByKey.get(key) === settled) lastByKey.delete(key)
    }
  }
}

function runBefore<T>(
  deadline: number,
  { work, timeoutError }: { work: () => Promise<T>; timeoutError: () => Error },
): Promise<T> {
  if (performance.now() > deadline) throw timeoutError()
  return work()
}

const turnsByOwner = new WeakMap<object, Turns>()

/** Returns the turns shared by everything in this process that works on one database. */
export function turnsOf(owner: { readonly timeoutFactor: number }): Turns {
  let turns = turnsByOwner.get(owner)
  if (!turns) turnsByOwner.set(owner, (turns = createTurns(WAIT_MS_MAX * owner.timeoutFactor)))
  return turns
}
