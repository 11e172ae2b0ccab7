import { forbidden, invalidState } from './refusal.ts'

/** One arrow of a state table: from, to, and who may make it. */
export type Move<State extends string> = { from: State; to: State; who: readonly string[] }

/**
 * Finds the arrow from one state to another for this mover.
 * Refuses with 409 `invalid_state` when nobody but the program can make it, 403 when it is there for other callers only.
 */
export function findMove<State extends string, M extends Move<State>>(
  table: readonly M[],
  step: { from: State; to: State; who: string },
): M {
  const move = table.find((candidate) => candidate.from === step.from && candidate.to === step.to)
  if (!move || isOutOfReach(move, step.who)) {
    const allowed = table.filter((other) => other.from === step.from && other.who.includes(step.who)).map((m) => m.to)
    throw invalidState({ current: step.from, allowed })
  }
  if (!move.who.includes(step.who)) throw forbidden()
  return move
}

/** The program that acts by itself: jobs, the calendar, what follows from another change. */
const SYSTEM = 'system'

/** A move that only the program makes is, for everybody else, not in the table: no role would help. */
const isOutOfReach = (move: Move<string>, who: string) => who !== SYSTEM && move.who.every((other) => other === SYSTEM)
