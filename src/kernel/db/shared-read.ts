import { openBatches } from './batches.ts'
import { type Database, statement } from './database.ts'

type Row = { n: number }

/** Reads for one call, whose values are in the order of the parameters. */
export type SharedRead<Found> = (db: Database, values: readonly unknown[]) => Promise<(Found & Row)[]>

type Forms = {
  name: string
  /** The values of a call, in order, as `name type` pairs. An array is sent as text: arrays of arrays are flattened. */
  parameters: string
  /** The statement, from where its calls come and the SQL expression of each parameter. It returns `c.n`, the call of a row. */
  text: (calls: string, ...parameters: string[]) => string
}

/**
 * A read that concurrent calls share, written once: for one call with plain parameters, and for many with an array a
 * parameter. Made when the module loads.
 */
export function sharedRead<Found>({ name, parameters, text }: Forms): SharedRead<Found> {
  const pairs = parameters.split(',').map((pair) => pair.trim().split(' ') as [string, string])
  const one = statement(name, text('(select 1 as n) c', ...pairs.map(([, type], index) => `$${index + 1}::${type}`)))
  const arrays = pairs.map(([, type], index) => `$${index + 1}::${type}[]`).join(', ')
  const many = statement(
    `${name}_many`,
    text(
      `unnest(${arrays}) with ordinality as c (${pairs.map(([column]) => column).join(', ')}, n)`,
      ...pairs.map(([column]) => `c.${column}`),
    ),
  )
  const shares = new WeakMap<Database, (values: readonly unknown[]) => Promise<(Found & Row)[]>>()
  return (db, values) => {
    const sendOne = (call: readonly unknown[]) => db.query<Found & Row>(one, call)
    // Nothing is gained by waiting then: only the pool limits how many run at once, as with any other statement.
    if (!db.sharing) return sendOne(values)
    let share = shares.get(db)
    const sendMany = (calls: (readonly unknown[])[]) => db.query<Found & Row>(many, columnsOf(calls))
    if (!share) shares.set(db, (share = openBatches(sendMany, sendOne, db.waiting)))
    return share(values)
  }
}

const columnsOf = (calls: (readonly unknown[])[]): unknown[][] =>
  (calls[0] ?? []).map((_, column) => calls.map((call) => call[column]))
