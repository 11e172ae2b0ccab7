import { setTimeout as sleep } from 'node:timers/promises'
import { type Clock, ownTime, systemClock } from '../clock.ts'
import type { Log } from '../log.ts'
import { StartError } from '../start-error.ts'
import { onlyRow, type Queryable, statement } from './database.ts'

/** More than the drift of clocks kept by NTP. */
export const OFFSET_MS_MAX = 60_000
/** Smaller differences are left as they are, so that the time of a healthy machine never steps. */
const TOLERANCE_MS = 1_000
const READ_INTERVAL_MS = 1_000

const NOW = statement('clock_now', 'select extract(epoch from now())::float8 * 1000 as now_ms')

/** A reading of the database's clock; `uptime_ms` and `own_ms` are of the moment when the response came. */
type Reading = { database_ms: number; own_ms: number; uptime_ms: number; waited_ms: number }

async function readClock(db: Queryable, ownClock: Clock): Promise<Reading> {
  const sent_ms = performance.now()
  const { now_ms: database_ms } = onlyRow(await db.query<{ now_ms: number }>(NOW))
  const uptime_ms = performance.now()
  return { database_ms, own_ms: ownClock.now().getTime(), uptime_ms, waited_ms: uptime_ms - sent_ms }
}

/** What is to be added to a clock to get the database's: somewhere in between, because the response took its time. */
type Correction = { min_ms: number; max_ms: number }

const toCorrection = ({ database_ms, own_ms, waited_ms }: Reading): Correction => {
  const min_ms = database_ms - own_ms
  return { min_ms, max_ms: min_ms + waited_ms }
}

/** Returns the smallest correction that is possible: a slow response alone makes no clock wrong. */
const smallest = ({ min_ms, max_ms }: Correction): number => Math.min(Math.max(0, min_ms), max_ms)

const differs = (correction: Correction): boolean => Math.abs(smallest(correction)) > OFFSET_MS_MAX

function describeClocks({ database_ms, own_ms }: Reading): string {
  const times = [own_ms, database_ms].map((ms) => new Date(ms).toISOString())
  return `the clock of this process (${times[0]}) differs from the database's (${times[1]}); one of them is wrong`
}

/**
 * Throws when the clock of this process and the database's differ by more than a minute, because either may be wrong. What is
 * deleted, ended or sent because of its age asks here first.
 */
export async function checkClock(db: Queryable, clock: Clock): Promise<void> {
  const reading = await readClock(db, { now: () => ownTime(clock) })
  if (differs(toCorrection(reading))) throw new StartError(describeClocks(reading))
}

/** Returns by how many seconds a clock is ahead of the database's; negative when it is behind. */
export const aheadOf_s = async (db: Queryable, clock: Clock): Promise<number> =>
  -smallest(toCorrection(await readClock(db, clock))) / 1_000

/** The database's time in this process, and whether its own clock may be trusted. */
export type DatabaseClock = Awaited<ReturnType<typeof createDatabaseClock>>

/**
 * Returns the database's time: the clock of this process, corrected by what it differs from the database's. So all processes
 * agree on what is old, also when the clock of one is wrong. Reads the database's clock once a second; while it cannot, the
 * last correction holds.
 */
export async function createDatabaseClock(
  db: Queryable,
  { log, ownClock = systemClock, every_ms = READ_INTERVAL_MS }: { log: Log; ownClock?: Clock; every_ms?: number },
) {
  const ending = new AbortController()
  const listeners: (() => void)[] = []
  let correction_ms = 0
  let ahead_ms = 0
  let isRight = true
  let last: Pick<Reading, 'own_ms' | 'uptime_ms'> = { own_ms: ownClock.now().getTime(), uptime_ms: performance.now() }

  async function read(): Promise<void> {
    const reading = await readClock(db, ownClock)
    const measured = toCorrection(reading)
    const fits = (ms: number) => ms >= measured.min_ms - TOLERANCE_MS && ms <= measured.max_ms + TOLERANCE_MS
    if (!fits(correction_ms)) correction_ms = fits(0) ? 0 : Math.round((measured.min_ms + measured.max_ms) / 2)
    ahead_ms = -smallest(measured)
    last = reading
    if (isRight === differs(measured)) {
      isRight = !isRight
      if (isRight) log.warn('the clock of this process and the database’s agree again')
      else log.error(`${describeClocks(reading)}; no worker runs in it until they agree`)
    }
    for (const listener of listeners) listener()
  }

  async function poll(): Promise<void> {
    while (!ending.signal.aborted) {
      await sleep(every_ms, undefined, { signal: ending.signal, ref: false }).catch(() => {})
      if (!ending.signal.aborted) await read().catch(() => {}) // callers of the database report that it is down
    }
  }

  /** Ignores a jump of the own clock since the last reading. */
  function now(): Date {
    const own_ms = ownClock.now().getTime()
    const expected_ms = last.own_ms + performance.now() - last.uptime_ms
    const hasJumped = Math.abs(own_ms - expected_ms) > TOLERANCE_MS
    return new Date((hasJumped ? Math.round(expected_ms) : own_ms) + correction_ms)
  }

  await read()
  const polling = poll()
  return {
    now,
    own: () => ownClock.now(),
    /** By how much the clock of this process is ahead of the database's; negative when it is behind. */
    ahead_s: () => ahead_ms / 1_000,
    /** Whether the two differ by less than a minute. */
    isRight: () => isRight,
    /** Calls a function after each reading of the database's clock. */
    onRead: (listener: () => void) => void listeners.push(listener),
    async stop(): Promise<void> {
      ending.abort()
      await polling
    },
  }
}
