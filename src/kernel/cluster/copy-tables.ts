import type pg from 'pg'
import { StartError } from '../start-error.ts'
import { FOREIGN_KEYS, inSequence } from './cluster.ts'
import { SCHEMA } from '../db/session.ts'
import { inTransaction } from '../db/in-transaction.ts'
import { COPYING, type StoredTables } from '../db/migrate.ts'
import { copyRows } from './copy-rows.ts'
import {
  batchText,
  endText,
  findCopiedTables,
  intoText,
  type CopiedTable,
  type Position,
  sumText,
} from './copied-table.ts'
import type { ForeignKey } from './placement.ts'

/** Few enough to be held in memory, many enough that a round trip does not count. */
const ROWS_PER_BATCH = 10_000
const ROWS_PER_REPORT = 100_000

/** In the target while rows are copied there, and how far they are. */
const PROGRESS = `${SCHEMA}.copying`

/** Has a row in a new database. */
const WRITTEN_BY_MIGRATION = `${SCHEMA}.relays`

type Copying = {
  /** Holds a transaction in which nobody else writes. */
  source: pg.Client
  target: pg.Client
  tables: StoredTables
  /** Called with a sentence. */
  report: (sentence: string) => void
  /** Called with the number of rows copied by this call, and with about how many it will copy, where that is known. */
  onProgress: (done: number, all: number | undefined) => void
}

export type CopiedCount = { table: string; rows: number }

/**
 * Copies all rows of the source to the migrated target, in batches, each with the progress so far: if it is stopped, the next call
 * continues from there. Foreign keys are added again once every table has the same number of rows and the same sum as in the source.
 * Throws `StartError` when the target has other rows, or when a table differs at the end.
 */
export async function copyTables(copying: Copying): Promise<CopiedCount[]> {
  const { source, target } = copying
  const { placements, continueLogs } = copying.tables
  const tables = await findCopiedTables(source, placements)
  await begin(copying, tables)
  const all = await estimateRows(copying, tables)
  let done = 0
  for (const table of tables) await copyTable(copying, table, (rows) => copying.onProgress((done += rows), all))
  const counts: CopiedCount[] = []
  for (const table of tables) counts.push({ table: table.name, rows: await compare(copying, table) })
  for (const table of tables) await continueCounting(target, table)
  await continueLogs(target)
  await addForeignKeys(copying)
  await inSequence(target, [`delete from migrations where name = '${COPYING}'`, `drop table ${PROGRESS}`])
  return counts
}

/** Prepares the target: it must be empty, and foreign keys, which would require an order of the rows, are dropped. */
async function begin({ target, report }: Copying, tables: readonly CopiedTable[]): Promise<void> {
  const { rows } = await target.query<{ found: string | null }>(`select to_regclass('${PROGRESS}')::text as found`)
  if (typeof rows[0]?.found === 'string') return report('Continuing where the last call stopped.')
  for (const { name, where } of tables) {
    if (name === WRITTEN_BY_MIGRATION) continue
    const { rowCount } = await target.query(`select 1 from ${name} where ${where} limit 1`)
    if (rowCount !== 0)
      throw new StartError(`The table ${name} of the cluster already has rows; use an empty database.`)
  }
  const { rows: keys } = await target.query<ForeignKey>(FOREIGN_KEYS)
  await inSequence(target, [
    ...keys.map(({ table, name }) => `alter table ${table} drop constraint ${name}`),
    `delete from ${WRITTEN_BY_MIGRATION}`,
    `insert into migrations (name, checksum) values ('${COPYING}', '')`,
    `create table ${PROGRESS} (table_name text primary key, position text[], rows bigint not null, is_done boolean not null)`,
  ])
}

/** By the statistics of the server, less what earlier calls copied: to count would read every table once more. */
async function estimateRows({ source, target }: Copying, tables: readonly CopiedTable[]): Promise<number | undefined> {
  const { rows } = await source.query<{ all: number }>(
    'select sum(greatest(reltuples, 0))::float8 as "all" from pg_class where oid = any ($1::text[]::regclass[])',
    [tables.map(({ name }) => name)],
  )
  const copied = await target.query<{ rows: number }>(`select sum(rows)::float8 as rows from ${PROGRESS}`)
  const left = (rows[0]?.all ?? 0) - (copied.rows[0]?.rows ?? 0)
  return left > 0 ? left : undefined
}

async function copyTable(
  { source, target, report }: Copying,
  table: CopiedTable,
  count: (rows: number) => void,
): Promise<void> {
  const into = intoText(table)
  let { position, rows: done, isDone } = await findProgress(target, table)
  while (!isDone) {
    const { rows } = await source.query<{ key: Position }>(endText(table, position, ROWS_PER_BATCH))
    const end = rows[0]?.key
    const query = batchText(table, position, end)
    const added = await inTransaction(target, async () => {
      const copied = await copyRows({ source, target, query, into })
      await target.query(
        `insert into ${PROGRESS} values ($1, $2, $3, $4) on conflict (table_name)
             do update set position = excluded.position, rows = excluded.rows, is_done = excluded.is_done`,
        [table.name, end ?? position, done + copied, end === undefined],
      )
      return copied
    })
    done += added
    count(added)
    position = end ?? position
    isDone = end === undefined
    if (isDone || done % ROWS_PER_REPORT === 0) report(`${table.name}: ${done} rows copied`)
  }
}

type Progress = { position: Position | null; rows: number; isDone: boolean }

async function findProgress(target: pg.Client, { name }: CopiedTable): Promise<Progress> {
  const { rows } = await target.query<Progress>(
    `select position, rows::float8 as rows, is_done as "isDone" from ${PROGRESS} where table_name = $1`,
    [name],
  )
  return rows[0] ?? { position: null, rows: 0, isDone: false }
}

async function compare({ source, target, report }: Copying, table: CopiedTable): Promise<number> {
  type Sum = { count: string; sum: string }
  const [here, there] = await Promise.all([source, target].map((client) => client.query<Sum>(sumText(table))))
  const [from, to] = [here?.rows[0], there?.rows[0]]
  if (!from || from.count !== to?.count || from.sum !== to.sum) {
    throw new StartError(
      `The rows of ${table.name} differ (source ${from?.count}, cluster ${to?.count}). Something was written during the copy. Empty the cluster's database and run the command again.`,
    )
  }
  report(`${table.name}: the same ${from.count} rows`)
  return Number(from.count)
}

async function continueCounting(target: pg.Client, { name, identity }: CopiedTable): Promise<void> {
  if (identity === null) return
  await target.query(
    `select setval(pg_get_serial_sequence('${name}', '${identity}'), max(${identity})) from ${name} having max(${identity}) > 0`,
  )
}

async function addForeignKeys({ source, target, report, tables: { placements } }: Copying): Promise<void> {
  const { rows: there } = await target.query<ForeignKey>(FOREIGN_KEYS)
  const { rows: here } = await source.query<ForeignKey>(FOREIGN_KEYS)
  const names = new Set(there.map(({ table, name }) => `${table}.${name}`))
  for (const { table, name, definition } of here) {
    if (names.has(`${table}.${name}`) || !placements.has(table)) continue
    report(`${table}: foreign key ${name}`)
    await inSequence(target, [`alter table ${table} add constraint ${name} ${definition}`])
  }
}
