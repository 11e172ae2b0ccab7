import { unavailable } from './problem-error.ts'

/** Who waits longer behind others at one row is refused; whoever comes for another row waits for nobody. */
const WAIT_MS_MAX = 2_000

export type Turns = <T>(key: string, work: () => Promise<T>, late?: () => Error) => Promise<T>

/**
 * Runs work on one key one after another, in order of arrival, and on different keys side by side. Writes that are guarded by what they
 * read would otherwise beat each other at a hot row and read it again and again; this way each reads once. It holds no
 * connection and no lock while somebody waits, and between processes the guards decide.
 */
export function openTurns(waitMax_ms = WAIT_MS_MAX): Turns {
  const lasts = new Map<string, Promise<unknown>>()

  return async (key, work, late = unavailable) => {
    const before = lasts.get(key)
    const since = performance.now()
    const own = before === undefined ? work() : before.then(() => inTime(since + waitMax_ms, { work, late }))
    const settled = own.then(
      () => {},
      () => {},
    )
    lasts.set(key, settled)
    try {
      return await own
    } finally {
      if (lasts.get(key) === settled) lasts.delete(key)
    }
  }
}

function inTime<T>(until: number, { work, late }: { work: () => Promise<T>; late: () => Error }): Promise<T> {
  if (performance.now() > until) throw late()
  return work()
}

const turnsByOwner = new WeakMap<object, Turns>()

/** The turns of everything in this process that works on one thing, such as a database. */
export function turnsOf(owner: object): Turns {
  let turns = turnsByOwner.get(owner)
  if (!turns) turnsByOwner.set(owner, (turns = openTurns()))
  return turns
}
