import { Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { invalid } from '../../../kernel/problem-error.ts'
import { checkColumns } from './check-columns.ts'
import type { FileRow, RowError } from './file-row.ts'
import type { FileKind } from './kind.ts'

/** Before what would be a formula, as our own CSV has it. */
const MARK_OF_TEXT = /^'(?=[=+\-@])/

const RECORD_CHARACTERS_MAX = 64 * 1_024

/** Reads the rows of a CSV (RFC 4180). The line of names is row 1, as a spreadsheet counts; an empty line is a row without cells, and left out. */
export const readCsv = (texts: AsyncIterable<string>, kind: FileKind): AsyncGenerator<FileRow> => parsed(texts, kind)

async function* parsed(texts: AsyncIterable<string>, kind: FileKind): AsyncGenerator<FileRow> {
  const parser = parse({ relax_column_count: true, max_record_size: RECORD_CHARACTERS_MAX })
  const source = Readable.from(texts)
  // Not `pipeline`, which would report an error of the source as its own.
  source.on('error', (error) => parser.destroy(error))
  source.pipe(parser)
  let names: string[] | undefined
  let number = 0
  try {
    for await (const record of parser as AsyncIterable<string[]>) {
      number++
      if (names) {
        const row = toRow(record, names, number)
        if (row) yield row
      } else {
        checkColumns(record, kind)
        names = record
      }
    }
  } catch (error) {
    throw error instanceof CsvError ? invalid([malformed(error)]) : error
  } finally {
    source.destroy()
  }
}

function toRow(record: readonly string[], names: readonly string[], number: number): FileRow | undefined {
  if (record.every((cell) => cell === '')) return undefined
  const cells: Record<string, string> = {}
  for (const [index, name] of names.entries()) {
    const cell = (record[index] ?? '').replace(MARK_OF_TEXT, '')
    if (cell !== '') cells[name] = cell
  }
  const hasMore = record.slice(names.length).some((cell) => cell !== '')
  return { number, cells, ...(hasMore && { rowErrors: [TOO_LONG] }) }
}

const TOO_LONG: RowError = {
  column: null,
  code: 'too_many',
  detail: 'The row has more cells than the first line has names. Text with a comma has to stand in quotes.',
}

function malformed(error: CsvError) {
  const { code, lines } = error as { code: string; lines?: unknown }
  const detail =
    code === 'CSV_MAX_RECORD_SIZE'
      ? 'A row is longer than 64 KiB: a quote that is not closed?'
      : 'A quote is not closed, or stands where none can. A cell with quotes stands in quotes, and each of its own is written twice.'
  return {
    pointer: '',
    code: 'format' as const,
    detail: typeof lines === 'number' ? `Line ${lines}: ${detail}` : detail,
  }
}
