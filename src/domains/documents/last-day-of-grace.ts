import { addDays, type Day } from '../../kernel/date.ts'

/**
 * Returns the last day of a grace period; `from` is the day before it begins, such as the end of a term. What is printed and
 * what the calendar does come from here, so that a certificate cannot promise another day.
 */
export const lastDayOfGrace = (from: Day, graceDays: number): Day => addDays(from, graceDays)
