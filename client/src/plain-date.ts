/**
 * A day of the calendar without time or zone, such as `2026-04-01`: births, and the first and last day of a term. It is
 * a string, so it can be compared and stored as it is, and no time zone moves it. A literal is accepted as it is;
 * `plainDate` checks text that comes from elsewhere.
 */
export type PlainDate = `${number}-${number}-${number}`

const FORMAT = /^(\d{4})-(\d{2})-(\d{2})$/

/** Returns the text as a date. Throws a `RangeError` unless it is a day that exists, written `YYYY-MM-DD`. */
export function plainDate(text: string): PlainDate {
  const [, year, month, day] = FORMAT.exec(text) ?? []
  const time = new Date(`${text}T00:00:00Z`)
  const exists = year !== undefined && time.getUTCMonth() + 1 === Number(month) && time.getUTCDate() === Number(day)
  if (!exists) throw new RangeError('A date is a day of the calendar, written YYYY-MM-DD')
  return text as PlainDate
}

/** Returns the day that it is at that time in that zone. Terms of policies are counted in the days of India. */
export function dayOf(time: Date, timeZone = 'Asia/Kolkata'): PlainDate {
  const parts = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' })
  return plainDate(parts.format(time))
}
