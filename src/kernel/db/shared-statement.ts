import { openBatches } from './batches.ts'
import type { Database, Statement } from './database.ts'

/**
 * Lets concurrent calls of one read share a statement. It takes an array a parameter (`unnest … with ordinality`) and
 * returns `n`, the ordinality of the call a row belongs to. `one` is the same for a call that is alone, with plain
 * parameters.
 */
export function shareStatement<Call, Row extends { n: number }>(
  db: Database,
  step: Statement,
  toValues: (call: Call) => readonly unknown[],
  one?: Statement,
): (call: Call) => Promise<Row[]> {
  const send = (calls: Call[]) => db.query<Row>(step, columnsOf(calls.map(toValues)))
  const sendOne = (call: Call) => (one ? db.query<Row>(one, toValues(call)) : send([call]))
  // Nothing is gained by waiting then: only the pool limits how many run at once, as with any other statement.
  return db.sharing ? openBatches(send, sendOne) : sendOne
}

function columnsOf(rows: (readonly unknown[])[]): unknown[][] {
  return (rows[0] ?? []).map((_, column) => rows.map((row) => row[column]))
}
