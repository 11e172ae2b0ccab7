import assert from 'node:assert/strict'
import { compileRecord } from './compile-record.ts'
import type { WireTime } from './database.ts'
import type { Day } from '../date.ts'

/**
 * A column, its type in rows that are sent as JSON, and how its stored value is decoded: one of another type is an
 * internal error, a 500. `Written` is the type of its value in such a row.
 */
export type Column<Read, Written = Read, Name extends string = string> = {
  readonly column: Name
  readonly type: string
  readonly decode: (stored: unknown) => Read
  /** The SQL that selects it, when it is not just the name. */
  readonly select?: (alias: string) => string
  /** Never set: it carries the type. */
  readonly written?: Written
}

const of = <Read, Written = Read>(type: 'string' | 'number' | 'boolean', sqlType: string) => {
  const decode = (stored: unknown): Read => {
    assert(typeof stored === type, `a stored ${type} has its type`)
    return stored as Read
  }
  return <Name extends string>(column: Name): Column<Read, Written, Name> => ({ column, type: sqlType, decode })
}

export const text = of<string>('string', 'text')
/** Also for `bigint`: the driver checks that it is a safe integer. */
export const integer = of<number>('number', 'bigint')
export const flag = of<boolean>('boolean', 'boolean')
/** A `timestamptz` as sent on the wire; a Date is written. */
export const time = of<WireTime, Date>('string', 'timestamptz')
/** A `timestamptz` as a Date, for calculations. */
export const instant = (column: string): Column<Date> => ({
  column: `${column}_s`,
  type: 'timestamptz',
  select: (alias) => `extract(epoch from ${alias}.${column})::float8 as ${column}_s`,
  decode: (stored) => {
    assert(typeof stored === 'number', 'a stored time is a number')
    return new Date(stored * 1000)
  },
})
/** A `date`, `YYYY-MM-DD`. */
export const day = of<Day>('string', 'date')

export const bytes = <Name extends string>(column: Name): Column<Buffer, Buffer, Name> => ({
  column,
  type: 'bytea',
  decode: (stored) => {
    assert(Buffer.isBuffer(stored), 'a stored bytea is a buffer')
    return stored
  },
})

export const texts = <Name extends string>(column: Name): Column<string[], readonly string[], Name> => ({
  column,
  type: 'text[]',
  decode: (stored) => {
    assert(Array.isArray(stored), 'a stored array is an array')
    return stored as string[]
  },
})

/** A `jsonb`; not checked, because it was validated before it was written. */
export const json = <T, Name extends string = string>(column: Name): Column<T, T, Name> => ({
  column,
  type: 'jsonb',
  decode: (stored) => stored as T,
})

/** A column with its own decoder, such as `decodeUserId`. */
export const decoded = <T, Name extends string>(column: Name, decode: (stored: string) => T): Column<T, T, Name> => ({
  column,
  type: 'text',
  decode: decode as (stored: unknown) => T,
})

/** Returns a decoder that checks that a stored word is in its list. */
export function createDecoder<const T extends string>(values: readonly T[], what: string): (stored: string) => T {
  const known = new Set<string>(values)
  return (stored) => {
    assert(known.has(stored), `a stored ${what} is in its list`)
    return stored as T
  }
}

/** A column that holds one of a list of words. */
export const oneOf = <const T extends string, Name extends string>(
  column: Name,
  values: readonly T[],
): Column<T, T, Name> => decoded(column, createDecoder(values, column))

/** A column with a list of these words. */
export function someOf<const T extends string, Name extends string>(
  column: Name,
  values: readonly T[],
): Column<T[], readonly T[], Name> {
  const decode = createDecoder(values, column)
  return { column, type: 'text[]', decode: (stored) => texts(column).decode(stored).map(decode) }
}

export const nullable = <Read, Written, Name extends string>({
  decode,
  ...column
}: Column<Read, Written, Name>): Column<Read | null, Written | null | undefined, Name> => ({
  ...column,
  decode: (stored) => (stored === null ? null : decode(stored)),
})

export type Fields = Readonly<Record<string, Column<unknown>>>
type RecordWith<F extends Fields> = { [Name in keyof F]: ReturnType<F[Name]['decode']> }

type Written<C> = C extends Column<unknown, infer W> ? W : never
/** A row to write, by column. */
export type RowWith<F extends Fields> = { readonly [Name in keyof F as F[Name]['column']]: Written<F[Name]> }

/** The columns as `name type` pairs, for `json_to_recordset`. */
export const typeList = (fields: Fields): string =>
  Object.values(fields)
    .map(({ column, type }) => `${column} ${type}`)
    .join(', ')

export type RecordOf<C extends { decode: (row: never) => unknown }> = ReturnType<C['decode']>

/**
 * Defines the columns of a table once: `list` for a statement, `decode` for its rows, and `RecordOf` for the type.
 * `alias` is the table's alias in the statements; the SQL itself is written by hand. `row` is the reverse of `decode`,
 * for a record sent to the database as JSON, and `names` are its columns. `setAllBut` is the text of an update from such
 * a record, so that it forgets no column.
 */
export function columns<const F extends Fields>(alias: string, fields: F) {
  const all = Object.entries(fields)
  const decoders = Object.fromEntries(all.map(([, { decode }], index) => [`decode${index}`, decode]))
  const memberOf = (name: string) => `from[${JSON.stringify(name)}]`
  return {
    fields,
    list: all.map(([, { column, select }]) => select?.(alias) ?? `${alias}.${column}`).join(', '),
    names: all.map(([, { column }]) => column).join(', '),
    setAllBut: (fixed: readonly (keyof F)[], row: string) =>
      all.flatMap(([name, { column }]) => (fixed.includes(name) ? [] : [`${column} = ${row}.${column}`])).join(', '),
    decode: compileRecord(
      all.map(([name, { column }], index) => [name, `decode${index}(${memberOf(column)})`]),
      decoders,
    ) as (row: object) => RecordWith<F>,
    row: compileRecord(all.map(([name, { column }]) => [column, memberOf(name)])) as (
      record: RecordWith<F>,
    ) => Record<string, unknown>,
  }
}
