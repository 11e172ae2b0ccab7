import assert from 'node:assert/strict'
import { compileRecord } from './compile-record.ts'
import type { WireTime } from './database.ts'
import { decoderOf } from './decode.ts'
import type { Day } from '../date.ts'

/** A column and how its stored value is decoded. A value of another type is an internal error, a 500. */
export type Column<T> = {
  readonly column: string
  readonly decode: (stored: unknown) => T
  /** The SQL that selects it, when it is not just the name. */
  readonly select?: (alias: string) => string
}

const of = <T>(type: 'string' | 'number' | 'boolean') => {
  const decode = (stored: unknown): T => {
    assert(typeof stored === type, `a stored ${type} has its type`)
    return stored as T
  }
  return (column: string): Column<T> => ({ column, decode })
}

export const text = of<string>('string')
/** Also for `bigint`: the driver checks that it is a safe integer. */
export const integer = of<number>('number')
export const flag = of<boolean>('boolean')
/** A `timestamptz` as sent on the wire. */
export const time = of<WireTime>('string')
/** A `timestamptz` as a Date, for calculations. */
export const instant = (column: string): Column<Date> => ({
  column: `${column}_s`,
  select: (alias) => `extract(epoch from ${alias}.${column})::float8 as ${column}_s`,
  decode: (stored) => {
    assert(typeof stored === 'number', 'a stored time is a number')
    return new Date(stored * 1000)
  },
})
/** A `date`, `YYYY-MM-DD`. */
export const day = of<Day>('string')

export const bytes = (column: string): Column<Buffer> => ({
  column,
  decode: (stored) => {
    assert(Buffer.isBuffer(stored), 'a stored bytea is a buffer')
    return stored
  },
})

export const texts = (column: string): Column<string[]> => ({
  column,
  decode: (stored) => {
    assert(Array.isArray(stored), 'a stored array is an array')
    return stored as string[]
  },
})

/** A `jsonb`; not checked, because it was validated before it was written. */
export const json = <T>(column: string): Column<T> => ({ column, decode: (stored) => stored as T })

/** A column with its own decoder, such as `decodeUserId`. */
export const decoded = <T>(column: string, decode: (stored: string) => T): Column<T> => ({
  column,
  decode: decode as (stored: unknown) => T,
})

/** A column that holds one of a list of words. */
export const oneOf = <const T extends string>(column: string, words: readonly T[]): Column<T> =>
  decoded(column, decoderOf(words, column))

export const nullable = <T>({ decode, ...column }: Column<T>): Column<T | null> => ({
  ...column,
  decode: (stored) => (stored === null ? null : decode(stored)),
})

type Fields = Record<string, Column<unknown>>
type RecordWith<F extends Fields> = { [Name in keyof F]: ReturnType<F[Name]['decode']> }

/** The type of the decoded records. */
export type RecordOf<C extends { decode: (row: never) => unknown }> = ReturnType<C['decode']>

/**
 * Defines the columns of a table once: `list` for a statement, `decode` for its rows, and `RecordOf` for the type.
 * `alias` is the table's alias in the statements; the SQL itself is written by hand. `row` is the reverse of `decode`,
 * for a record sent to the database as JSON, and `names` are its columns.
 */
export function columns<const F extends Fields>(alias: string, fields: F) {
  const all = Object.entries(fields)
  const decoders = Object.fromEntries(all.map(([, { decode }], index) => [`decode${index}`, decode]))
  const memberOf = (name: string) => `from[${JSON.stringify(name)}]`
  return {
    list: all.map(([, { column, select }]) => select?.(alias) ?? `${alias}.${column}`).join(', '),
    names: all.map(([, { column }]) => column).join(', '),
    decode: compileRecord(
      all.map(([name, { column }], index) => [name, `decode${index}(${memberOf(column)})`]),
      decoders,
    ) as (row: object) => RecordWith<F>,
    row: compileRecord(all.map(([name, { column }]) => [column, memberOf(name)])) as (
      record: RecordWith<F>,
    ) => Record<string, unknown>,
  }
}
