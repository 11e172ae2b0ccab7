import { hash } from 'node:crypto'
import { type FieldError, invalid, payloadTooLarge } from '../../../kernel/problem-error.ts'
import type { FileKind } from './kind.ts'
import { readCsv } from './read-csv.ts'
import { readJsonLines } from './read-json-lines.ts'
import type { FileRow } from './file-row.ts'

const MIB = 1024 * 1024
export const FILE_BYTES_MAX = 64 * MIB
export const ROWS_MAX = 100_000

export const CSV_TYPES = ['text/csv']
export const JSON_LINES_TYPES = ['application/x-ndjson', 'application/jsonl']

type File = { bytes: AsyncIterable<Uint8Array>; mediaType: string; kind: FileKind }

/**
 * Reads the rows of a file as they arrive. Throws 422 for a file that cannot be what its kind needs: in another encoding, without a
 * column, of more rows; and 413 for one that is too large. What is wrong with one row stays with it.
 */
export const readFile = (file: File): AsyncGenerator<FileRow> => checkedRows(file)

async function* checkedRows({ bytes, mediaType, kind }: File): AsyncGenerator<FileRow> {
  const texts = decoded(limited(bytes))
  const rows = CSV_TYPES.includes(mediaType) ? readCsv(texts, kind) : readJsonLines(texts, kind)
  const firsts = new Map<string, number>()
  let count = 0
  for await (const row of rows) {
    if (++count > ROWS_MAX) throw invalid([TOO_MANY_ROWS])
    yield withDuplicate(row, kind, firsts)
  }
  if (count === 0) throw invalid([{ pointer: '', code: 'too_few', detail: 'The file has no rows.' }])
}

const TOO_MANY_ROWS: FieldError = {
  pointer: '',
  code: 'too_many',
  detail: `A file has at most ${ROWS_MAX.toLocaleString('en')} rows. Send several files.`,
}

/** Only hashes are kept, so that memory does not grow with what rows say. */
function withDuplicate(row: FileRow, kind: FileKind, firsts: Map<string, number>): FileRow {
  if (row.rowErrors || !kind.identity) return row
  const identity = hash('sha256', kind.identity(row.cells), 'base64').slice(0, 16)
  const first = firsts.get(identity)
  if (first === undefined) firsts.set(identity, row.number)
  if (first === undefined) return row
  const error = { column: null, code: 'duplicate', detail: `The same as row ${first}. Leave one of them out.` }
  return { ...row, rowErrors: [error] }
}

async function* limited(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let length = 0
  for await (const piece of bytes) {
    length += piece.length
    if (length > FILE_BYTES_MAX)
      throw payloadTooLarge(`The file is larger than ${FILE_BYTES_MAX / MIB} MiB. Send several files.`)
    yield piece
  }
}

const NOT_UTF8: FieldError = {
  pointer: '',
  code: 'format',
  detail: 'The file is not in UTF-8. Save it again as “CSV UTF-8”.',
}

/** Decodes the bytes; a byte order mark is left out. */
async function* decoded(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (piece?: Uint8Array) => {
    try {
      return decoder.decode(piece, { stream: piece !== undefined })
    } catch {
      throw invalid([NOT_UTF8])
    }
  }
  for await (const piece of bytes) {
    const text = decode(piece)
    if (text !== '') yield text
  }
  const rest = decode()
  if (rest !== '') yield rest
}
