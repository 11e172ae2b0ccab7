import assert from 'node:assert/strict'

/** A calendar day `YYYY-MM-DD`. Always text: a Date would bring in a time zone. */
export type Day = string

const DAY = /^(\d{4})-(\d{2})-(\d{2})$/

/** Returns true for a day that exists in the calendar; `2026-02-30` does not. */
export function isDay(text: string): boolean {
  const match = DAY.exec(text)
  if (!match) return false
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])]
  return year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month)
}

/** Returns the day `months` later; the 31st becomes the last day of a shorter month. */
export function addMonths(day: Day, months: number): Day {
  const { year, month, dayOfMonth } = parts(day)
  const index = year * 12 + (month - 1) + months
  const [toYear, toMonth] = [Math.floor(index / 12), (index % 12) + 1]
  return format(toYear, toMonth, Math.min(dayOfMonth, daysInMonth(toYear, toMonth)))
}

/** Returns the number of months between the months of two days, ignoring the day of the month. */
export function monthsBetween({ from, to }: { from: Day; to: Day }): number {
  const [first, last] = [parts(from), parts(to)]
  return (last.year - first.year) * 12 + last.month - first.month
}

export function addDays(day: Day, count: number): Day {
  const { year, month, dayOfMonth } = parts(day)
  return new Date(Date.UTC(year, month - 1, dayOfMonth + count)).toISOString().slice(0, 10)
}

const DAY_MS = 86_400_000

/** Returns the number of days from the first to the last, both counted. */
export const daysBetween = (first: Day, last: Day): number => (Date.parse(last) - Date.parse(first)) / DAY_MS + 1

/** Returns the last day of a term: twelve months from 1 April end on 31 March. */
export const lastDayOfTerm = (start: Day, months: number): Day => addDays(addMonths(start, months), -1)

const MONTHS = 'January February March April May June July August September October November December'.split(' ')

/** Formats a day for people, in documents and on pages: `1 April 2026`. */
export function longDay(day: Day): string {
  const { year, month, dayOfMonth } = parts(day)
  return `${dayOfMonth} ${MONTHS[month - 1]} ${year}`
}

function parts(day: Day) {
  const match = DAY.exec(day)
  assert(match, 'a stored day is YYYY-MM-DD')
  return { year: Number(match[1]), month: Number(match[2]), dayOfMonth: Number(match[3]) }
}

/** Day 0 of the next month is the last of this one. */
const daysInMonth = (year: number, month: number): number => new Date(Date.UTC(year, month, 0)).getUTCDate()

function format(year: number, month: number, day: number): Day {
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
}
