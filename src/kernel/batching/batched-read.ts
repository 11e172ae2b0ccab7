import { createBatches } from './batches.ts'
import { type Database, statement } from '../db/database.ts'
import { checkNamed, toParameter } from '../db/write-shape.ts'

type Row = { n: number }

/** Reads for one call; the values are in the order of the parameters. */
type SharedRead<Found> = (db: Database, values: readonly unknown[]) => Promise<(Found & Row)[]>

/** The type of a parameter that is an array. */
const WORDS = 'text[]'

type SharedReadText = {
  name: string
  /**
   * The values of a call, in order, as `name type` pairs. The value of a `text[]` is an array of strings or null.
   */
  parameters: string
  /**
   * Returns the statement, given the source of the calls and the SQL expression of each parameter. It must return
   * `c.n`, the call of a row.
   */
  text: (calls: string, ...parameters: string[]) => string
}

/**
 * Creates a read that concurrent calls share, from one SQL text: with plain parameters for a single call, and with one
 * array per parameter for many. Called when the module loads.
 */
export function batchedRead<Found>({ name, parameters, text }: SharedReadText): SharedRead<Found> {
  const pairs = parameters.split(',').map((pair) => pair.trim().split(' ') as [string, string])
  const unbatched = text('(select 1 as n) c', ...pairs.map(([, type], index) => `${toParameter(index)}::${type}`))
  const names = pairs.map(([column]) => column)
  checkNamed(unbatched, { statement: name, names }, toParameter)
  const one = statement(name, unbatched)
  // An array of arrays would be flattened, so one of each call is sent as its literal.
  const arrays = pairs.map(([, type], index) => `$${index + 1}::${type === WORDS ? 'text' : type}[]`).join(', ')
  const many = statement(
    `${name}_many`,
    text(
      `unnest(${arrays}) with ordinality as c (${names.join(', ')}, n)`,
      ...pairs.map(([column, type]) => (type === WORDS ? `c.${column}::${WORDS}` : `c.${column}`)),
    ),
  )
  const shares = new WeakMap<Database, (values: readonly unknown[]) => Promise<(Found & Row)[]>>()
  return (db, values) => {
    const sendOne = (call: readonly unknown[]) => db.query<Found & Row>(one, call)
    // Batching gains nothing then; the pool alone limits how many statements run at once.
    if (!db.batching) return sendOne(values)
    let share = shares.get(db)
    const sendMany = (calls: (readonly unknown[])[]) => db.query<Found & Row>(many, transpose(calls))
    if (!share) shares.set(db, (share = createBatches(sendMany, sendOne, db)))
    return share(values)
  }
}

/** Returns PostgreSQL's text of an array, such as `{"ISSUED","a, \\"b\\""}`. */
const arrayLiteral = (texts: readonly string[]): string =>
  `{${texts.map((word) => `"${word.replaceAll(/["\\]/gu, '\\$&')}"`).join(',')}}`

const sent = (value: unknown): unknown => (Array.isArray(value) ? arrayLiteral(value as string[]) : value)

const transpose = (calls: (readonly unknown[])[]): unknown[][] =>
  (calls[0] ?? []).map((_, column) => calls.map((call) => sent(call[column])))
