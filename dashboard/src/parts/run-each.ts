import { textOf } from '../api/problem.ts'

/** So many at a time: quick, and far from any limit. */
const AT_A_TIME = 4

/** What became of one row. */
export type Outcome = { id: string; problem?: string; error?: Error }

/** Does something with each row by itself, and reports each; one that fails stops no other. */
export async function runEach<Row>(
  rows: readonly Row[],
  { idOf, act, report }: { idOf: (row: Row) => string; act: (row: Row) => Promise<unknown>; report: Report },
): Promise<void> {
  const waiting = [...rows]
  const work = async () => {
    for (let row = waiting.shift(); row !== undefined; row = waiting.shift()) {
      const id = idOf(row)
      report(
        await act(row).then(
          () => ({ id }),
          (error: Error) => ({ id, problem: textOf(error), error }),
        ),
      )
    }
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, work))
}

type Report = (outcome: Outcome) => void
