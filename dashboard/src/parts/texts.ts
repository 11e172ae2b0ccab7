/** Dates and amounts as they are written in India. */

const ZONE = 'Asia/Kolkata'
const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

const DAY = new Intl.DateTimeFormat('en-IN', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })
const TIME = new Intl.DateTimeFormat('en-IN', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
  timeZone: ZONE,
})
const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: ZONE })

const RELATIVE = new Intl.RelativeTimeFormat('en-IN', { numeric: 'auto' })

/** Returns `5 Apr 2026` for `2026-04-05`, which no time zone shifts. */
export const dayText = (day: string): string => DAY.format(new Date(`${day}T00:00:00Z`))

/** Returns `5 Apr 2026, 14:30` as the clocks of India show it. */
export const timeText = (time: Date): string => TIME.format(time)

/** Returns the day that it is in India, `2026-04-05`. */
export const today = (now = new Date()): string => new Intl.DateTimeFormat('en-CA', { timeZone: ZONE }).format(now)

/** The beginning of a day of the clocks that people here have: of today, or so many days before or after. */
export const startOfDay = (days = 0, now = new Date()): Date =>
  new Date(`${daysAfter(today(now), days)}T00:00:00+05:30`)

/** Returns the day so many days after another. */
export const daysAfter = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10)

/** Returns the age in whole years on a day; who was born on 29 February is older from 1 March in other years. */
export const ageOn = (day: string, born: string): number =>
  Number(day.slice(0, 4)) - Number(born.slice(0, 4)) - (day.slice(5) < born.slice(5) ? 1 : 0)

/** Returns `tomorrow`, `in 12 days`, `3 days ago`. */
export const daysFromNow = (day: string, now = new Date()): string =>
  RELATIVE.format(Math.round((Date.parse(day) - Date.parse(today(now))) / DAY_MS), 'day')

/** Returns `now`, `5 minutes ago`, `2 hours ago`, `3 days ago`. */
export function agoText(time: Date, now = new Date()): string {
  const ms = time.getTime() - now.getTime()
  if (Math.abs(ms) < MINUTE_MS) return 'just now'
  if (Math.abs(ms) < HOUR_MS) return RELATIVE.format(Math.trunc(ms / MINUTE_MS), 'minute')
  if (Math.abs(ms) < DAY_MS) return RELATIVE.format(Math.trunc(ms / HOUR_MS), 'hour')
  return RELATIVE.format(Math.trunc(ms / DAY_MS), 'day')
}

/** Returns `1,23,456`. */
export const countText = (count: number): string => count.toLocaleString('en-IN')

/** Returns `1 row`, `1,200 rows`. */
export const amountText = (count: number, noun: string): string =>
  `${countText(count)} ${count === 1 ? noun : `${noun}s`}`

const ZONE_OFFSET = '+05:30'

/** Returns a moment for a field of day and time, as the clocks of India show it: `2026-04-05T14:30`. */
export const inputTime = (time: Date): string => `${today(time)}T${CLOCK.format(time)}`

/** Returns the moment that such a field says; undefined while it says none. */
export function timeFromInput(text: string): Date | undefined {
  const time = new Date(`${text}${ZONE_OFFSET}`)
  return Number.isNaN(time.getTime()) ? undefined : time
}
