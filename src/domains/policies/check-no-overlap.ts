import type { Day } from '../../kernel/date.ts'
import { conflict } from '../../kernel/problem-error.ts'

/** The days an open policy covers, from the start of its first term to the end of the current one. */
export type Cover = { id: string; from: Day; to: Day }

/** Throws 409 `already_exists` when the days overlap those of the user's other open policies in the plan. */
export function checkNoOverlap(others: readonly Cover[], { from, to }: Omit<Cover, 'id'>): void {
  const existing_ids = others.filter((other) => other.from <= to && from <= other.to).map(({ id }) => id)
  if (existing_ids.length === 0) return
  throw conflict(`The user is already enrolled in this plan for days between ${from} and ${to}.`, {
    reason: 'already_exists',
    existing_ids,
  })
}
