import assert from 'node:assert/strict'
import { type Fields, typeList } from './columns.ts'

/** A write by hand; `:name` is a value of the call. */
type ByHand = {
  /** For one call; ends with `returning 1 as n`, or lists CTEs that end with `changed`. No row: nothing is written. */
  single: string
  /** For many calls at once: CTEs that read `calls` and end with `changed`, which returns the `n` of each that changed something. */
  batch?: string
}

/** An update of one row, guarded by what was read. */
type GuardedUpdate = {
  /** The table and its alias, as in `wallets w`. */
  update: string
  set: string
  /** What `set` reads besides the values: SQL with an alias, evaluated for the call. */
  from?: string
  /** Finds the row. */
  key: string
  /** True while the row is as it was read. */
  guard: string
  /** Whether concurrent calls share a statement; it skips locked rows. */
  batched?: boolean
}

/** An insert of one row. */
type Insert = {
  insert: string
  /** The columns, separated by commas: `name` takes the value of that name, `name = text` any SQL. */
  columns: string
  onConflict?: string
  /** A unique column that tells apart the rows of concurrent calls, where they share a statement. */
  batchKey?: string
}

export type WriteShape = ByHand | GuardedUpdate | Insert

/** A write with its values in place of the names: `$1`, `$2` … for one call, columns of `calls c` for many. */
type WriteTexts = { single: string; batch: string | undefined }

/** A value of the call in a text; `::type` is none. */
export const NAME = /(?<!:):([a-z]\w*)/g

/** The values of a statement, by name and in their order, with the name of the statement for errors. */
type NamedValues = { readonly statement: string; readonly names: readonly string[] }

/** Puts `$1`, `$2` … in place of `:name`, in the order of the names. */
export const numbered = (text: string, of: NamedValues): string => named(text, of, (_, index) => toParameter(index))

/** Fails where a text names one of its values nowhere: the database would not know the type of a parameter, a column would be lost. */
export function checkNamed(text: string, { statement, names }: NamedValues, valueOf: (index: number) => string): void {
  const words = new Set(text.match(/(\$|\b[a-z]\w*\.)\w+/g))
  for (const [index, name] of names.entries())
    assert(words.has(valueOf(index)), `the statement ${statement} names its value ${name} nowhere`)
}

export const toParameter = (index: number): string => `$${index + 1}`

/** Puts values in place of `:name`; one that the write does not have is an error. */
function named(
  text: string,
  { statement, names }: NamedValues,
  valueOf: (name: string, index: number) => string,
): string {
  return text.replace(NAME, (_, name: string) => {
    const index = names.indexOf(name)
    assert(index >= 0, `the statement ${statement} has no value ${name}`)
    return valueOf(name, index)
  })
}

/** Returns the statement of one call, and of many where the shape has one. */
export function writeTexts(shape: WriteShape, of: NamedValues): WriteTexts {
  const batched = (text: string) => named(text, of, (name) => `c.${name}`)
  if ('single' in shape)
    return { single: numbered(shape.single, of), batch: shape.batch === undefined ? undefined : batched(shape.batch) }
  const { single, batch } = 'update' in shape ? updateTexts(shape) : insertTexts(shape, of.names)
  return { single: numbered(single, of), batch: batch && batched(batch) }
}

function updateTexts({ update, set, from, key, guard, batched }: GuardedUpdate) {
  const alias = update.split(' ')[1]
  const batch = `locked as (
       select c.n
         from calls c
         join ${update} on ${key} and ${guard}
          for no key update of ${alias} skip locked
     ), changed as (
       update ${update}
          set ${set}
         from calls c
         join locked h on h.n = c.n${from ? `\n        cross join lateral ${from}` : ''}
        where ${key}
       returning c.n)`
  const single = `update ${update}
           set ${set}${from ? `\n          from ${from}` : ''}
         where ${key} and ${guard}
        returning 1 as n`
  return { single, batch: batched ? batch : undefined }
}

function insertTexts({ insert, columns, onConflict = '', batchKey }: Insert, [first]: readonly string[]) {
  const pairs = columns.split(/,\s*(?![^(]*\))/).map((column) => column.trim().split(/\s*=\s*/, 2))
  const into = `insert into ${insert} (${pairs.map(([name]) => name).join(', ')})`
  const list = pairs.map(([name, sql]) => sql ?? `:${name}`).join(', ')
  const single = `${into}
        values (${list})
        ${onConflict}
        returning 1 as n`
  const batch = `inserted as (
       ${into}
       select ${list}
         from calls c
        order by c.${first}
        ${onConflict}
       returning ${batchKey}
     ), changed as (select c.n from calls c join inserted using (${batchKey}))`
  return { single, batch: batchKey === undefined ? undefined : batch }
}

/** The calls of a shared statement, with the columns of their values. */
export const callsText = (values: Fields): string =>
  `calls as (select n, ${Object.values(values)
    .map(({ column }) => column)
    .join(', ')} from json_to_recordset($1) as c (n int, ${typeList(values)}))`
