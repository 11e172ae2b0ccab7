type Edge = { from: string; to: string }
export type Place = { state: string; column: number; row: number }

/**
 * Places states on a grid: each as many columns from the first state as it takes transitions, and those where records
 * end at the end.
 */
export function layout(states: readonly string[], initial: string, edges: readonly Edge[]): readonly Place[] {
  const ends = states.filter((state) => state !== initial && isEnd(state, edges))
  const columns = new Map([[initial, 0]])
  for (const [state, column] of columns)
    for (const { from, to } of edges)
      if (from === state && !columns.has(to) && !ends.includes(to)) columns.set(to, column + 1)
  const last = Math.max(...columns.values()) + 1
  for (const state of states) if (!columns.has(state)) columns.set(state, last)
  const rows: number[] = []
  return states.map((state) => {
    const column = columns.get(state) ?? last
    const row = rows[column] ?? 0
    rows[column] = row + 1
    return { state, column, row }
  })
}

/** So many ways in, and one back, make a state an end. */
const MANY = 4

function isEnd(state: string, edges: readonly Edge[]): boolean {
  const out = edges.filter(({ from }) => from === state).length
  return out === 0 || (out === 1 && edges.filter(({ to }) => to === state).length >= MANY)
}
