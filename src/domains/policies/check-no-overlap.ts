import type { Day } from '../../kernel/date.ts'
import { conflict } from '../../kernel/problem-error.ts'

/** The days of an open policy, from the start of its first term to the end of this one. */
export type Cover = { id: string; from: Day; to: Day }

/**
 * Holds the days that a policy is to cover against the user's other open ones of the plan. Throws 409 `already_exists`.
 */
export function checkNoOverlap(others: readonly Cover[], { from, to }: Omit<Cover, 'id'>): void {
  const existing_ids = others.filter((other) => other.from <= to && from <= other.to).map(({ id }) => id)
  if (existing_ids.length === 0) return
  throw conflict(`The user is enrolled in this plan already for days between ${from} and ${to}.`, {
    reason: 'already_exists',
    existing_ids,
  })
}
