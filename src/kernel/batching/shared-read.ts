import { createBatches } from './batches.ts'
import { type Database, statement } from '../db/database.ts'

type Row = { n: number }

/** Reads for one call; the values are in the order of the parameters. */
type SharedRead<Found> = (db: Database, values: readonly unknown[]) => Promise<(Found & Row)[]>

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
export function sharedRead<Found>({ name, parameters, text }: SharedReadText): SharedRead<Found> {
  const pairs = parameters.split(',').map((pair) => pair.trim().split(' ') as [string, string])
  const one = statement(
    name,
    text('(select 1 as n) c', ...pairs.map(([, type], index) => received(`$${index + 1}::${sentAs(type)}`, type))),
  )
  const arrays = pairs.map(([, type], index) => `$${index + 1}::${sentAs(type)}[]`).join(', ')
  const many = statement(
    `${name}_many`,
    text(
      `unnest(${arrays}) with ordinality as c (${pairs.map(([column]) => column).join(', ')}, n)`,
      ...pairs.map(([column, type]) => received(`c.${column}`, type)),
    ),
  )
  const shares = new WeakMap<Database, (values: readonly unknown[]) => Promise<(Found & Row)[]>>()
  return (db, given) => {
    const values = given.map((value) => (Array.isArray(value) ? arrayLiteral(value as string[]) : value))
    const sendOne = (call: readonly unknown[]) => db.query<Found & Row>(one, call)
    // Batching gains nothing then; the pool alone limits how many statements run at once.
    if (!db.sharing) return sendOne(values)
    let share = shares.get(db)
    const sendMany = (calls: (readonly unknown[])[]) => db.query<Found & Row>(many, columnsOf(calls))
    if (!share) shares.set(db, (share = createBatches(sendMany, sendOne, db)))
    return share(values)
  }
}

const isArray = (type: string): boolean => type === 'text[]'

/** The type that a value is sent as: an array as its literal, because an array of arrays would be flattened. */
const sentAs = (type: string): string => (isArray(type) ? 'text' : type)

const received = (sql: string, type: string): string => (isArray(type) ? `${sql}::${type}` : sql)

/** Returns PostgreSQL's text of an array, such as `{"ISSUED","a, \\"b\\""}`. */
const arrayLiteral = (words: readonly string[]): string =>
  `{${words.map((word) => `"${word.replaceAll(/["\\]/gu, '\\$&')}"`).join(',')}}`

const columnsOf = (calls: (readonly unknown[])[]): unknown[][] =>
  (calls[0] ?? []).map((_, column) => calls.map((call) => call[column]))
