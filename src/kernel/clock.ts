/**
 * Source of the current time. Tests can freeze it. `own` is what the clock of this process says, where `now` is the time of
 * another one.
 */
export type Clock = { now(): Date; own?(): Date }

export const systemClock: Clock = { now: () => new Date() }

export const ownTime = (clock: Clock): Date => clock.own?.() ?? clock.now()

/** Returns the later of a time and that of this process's own clock: what is kept for a while is kept by both. */
export const latest = (at: Date, clock: Clock): Date => (ownTime(clock) > at ? ownTime(clock) : at)

/** Indian Standard Time: one offset and no daylight saving time since 1945. */
const INDIA_OFFSET_MS = 330 * 60_000

const DAY_MS = 86_400_000
let today = { number: Number.NaN, text: '' }

/**
 * Returns the calendar day in India, `YYYY-MM-DD`, which births and policy terms are counted in. Cached for the day,
 * because every check of a birth date needs it.
 */
export function todayIn(clock: Clock): string {
  const number = Math.floor((clock.now().getTime() + INDIA_OFFSET_MS) / DAY_MS)
  if (number !== today.number) today = { number, text: new Date(number * DAY_MS).toISOString().slice(0, 10) }
  return today.text
}

/** Returns when a day begins in India. */
export const startOfDay = (day: string): Date => new Date(`${day}T00:00:00+05:30`)

/** Returns the time from the begin of one day in India to the end of another. */
export const toPeriod = ({ from, to }: { from?: string | undefined; to?: string | undefined }) => ({
  from: from === undefined ? undefined : startOfDay(from),
  before: to === undefined ? undefined : new Date(startOfDay(to).getTime() + DAY_MS),
})

let written = { ms: Number.NaN, text: '' }

/**
 * Returns a time as `YYYY-MM-DDThh:mm:ss.sssZ`. Cached, because one write formats the same time many times, at 0.5 µs
 * each.
 */
export function isoTime(at: Date): string {
  const ms = at.getTime()
  if (ms !== written.ms) written = { ms, text: at.toISOString() }
  return written.text
}

/** Returns a time as sent on the wire, `YYYY-MM-DDThh:mm:ss` in UTC: `docs/partners/values.md#times-and-dates`. */
export const wireTime = (at: Date): string => isoTime(at).slice(0, 19)

/** Returns the day in UTC, `YYYY-MM-DD`, as the database counts days. */
export const utcDay = (at: Date): string => isoTime(at).slice(0, 10)

/** The year 0 does not exist, in PostgreSQL neither. */
const WIRE_TIME = /^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z?$/

/** Parses a UTC time; undefined when it is not valid, such as 31 February. */
export function timeFrom(text: unknown): Date | undefined {
  if (typeof text !== 'string' || !WIRE_TIME.test(text)) return undefined
  const plain = text.replace(/Z$/, '')
  const at = new Date(`${plain}Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(plain) ? at : undefined
}

export const unixSeconds = (clock: Clock): number => toUnixSeconds(clock.now())

export const toUnixSeconds = (at: Date): number => Math.floor(at.getTime() / 1000)

/** A clock that can be set to another time and runs on from there; undefined resets it to real time. */
export type MovableClock = Clock & {
  moveTo(time: Date | undefined): void
  /** Sets the difference from real time. */
  moveBy(offset_ms: number): void
}

export function movableClock(onMoved: (offset_ms: number) => void = () => {}): MovableClock {
  let offset_ms = 0
  const moveBy = (by_ms: number) => {
    offset_ms = by_ms
    onMoved(offset_ms)
  }
  return {
    now: () => new Date(systemClock.now().getTime() + offset_ms),
    moveTo: (time) => moveBy(time ? time.getTime() - systemClock.now().getTime() : 0),
    moveBy,
  }
}
