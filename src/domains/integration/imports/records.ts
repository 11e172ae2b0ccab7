import { Type } from 'typebox'
import { bytes, flag, integer, nullable, oneOf, type RecordOf, text, time } from '../../../kernel/db/columns.ts'
import { Nullable, OneOf, PathId, record, Timestamp } from '../../../kernel/http/schemas.ts'
import { choice, entity, field, internal } from '../../../record/index.ts'
import { UserIdText } from '../../user-id-text.ts'
import { KIND_NAMES } from './kind-of.ts'
import { IMPORT_STATES, isUnfinished, ROW_OUTCOMES } from './states.ts'

const EXAMPLE = 'imp_06bnv3m2r8f1s4k7q9t3v6w0y2'

/** An import as it is stored; the public record adds how long it will take. */
export const IMPORTS = entity(
  'imports m',
  'StoredImport',
  {
    id: field(text('import_id'), Type.String(), EXAMPLE),
    platformId: field(text('platform_id'), Type.String(), 'plf_06bnv3m2r8f1s4k7q9t3v6w0y2'),
    kind: choice('kind', KIND_NAMES, 'users'),
    checkOnly: internal(flag('check_only')),
    state: choice('state', IMPORT_STATES, 'DONE'),
    fileHash: internal(bytes('file_hash')),
    uploadId: internal(text('upload_id')),
    dataKey: internal(nullable(text('data_key'))),
    person: internal(nullable(text('person'))),
    rowCount: internal(integer('row_count')),
    chunkCount: internal(integer('chunk_count')),
    checkedChunks: internal(integer('checked_chunks')),
    writtenChunks: internal(integer('written_chunks')),
    checkedRows: internal(integer('checked_rows')),
    rejectedRows: internal(integer('rejected_rows')),
    doneRows: internal(integer('done_rows')),
    lostRows: internal(integer('lost_rows')),
    busyMs: internal(integer('busy_ms')),
    sentAt: internal(time('sent_at')),
    finishedAt: internal(nullable(time('finished_at'))),
  },
  { description: 'An import as it is stored' },
)
export type Import = RecordOf<typeof IMPORTS>

const Count = (description: string, example: number) => Type.Integer({ description, examples: [example] })

export const ImportRecord = record(
  'Import',
  {
    id: Type.String(),
    platform_id: Type.String(),
    kind: OneOf(KIND_NAMES),
    check_only: Type.Boolean({ description: 'Nothing is written but the report' }),
    state: OneOf(IMPORT_STATES),
    rows: Count('Rows of the file', 5_000),
    checked: Count('Rows that have been checked', 5_000),
    rejected: Count('Rows in which the check found an error; nothing is written for them', 12),
    done: Count('Rows that are done', 4_987),
    lost: Count('Rows that passed the check and failed afterwards, because something changed in between', 1),
    seconds_left: Nullable(
      Type.Integer({
        description: 'About how long it still takes; `null` while nobody can say, and at the end',
        examples: [42],
      }),
    ),
    finished_at: Nullable(Timestamp('When the last row was done')),
    created_at: Timestamp('Time of creation'),
    last_modified_at: Timestamp('Time of the last change'),
  },
  {
    description: 'An import of a list in one file',
    examples: [
      {
        id: EXAMPLE,
        platform_id: 'plf_06bnv3m2r8f1s4k7q9t3v6w0y2',
        kind: 'users',
        check_only: false,
        state: 'DONE',
        rows: 5_000,
        checked: 5_000,
        rejected: 12,
        done: 4_987,
        lost: 1,
        seconds_left: null,
        finished_at: '2026-04-01T09:31:00',
        created_at: '2026-04-01T09:30:00',
        last_modified_at: '2026-04-01T09:31:00',
      },
    ],
  },
)

export const presentImport = (row: Import) => ({
  id: row.id,
  platform_id: row.platformId,
  kind: row.kind,
  check_only: row.checkOnly,
  state: row.state,
  rows: row.rowCount,
  checked: row.checkedRows,
  rejected: row.rejectedRows,
  done: row.doneRows,
  lost: row.lostRows,
  seconds_left: findSecondsLeft(row),
  finished_at: row.finishedAt,
  created_at: row.createdAt,
  last_modified_at: row.lastModifiedAt,
})

/** From how long the chunks until now have taken, which leaves out how long the import waited for others. */
function findSecondsLeft({
  state,
  checkOnly,
  chunkCount,
  checkedChunks,
  writtenChunks,
  busyMs,
}: Import): number | null {
  const done = checkedChunks + writtenChunks
  if (!isUnfinished(state) || done === 0) return null
  const all = checkOnly ? chunkCount : 2 * chunkCount
  return Math.ceil((((all - done) / done) * busyMs) / 1_000)
}

/** A line of the report. */
export const IMPORT_ROW = {
  row: integer('row_number'),
  outcome: oneOf('outcome', ROW_OUTCOMES),
  column: nullable(text('column_name')),
  code: nullable(text('code')),
  detail: nullable(text('detail')),
  userId: nullable(text('user_id')),
  recordId: nullable(text('record_id')),
}

export const ImportRowRecord = record(
  'ImportRow',
  {
    row: Type.Integer({
      minimum: 1,
      description: 'The row, as a spreadsheet counts: the names of the columns are row 1. Of JSON Lines, the line',
    }),
    outcome: OneOf(ROW_OUTCOMES, { description: 'What became of the row' }),
    column: Nullable(Type.String({ description: 'The column with the error; `null` where the row as a whole has it' })),
    code: Nullable(
      Type.String({
        description: 'The code of the single call: of `errors[]`, the `reason` of a conflict, or of the problem',
      }),
    ),
    detail: Nullable(Type.String({ description: 'What is wrong, and how to fix it' })),
    user_id: Nullable(UserIdText()),
    record_id: Nullable(
      Type.String({ description: 'What was made, found or changed; of a conflict, what is there already' }),
    ),
  },
  {
    description: 'A row that is done, or one error of a row',
    examples: [
      {
        row: 17,
        outcome: 'REJECTED',
        column: 'dob',
        code: 'format',
        detail: 'Write days as YYYY-MM-DD, such as 2024-03-12.',
        user_id: null,
        record_id: null,
      },
    ],
  },
)

export const tags = ['Imports']
export const ImportPath = Type.Object({ import_id: PathId('The import') })
