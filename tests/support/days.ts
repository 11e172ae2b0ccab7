import fc from 'fast-check'

const LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

const isLeapYear = (year: number) => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)

/** The length of a month, by the rule taught at school: nothing here uses the program or a `Date`. */
export const lengthOf = (year: number, month: number): number =>
  month === 2 && isLeapYear(year) ? 29 : (LENGTHS[month - 1] as number)

export const partsOf = (day: string) => day.split('-').map(Number) as [year: number, month: number, day: number]

export const dayOf = (year: number, month: number, day: number): string =>
  [String(year).padStart(4, '0'), String(month).padStart(2, '0'), String(day).padStart(2, '0')].join('-')

/** The next day of the calendar. */
export function tomorrowOf(text: string): string {
  const [year, month, day] = partsOf(text)
  if (day < lengthOf(year, month)) return dayOf(year, month, day + 1)
  return month < 12 ? dayOf(year, month + 1, 1) : dayOf(year + 1, 1, 1)
}

/** The previous day. */
export function yesterdayOf(text: string): string {
  const [year, month, day] = partsOf(text)
  if (day > 1) return dayOf(year, month, day - 1)
  return month > 1 ? dayOf(year, month - 1, lengthOf(year, month - 1)) : dayOf(year - 1, 12, 31)
}

/** All days from the first to the last. */
export function daysFrom(first: string, last: string): string[] {
  const days: string[] = []
  for (let day = first; day <= last; day = tomorrowOf(day)) days.push(day)
  return days
}

/** The same day this many months later; the last one of a month that does not have it. */
export function monthsLater(text: string, months: number): string {
  let [year, month, day] = partsOf(text)
  for (let count = 0; count < months; count++) [year, month] = month === 12 ? [year + 1, 1] : [year, month + 1]
  return dayOf(year, month, Math.min(day, lengthOf(year, month)))
}

/** Dates on which calendars go wrong: month and year ends, leap days, and those next to them. */
export const boundaryDay: fc.Arbitrary<string> = fc
  .record({
    year: fc.oneof(
      fc.constantFrom(1900, 1999, 2000, 2024, 2026, 2027, 2028, 2096, 2100),
      fc.integer({ min: 1900, max: 2200 }),
    ),
    month: fc.oneof(fc.constantFrom(1, 2, 3, 12), fc.integer({ min: 1, max: 12 })),
    back: fc.integer({ min: 0, max: 3 }),
    isEnd: fc.boolean(),
  })
  .map(({ year, month, back, isEnd }) => dayOf(year, month, isEnd ? lengthOf(year, month) - back : 1 + back))

/** The instant at which a day begins in India: 18:30 UTC of the previous day. */
export const midnightIn = (day: string): number => Date.parse(`${yesterdayOf(day)}T18:30:00Z`)
