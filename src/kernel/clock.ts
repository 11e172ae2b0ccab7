/** Where every "now" of the program comes from, so that a test can hold the clock. */
export type Clock = { now(): Date }

export const systemClock: Clock = { now: () => new Date() }

/** Indian Standard Time has had one offset and no summer time since 1945. */
const INDIA_OFFSET_MS = 330 * 60_000

const DAY_MS = 86_400_000
let today = { number: Number.NaN, text: '' }

/** The calendar day in India, `YYYY-MM-DD`: births and terms of policies are counted in it. Written once a day: each birth asks. */
export function todayIn(clock: Clock): string {
  const number = Math.floor((clock.now().getTime() + INDIA_OFFSET_MS) / DAY_MS)
  if (number !== today.number) today = { number, text: new Date(number * DAY_MS).toISOString().slice(0, 10) }
  return today.text
}

let written = { ms: Number.NaN, text: '' }

/** A time in full, `YYYY-MM-DDThh:mm:ss.sssZ`. Written once for all that one write says of it: each time costs 0.5 µs. */
export function isoTime(at: Date): string {
  const ms = at.getTime()
  if (ms !== written.ms) written = { ms, text: at.toISOString() }
  return written.text
}

/** A time as it goes out (contract 2.1): UTC, `YYYY-MM-DDThh:mm:ss`. */
export const wireTime = (at: Date): string => isoTime(at).slice(0, 19)

const WIRE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z?$/

/** The time that a text says in UTC; undefined for what is none, such as 31 February. */
export function timeFrom(text: unknown): Date | undefined {
  if (typeof text !== 'string' || !WIRE_TIME.test(text)) return undefined
  const plain = text.replace(/Z$/, '')
  const at = new Date(`${plain}Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(plain) ? at : undefined
}

/** Unix seconds, as tokens carry them. */
export const unixSeconds = (clock: Clock): number => unixSecondsOf(clock.now())

export const unixSecondsOf = (at: Date): number => Math.floor(at.getTime() / 1000)

/** A clock that can be put to another time and goes on from there; undefined puts it back to real time. */
export type MovableClock = Clock & {
  moveTo(time: Date | undefined): void
  /** Puts it so far from real time. */
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
