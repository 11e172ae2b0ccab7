import type { Day } from '../../../kernel/date.ts'
import { alreadyExists, type ProblemError } from '../../../kernel/problem-error.ts'
import { hasEnded, type Term } from './states.ts'

/** An open policy, which covers the days from the start of its first term to the end of the current one. */
export type Cover = Term & { id: string; from: Day }

type Days = { from: Day; to: Day; today: Day }

/**
 * Returns 409 `already_exists` when the days overlap those of the user's other open policies in the plan as of today,
 * with overdue transitions applied.
 */
export function overlapOf(others: readonly Cover[], { from, to, today }: Days): ProblemError | undefined {
  const existing = others
    .filter((other) => other.from <= to && from <= other.endDate && !hasEnded(other, today))
    .map(({ id }) => id)
  if (existing.length === 0) return undefined
  return alreadyExists(`The user is already enrolled in this plan for days between ${from} and ${to}.`, existing)
}
