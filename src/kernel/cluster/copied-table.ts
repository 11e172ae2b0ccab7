import pg from 'pg'
import { SCHEMA } from '../db/session.ts'
import type { Placements } from './placement.ts'

/** A table as it is copied: in the order of its key. */
export type CopiedTable = {
  /** With its schema. */
  name: string
  key: Column[]
  /** Without those that the database computes. */
  columns: Column[]
  /** A column whose values the database counts; they are kept. */
  identity: string | null
  /** SQL: which rows; all when it is `true`. */
  where: string
}

type Column = { name: string; type: string }

/** What processes agree by; the processes have stopped. Each database knows its own migrations and versions. */
const LEFT_BEHIND = new Set(['migrations', 'program_versions', 'processes', 'workers', 'leases'])

/** Jobs that are done are kept for looking at only. */
const UNFINISHED_JOBS = { name: 'pgboss.job', where: `state < 'completed'`, key: null }

const DESCRIBE = `
  select a.attname as name, format_type(a.atttypid, null) as type, a.attidentity <> '' as "isIdentity",
         coalesce(array_position(i.indkey::int2[], a.attnum), array_position($2::text[], a.attname::text)) as "keyPlace"
    from pg_attribute a
    left join pg_index i on i.indrelid = a.attrelid and i.indisprimary
   where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
   order by a.attnum`

type Described = Column & { isIdentity: boolean; keyPlace: number | null }

/** Returns the tables to copy, referenced tables first. */
export async function findCopiedTables(client: pg.Client, placements: Placements): Promise<CopiedTable[]> {
  const tables = [...placements]
    .filter(([table]) => !LEFT_BEHIND.has(table))
    .map(([table, { key = null }]) => ({ name: `${SCHEMA}.${table}`, where: 'true', key }))
  const copied: CopiedTable[] = []
  for (const { key: ownKey, ...table } of [...tables, UNFINISHED_JOBS]) {
    const { rows } = await client.query<Described>(DESCRIBE, [table.name, ownKey])
    const columns = rows.map(({ name, type }) => ({ name, type }))
    const inKey = rows.filter(({ keyPlace }) => keyPlace !== null)
    const key = inKey.toSorted((one, other) => Number(one.keyPlace) - Number(other.keyPlace))
    const identity = rows.find(({ isIdentity }) => isIdentity)?.name ?? null
    copied.push({ ...table, columns, identity, key: key.map(({ name, type }) => ({ name, type })) })
  }
  return copied
}

/** A key as text, to go on from. */
export type Position = string[]

/** The SQL condition for the rows after one position and up to another; without an end, all that are left. Pure. */
const between = ({ key, where }: CopiedTable, from: Position | null, to?: Position): string => {
  const names = `(${key.map(({ name }) => name).join(', ')})`
  const values = (position: Position) =>
    `(${key.map(({ type }, index) => `${pg.escapeLiteral(position[index] ?? '')}::${type}`).join(', ')})`
  return [where, from && `${names} > ${values(from)}`, to && `${names} <= ${values(to)}`].filter(Boolean).join(' and ')
}

/** The SQL that finds where a batch of so many rows ends; no row when fewer are left. Pure. */
export function endText(table: CopiedTable, from: Position | null, rows: number): string {
  const names = table.key.map(({ name }) => name)
  return `select array[${names.map((name) => `r.${name}::text`).join(', ')}] as key
            from (select ${names.join(', ')} from ${table.name} where ${between(table, from)}
                   order by ${names.join(', ')} offset ${rows - 1} limit 1) r`
}

/** The SQL of the rows of a batch. Pure. */
export const batchText = (table: CopiedTable, from: Position | null, to?: Position): string =>
  `select ${columnNames(table)} from ${table.name} where ${between(table, from, to)}`

/** Where they go, for `copy`. Pure. */
export const intoText = (table: CopiedTable): string => `${table.name} (${columnNames(table)})`

const columnNames = ({ columns }: CopiedTable) => columns.map(({ name }) => name).join(', ')

/** Each node of a cluster has its own time zone and formats, in which the others are written as text. */
const AS_TEXT: Record<string, (column: string) => string> = {
  'timestamp with time zone': (column) => `extract(epoch from ${column} at time zone 'UTC')`,
  date: (column) => `${column} - date '2000-01-01'`,
  interval: (column) => `extract(epoch from ${column})`,
  bytea: (column) => `encode(${column}, 'hex')`,
}

/** The SQL of the number of rows and a sum over their contents, the same for the same rows in whatever order. Pure. */
export function sumText({ name, columns, where }: CopiedTable): string {
  const parts = columns.map(({ name: column, type }) => AS_TEXT[type]?.(column) ?? column)
  const digest = `('x' || left(md5(row(${parts.join(', ')})::text), 15))::bit(60)::bigint`
  return `select count(*)::text as count, coalesce(sum(${digest}), 0)::text as sum from ${name} where ${where}`
}
