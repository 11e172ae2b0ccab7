import type { Caller } from '../../../access/caller.ts'
import { isOwn, toScope } from '../../../access/scope.ts'
import { sealedColumn } from '../../../kernel/crypto/sealed-column.ts'
import { columns, time, integer, text, nullable } from '../../../kernel/db/columns.ts'
import { type Queryable, statement } from '../../../kernel/db/database.ts'
import { listText } from '../../../kernel/db/list-text.ts'
import { decodePage, type Page, type Paged } from '../../../kernel/db/page.ts'
import { linkedWrite } from '../../../kernel/db/write-statement.ts'
import { recordedWrite } from '../../../record/index.ts'
import type { FileRow } from './file-row.ts'
import { type Import, IMPORT_ROW, IMPORTS } from './records.ts'
import type { RowOutcome } from './states.ts'

const FIND = statement('imports_find', `${IMPORTS.select} where m.import_id = $1 and ${isOwn('$2', 'm.platform_id')}`)

const FIND_OF_FILE = statement(
  'imports_find_of_file',
  `${IMPORTS.select} where m.platform_id = $1 and m.kind = $2 and m.check_only = $3 and m.file_hash = any ($4::bytea[])`,
)

type Target = { deps: { db: Queryable }; request: { caller: Caller }; params: { import_id: string } }

/** Returns the import in the path. Throws 404 `not_found` when there is none, or it is not the caller's. */
export const importInPath = async ({ deps, request, params }: Target): Promise<Import> =>
  IMPORTS.decodeFound(await deps.db.query<object>(FIND, [params.import_id, toScope(request.caller).platformId]))

type FileOf = Pick<Import, 'platformId' | 'kind' | 'checkOnly'> & { hashes: readonly Buffer[] }

/** Returns the import of a file; undefined for a new one. */
export async function findImportOfFile(db: Queryable, file: FileOf): Promise<Import | undefined> {
  const [row] = await db.query<object>(FIND_OF_FILE, [file.platformId, file.kind, file.checkOnly, file.hashes])
  return row && IMPORTS.decode(row)
}

export const insertImport = IMPORTS.insert('imports_insert', { events: false })

/** What the report says of rows that are tried again. */
const LINKED_TRIED_AGAIN = linkedWrite(
  { importId: text('import_id') },
  {
    name: 'tried_again',
    text: `delete from import_rows d using r join changed using (n) where d.import_id = r.import_id and d.outcome <> 'DONE'`,
  },
)

/** Has a file worked through again: rows that are done stay so. */
export const RESUME = recordedWrite({
  name: 'imports_resume',
  values: {
    id: text('import_id'),
    revision: integer('revision'),
    uploadId: text('upload_id'),
    dataKey: text('data_key'),
    person: nullable(text('person')),
    chunkCount: integer('chunk_count'),
    at: time('at'),
  },
  update: 'imports m',
  key: 'm.import_id = :import_id',
  guard: 'm.revision = :revision',
  set: `state = 'CHECKING', upload_id = :upload_id, data_key = :data_key, person = :person, chunk_count = :chunk_count, checked_chunks = 0,
        written_chunks = 0, checked_rows = 0, rejected_rows = 0, lost_rows = 0, busy_ms = 0, sent_at = :at, worked_at = null,
        finished_at = null, revision = m.revision + 1, last_modified_at = :at`,
  events: false,
  linked: [LINKED_TRIED_AGAIN],
})
export const triedAgain = (id: string) => LINKED_TRIED_AGAIN.rows([{ import_id: id }])

/** The rows of a file, some at a time, until they are done. */
export const CHUNK = sealedColumn<FileRow[], { uploadId: string; chunk: number }>('import_chunks.sealed', {
  row: ({ uploadId, chunk }) => `import_chunks:${uploadId}:${chunk}`,
})

const INSERT_CHUNKS = statement(
  'import_chunks_insert',
  `insert into import_chunks (upload_id, chunk, sealed, created_at)
   select $1, c.chunk, c.sealed, now() from unnest($2::int[], $3::text[]) as c (chunk, sealed)`,
)
const DELETE_CHUNKS = statement('import_chunks_delete', 'delete from import_chunks where upload_id = $1')

type Chunk = { chunk: number; sealed: string }

export const insertChunks = (db: Queryable, uploadId: string, chunks: readonly Chunk[]) =>
  db.query(INSERT_CHUNKS, [uploadId, chunks.map(({ chunk }) => chunk), chunks.map(({ sealed }) => sealed)])

export const deleteChunks = (db: Queryable, uploadId: string) => db.query(DELETE_CHUNKS, [uploadId])

const { list: ROW_LIST, decode: decodeRow } = columns('r', IMPORT_ROW)

const LIST_ROWS = statement(
  'import_rows_list',
  listText({
    columns: ROW_LIST,
    from: 'import_rows r',
    where: 'r.import_id = $1 and ($2::text[] is null or r.outcome = any ($2))',
    order: 'r.row_number, r.position',
    limit: '$3',
    offset: '$4',
  }),
)

export type ReportedRow = ReturnType<typeof decodeRow>

/** Returns a page of the report, in the order of the file. */
export async function listReport(
  db: Queryable,
  importId: string,
  { outcomes, limit, offset }: Page & { outcomes: readonly RowOutcome[] | undefined },
): Promise<Paged<ReportedRow>> {
  const rows = await db.query<{ total: number }>(LIST_ROWS, [importId, outcomes ?? null, limit, offset])
  return decodePage(rows, 'row_number', decodeRow)
}
