import assert from 'node:assert/strict'
import { isoTime } from '../clock.ts'
import { type SendBatch, createBatches } from '../batching/batches.ts'
import { type Fields, type RowWith, text, typeList } from './columns.ts'
import { withoutCaller } from '../current-caller.ts'
import { type Database, type Statement, statement, type Step } from './database.ts'
import { callsText, checkNamed, NAME, numbered, toParameter, writeTexts, type WriteShape } from './write-shape.ts'

declare const checked: unique symbol

/** A row of a part, by column, with the types of its columns: only `rows` of the part makes one. */
type LinkedRow = Readonly<Record<string, unknown>> & { readonly [checked]: true }

/** The rows of the parts of a write, by part. */
export type LinkedRows = Readonly<Record<string, readonly LinkedRow[]>>

/**
 * Rows for another table, written in the same statement, and only if the write itself changed something. `text` reads its
 * rows `from r` (or `using r`) and joins `changed`. A part without columns has no rows: it reads the CTEs before it and the
 * values of the write.
 */
export type LinkedWrite = {
  readonly name: string
  readonly columns: Fields | null
  readonly text: string
  /** The text alongside the single-call variant, where it can identify the owner of the rows by a value of the write. */
  readonly single?: string
  /**
   * Sent for each row once the write is committed, with the values of the row: it changes what was committed while the
   * write waited for a lock, which no statement sees.
   */
  readonly afterwards?: Statement
}

/** A part with rows. */
type LinkedWriteOf<F extends Fields> = LinkedWrite & { readonly rows: (rows: readonly RowWith<F>[]) => LinkedRows }

/** The type of a row that is not complete in one place. */
export type LinkedRowOf<P extends LinkedWriteOf<never>> = Parameters<P['rows']>[0][number]

/** Creates a part whose rows have these columns: all of them, or it does not compile. */
export function linkedWrite<const F extends Fields>(
  fields: F,
  part: Pick<LinkedWrite, 'name' | 'text' | 'single' | 'afterwards'>,
): LinkedWriteOf<F> {
  const rows = (all: readonly RowWith<F>[]) => ({ [part.name]: all as unknown as readonly LinkedRow[] })
  const names = Object.values(fields).map(({ column }) => column)
  checkNamed(part.text, { statement: part.name, names }, (index) => `r.${names[index]}`)
  return { ...part, columns: fields, rows }
}

/**
 * Creates a part that inserts its rows in the order of their first column, so that two statements with the same keys of
 * a lookup table wait for each other in one order and cannot deadlock.
 */
export function linkedInsert<const F extends Fields>(table: string, fields: F, onConflict = ''): LinkedWriteOf<F> {
  const names = Object.values(fields).map(({ column }) => column)
  const text = `insert into ${table} (${names.join(', ')})
     select ${names.map((name) => `r.${name}`).join(', ')} from r join changed using (n) order by r.${names[0]} ${onConflict}`
  return linkedWrite(fields, { name: `into_${table}`, text })
}

/** Creates a part that deletes the rows of a table that have the value of its own row in a column. */
export const linkedDelete = <Name extends string>(name: string, table: string, column: Name) =>
  linkedWrite(
    { value: text(column) },
    { name, text: `delete from ${table} d using r join changed using (n) where d.${column} = r.${column}` },
  )

export type WriteText<F extends Fields> = WriteShape & {
  name: string
  /** The values of a call, by their columns; the texts name them as `:column`. */
  values: F
  /**
   * Locks rows before the write runs, in the same transaction and round trip, so that it sees everything that was
   * committed while it waited, in other tables too.
   */
  lock?: string
  /** The same on a cluster for a row that every node has a copy of: an update that changes nothing, because a lock holds one copy. */
  lockCopies?: string
  linked?: readonly LinkedWrite[]
  /** Columns of `changed` to return besides `n`. */
  returns?: string
}

/** The values of a call, by column. */
export type Values = Readonly<Record<string, unknown>>

/** A write as named prepared statements: for one call and for many. */
export type Write = {
  readonly name: string
  /** The columns of its values, in the order of the statement. */
  readonly names: readonly string[]
  readonly linked: readonly LinkedWrite[]
  /** The names of the parts with rows, each a parameter of the statement, in its order. */
  readonly withRows: readonly string[]
  /** The parts that send something afterwards. */
  readonly withAfterwards: readonly LinkedWrite[]
  readonly single: Statement
  readonly lock: Lock | undefined
  readonly lockCopies: Lock | undefined
  readonly batch: Statement | undefined
}

/** A lock, with the names of the values that it takes. */
type Lock = { statement: Statement; names: readonly string[] }

/** A write that takes values of these columns: all of them, or it does not compile. */
type WriteOf<F extends Fields> = Write & { readonly with: (values: RowWith<F>) => Pick<WriteCall, 'values'> }

/**
 * Combines a write and its parts into one statement, so that all of it is written or nothing. Rows of parts are sent as
 * one JSON parameter each: three quarters of the database's time for arrays, two fifths with several rows.
 */
export function writeStatement<const F extends Fields>({
  name,
  values,
  lock,
  lockCopies,
  linked = [],
  returns,
  ...shape
}: WriteText<F>): WriteOf<F> {
  const names = Object.values(values).map(({ column }) => column)
  const of = { statement: name, names }
  const { single, batch } = writeTexts(shape, of)
  assert(!batch || lock === undefined, 'a write with a lock has no shape for many calls')
  const result = `select ${['n', returns].filter(Boolean).join(', ')} from changed`
  const unbatched = linked.map((part) => ({ ...part, text: numbered(part.single ?? part.text, of) }))
  const changed = /^\s*\w+ as \(/.test(single) ? single : `changed as (${single})`
  const one = `with ${changed}${linkedText(unbatched, names.length)}\n${result}`
  checkNamed(one, of, toParameter)
  const many = batch === undefined ? undefined : `${batch}${linkedText(linked, 1)}\n${result}`
  if (many !== undefined) checkNamed(many, { ...of, statement: `${name}_many` }, (index) => `c.${names[index]}`)
  const createLock = (suffix: string, text: string | undefined) =>
    text === undefined ? undefined : lockStatement(`${name}_${suffix}`, text)
  return {
    name,
    names,
    linked,
    withRows: linked.flatMap((part) => (part.columns === null ? [] : [part.name])),
    withAfterwards: linked.filter(({ afterwards }) => afterwards !== undefined),
    lock: createLock('lock', lock),
    lockCopies: createLock('lock_copies', lockCopies),
    single: statement(name, one),
    batch: many === undefined ? undefined : statement(`${name}_many`, `with ${callsText(values)}, ${many}`),
    with: (of) => ({ values: of }),
  }
}

function lockStatement(name: string, text: string): Lock {
  const names = [...new Set([...text.matchAll(NAME)].map((match) => match[1] as string))]
  return { statement: statement(name, numbered(text, { statement: name, names })), names }
}

function linkedText(linked: readonly LinkedWrite[], before: number): string {
  let parameter = before
  return linked
    .map(({ name, columns, text }) => {
      if (columns === null) return `,\n ${name} as (${text})`
      const rows = `json_to_recordset($${++parameter}) as r (n int, ${typeList(columns)})`
      return `,\n ${name} as (${text.replace(/\b(from|using) r\b/, (_, word: string) => `${word} ${rows}`)})`
    })
    .join('')
}

/** One call of a write: its values, and the rows of its parts by part name. */
type WriteCall = { values: Values; rows: LinkedRows }

type Changed = { n: number }

/**
 * On a cluster: a read of all shards uses one connection, otherwise the write behind it in the transaction is rejected.
 */
const IN_SEQUENCE: Step = {
  statement: statement('cluster_in_sequence', `select set_config('citus.multi_shard_modify_mode', 'sequential', true)`),
  values: [],
}

const batchesOf = new WeakMap<Database, Map<Write, (call: WriteCall) => Promise<Changed[]>>>()

/**
 * Sends a write; returns no row when its guard found nothing to change. Concurrent calls share a statement when the
 * write has a shared variant, unless it is sent `alone`: the shared variant skips locked rows, only the single-call
 * variant waits.
 */
export async function sendWrite<Row extends Changed>(
  db: Database,
  write: Write,
  call: WriteCall,
  options: { unbatched?: boolean } = {},
): Promise<Row[]> {
  const changed = await sendStatement<Row>(db, write, call, options)
  if (changed.length > 0) for (const part of write.withAfterwards) await sendAfterwards(db, part, call.rows[part.name])
  return changed
}

async function sendAfterwards(
  db: Database,
  { afterwards, columns }: LinkedWrite,
  rows: readonly LinkedRow[] = [],
): Promise<void> {
  if (!afterwards || columns === null) return
  const names = Object.values(columns).map(({ column }) => column)
  for (const row of rows) {
    const values = names.map((name) => row[name])
    await db.query(afterwards, values)
  }
}

function sendStatement<Row extends Changed>(
  db: Database,
  write: Write,
  call: WriteCall,
  { unbatched = false }: { unbatched?: boolean },
): Promise<Row[]> {
  const { withRows } = write
  for (const name in call.rows)
    assert(!call.rows[name]?.length || withRows.includes(name), `${write.name} writes ${name}`)
  const sendOne = ({ values, rows }: WriteCall) => {
    const step = {
      statement: write.single,
      values: [...write.names.map((name) => values[name]), ...withRows.map((name) => encodeRows(rows[name], 1))],
    }
    if (!write.lock) return db.query<Row>(step.statement, step.values)
    const lockWith = ({ statement, names }: Lock) => ({ statement, values: names.map((name) => values[name]) })
    if (db.batching) return db.pipeline<Row>([lockWith(write.lock), step])
    return db.pipeline<Row>([IN_SEQUENCE, lockWith(write.lockCopies ?? write.lock), step])
  }
  if (!write.batch || !db.batching) return sendOne(call)
  // A batch of one is sent the same way: waiting for a hot row, it would hold the caller's share for its other requests.
  if (unbatched) return withoutCaller(() => sendOne(call))
  const batches = batchesOf.get(db) ?? new Map<Write, (call: WriteCall) => Promise<Changed[]>>()
  batchesOf.set(db, batches)
  let share = batches.get(write)
  if (!share) batches.set(write, (share = createBatches(sendBatch(db, write, write.batch), sendOne, db)))
  return share(call) as Promise<Row[]>
}

/** Sorted by their first values, so that two batches on the same rows lock them in the same order. */
function sendBatch(db: Database, { names, withRows }: Write, batch: Statement): SendBatch<WriteCall, Changed> {
  return (calls) => {
    const rows = calls.map(({ values }, index) => {
      const row: Record<string, unknown> = { n: index + 1 }
      for (const name of names) row[name] = plain(values[name])
      return row
    })
    const first = names[0] as string
    const sorted = rows.toSorted((a, b) => compare(a[first], b[first]))
    const linked = withRows.map((name) => {
      const all = calls.flatMap((call, index) => jsonRows(call.rows[name], index + 1))
      return all.length === 0 ? null : JSON.stringify(all)
    })
    return db.query(batch, [JSON.stringify(sorted), ...linked])
  }
}

const compare = (a: unknown, b: unknown) => (String(a) < String(b) ? -1 : 1)

const encodeRows = (rows: readonly LinkedRow[] | undefined, n: number): string | null =>
  rows === undefined || rows.length === 0 ? null : JSON.stringify(jsonRows(rows, n))

const jsonRows = (rows: readonly LinkedRow[] | undefined = [], n: number) =>
  rows.map((row) => {
    const copy: Record<string, unknown> = { n }
    for (const name in row) copy[name] = plain(row[name])
    return copy
  })

/**
 * Converts a value for JSON: a `bytea` becomes hexadecimal text. Left to `JSON.stringify`, times took three fifths of
 * serialising a row.
 */
function plain(value: unknown): unknown {
  if (typeof value !== 'object') return value
  if (value instanceof Date) return isoTime(value)
  return Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : value
}
