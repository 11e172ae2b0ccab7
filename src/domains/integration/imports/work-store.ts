import { columns, integer, type RowWith, typeList } from '../../../kernel/db/columns.ts'
import { type Queryable, statement } from '../../../kernel/db/database.ts'
import { createPurge } from '../../../kernel/db/purge.ts'
import { type Import, IMPORT_ROW, IMPORTS } from './records.ts'
import type { ImportState } from './states.ts'

const UNFINISHED = `('CHECKING', 'WRITING')`

/** The import that has waited longest, so that none waits for all of another. Those of a platform that is inactive wait until it is active again. */
const NEXT = statement(
  'imports_next',
  `${IMPORTS.select}
     join platforms p on p.platform_id = m.platform_id and p.status = 'ACTIVE'
    where m.state in ${UNFINISHED}
    order by m.worked_at nulls first, m.import_id
    limit 1`,
)

/** The rows of a chunk, with what the report says of those rows already. */
const FIND_CHUNK = statement(
  'import_chunks_find',
  'select sealed from import_chunks where upload_id = $1 and chunk = $2',
)
const FIND_REPORTED = statement(
  'import_rows_find',
  `select distinct row_number, outcome from import_rows where import_id = $1 and row_number between $2 and $3`,
)

const REPORT = { ...IMPORT_ROW, position: integer('position') }
export type ReportRow = RowWith<typeof REPORT>
const REPORT_NAMES = Object.values(REPORT)
  .map(({ column }) => column)
  .join(', ')

/**
 * Records what became of a chunk, and goes on to the next one, once: another worker that has done the same chunk finds it done. After the
 * last one the rows of the file are deleted, and so is their key.
 */
const ADVANCE = statement(
  'imports_advance',
  `with moved as (
     update imports m
        set state = $4, checked_chunks = m.checked_chunks + $5::int, written_chunks = m.written_chunks + $6::int,
            checked_rows = m.checked_rows + $7::int, rejected_rows = m.rejected_rows + $8::int, done_rows = m.done_rows + $9::int,
            lost_rows = m.lost_rows + $10::int, busy_ms = m.busy_ms + $11::bigint, worked_at = now(), last_modified_at = now(),
            revision = m.revision + 1,
            data_key = case when $4 in ${UNFINISHED} then m.data_key end,
            finished_at = case when $4 in ${UNFINISHED} then null else now() end
      where m.import_id = $1 and m.upload_id = $2 and m.checked_chunks + m.written_chunks = $3::int and m.state in ${UNFINISHED}
     returning m.import_id, m.upload_id, m.data_key),
   dropped as (
     delete from import_chunks c using moved where c.upload_id = moved.upload_id and moved.data_key is null),
   reported as (
     insert into import_rows (import_id, ${REPORT_NAMES})
     select moved.import_id, ${REPORT_NAMES.split(', ')
       .map((name) => `r.${name}`)
       .join(', ')}
       from moved cross join json_to_recordset($12::json) as r (${typeList(REPORT)})
     on conflict do nothing)
   select import_id from moved`,
)

export async function findNextImport(db: Queryable): Promise<Import | undefined> {
  const [row] = await db.query<object>(NEXT)
  return row && IMPORTS.decode(row)
}

/** Returns the sealed rows of a chunk; undefined when they are gone. */
export async function findChunk(db: Queryable, uploadId: string, chunk: number): Promise<string | undefined> {
  return (await db.query<{ sealed: string }>(FIND_CHUNK, [uploadId, chunk]))[0]?.sealed
}

type Range = { first: number; last: number }
const { decode: decodeOutcome } = columns('r', { row: IMPORT_ROW.row, outcome: IMPORT_ROW.outcome })

/** Returns what the report says of a range of rows. */
export async function findReported(db: Queryable, importId: string, { first, last }: Range) {
  const rows = await db.query<object>(FIND_REPORTED, [importId, first, last])
  return new Map(rows.map(decodeOutcome).map(({ row, outcome }) => [row, outcome]))
}

export type Advance = {
  to: ImportState
  checkedChunks: number
  writtenChunks: number
  checked: number
  rejected: number
  done: number
  lost: number
  busy_ms: number
  report: readonly ReportRow[]
}

const GIVE_WAY = statement('imports_give_way', 'update imports set worked_at = now() where import_id = $1')

/** Lets the other imports have their turn first. */
export const giveWay = (db: Queryable, importId: string) => db.query(GIVE_WAY, [importId])

/** Returns false when the chunk is done already. */
export async function advance(db: Queryable, from: Import, to: Advance): Promise<boolean> {
  const rows = await db.query<object>(ADVANCE, [
    from.id,
    from.uploadId,
    from.checkedChunks + from.writtenChunks,
    to.to,
    to.checkedChunks,
    to.writtenChunks,
    to.checked,
    to.rejected,
    to.done,
    to.lost,
    Math.round(to.busy_ms),
    JSON.stringify(to.report),
  ])
  return rows.length > 0
}

/** After this long, an unfinished import is given up: its platform was inactive all the time. */
const UNFINISHED_DAYS = 7
/** For how long a report is kept. */
const REPORT_DAYS = 30
const STOP = statement(
  'imports_stop',
  `update imports set state = 'STOPPED', data_key = null, finished_at = now(), last_modified_at = now(), revision = revision + 1
    where state in ${UNFINISHED} and sent_at < now() - $1 * interval '1 day'`,
)
const DAY_S = 86_400

/** What an upload has left behind belongs to no import; the others are deleted when they are done. */
const purgeChunks = createPurge({ table: 'import_chunks', time: 'created_at', seconds: (UNFINISHED_DAYS + 1) * DAY_S })
const purgeRows = createPurge({ table: 'import_rows', time: 'created_at', seconds: REPORT_DAYS * DAY_S })
/** After the rows of the report, which refer to them. */
const purgeImports = createPurge({ table: 'imports', time: 'last_modified_at', seconds: (REPORT_DAYS + 1) * DAY_S })

/** Gives up what nobody could finish, and deletes what is old. */
export async function deleteOldImports(db: Queryable): Promise<void> {
  await db.query(STOP, [UNFINISHED_DAYS])
  for (const step of [purgeChunks, purgeRows, purgeImports]) await step(db)
}
