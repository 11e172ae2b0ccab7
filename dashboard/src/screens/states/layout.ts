/** Places the states of a machine on a grid, by how many transitions they are away from the first. */
type Edge = { from: string; to: string }
export type Place = { state: string; column: number; row: number }

export function layout(states: readonly string[], initial: string, edges: readonly Edge[]): readonly Place[] {
  const columns = new Map([[initial, 0]])
  for (const state of columns.keys())
    for (const { to } of edges.filter(({ from }) => from === state))
      if (!columns.has(to)) columns.set(to, (columns.get(state) ?? 0) + 1)
  const rows: number[] = []
  return states
    .map((state) => ({ state, column: columns.get(state) ?? 0 }))
    .map(({ state, column }) => {
      const row = rows[column] ?? 0
      rows[column] = row + 1
      return { state, column, row }
    })
}
