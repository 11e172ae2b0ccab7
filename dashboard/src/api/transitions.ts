import type { Role } from './roles.ts'

/** What people read of a transition: the button, and what follows. */
type Words = {
  label: string
  effect: string
  isDangerous?: true
  needsReason?: true
  /** Nothing that the state waits for: its button is not the main one. */
  isExceptional?: true
}

type Row = { from: string; to: string; who: readonly Role[]; needsReason?: boolean }

/** The transition of a row, as the key of its words. */
type StepOf<R> = R extends { from: infer From extends string; to: infer To extends string } ? `${From} → ${To}` : never

export type Transition<State extends string = string> = Words & {
  from: State
  to: State
  who: readonly Role[]
  needsReason?: boolean
}

/** Returns those out of a state that the role may make. */
export const transitionsOut = <State extends string>(
  transitions: readonly Transition<State>[],
  status: string,
  role: Role,
): readonly Transition<State>[] => transitions.filter(({ from, who }) => from === status && who.includes(role))

/**
 * Returns the transitions of a generated table with their words, in the order of these; a transition without words does
 * not compile.
 */
export function described<const R extends Row>(
  rows: readonly R[],
  words: Readonly<Record<StepOf<R>, Words>>,
): readonly Transition<R['from' | 'to']>[] {
  const order = Object.keys(words)
  return rows
    .map((row) => ({ row, step: `${row.from} → ${row.to}` as StepOf<R> }))
    .toSorted((one, other) => order.indexOf(one.step) - order.indexOf(other.step))
    .map(({ row, step }) => ({ ...row, ...words[step] }))
}
