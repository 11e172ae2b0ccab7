import type { Day } from '../../kernel/date.ts'
import { conflict } from '../../kernel/problem-error.ts'
import { hasEnded, type Term } from './states.ts'

/** An open policy, which covers the days from the start of its first term to the end of this one. */
export type Cover = Term & { id: string; from: Day }

type Days = { from: Day; to: Day; today: Day }

/**
 * Holds the days that a policy is to cover against the user's other open ones of the plan, as they are once the calendar has run.
 * Throws 409 `already_exists`.
 */
export function checkNoOverlap(others: readonly Cover[], { from, to, today }: Days): void {
  const existing_ids = others
    .filter((other) => other.from <= to && from <= other.endDate && !hasEnded(other, today))
    .map(({ id }) => id)
  if (existing_ids.length === 0) return
  throw conflict(`The user is enrolled in this plan already for days between ${from} and ${to}.`, {
    reason: 'already_exists',
    existing_ids,
  })
}
