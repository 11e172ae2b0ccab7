import type { CsvColumn, CsvKind } from './csv-columns.ts'

export const CSV_TYPE = 'text/csv'

const LINE_END = '\r\n'

/** What a spreadsheet would take for a formula, at the beginning of a cell; the wide forms too, which some of them convert. */
const FORMULA = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/

/** What has to stand in quotes (RFC 4180), and what a spreadsheet with another separator would split. */
const QUOTED = /[",;\r\n\t]|^\s|\s$/

/** Returns the first line: the names of the columns. */
export const csvHeader = (columns: readonly CsvColumn[]): string => toLine(columns.map(({ header }) => header))

/** Returns the lines of these records (RFC 4180), each with its end. */
export const csvLines = (columns: readonly CsvColumn[], records: readonly unknown[]): string =>
  records.map((record) => toLine(columns.map((column) => toCell(column, record)))).join('')

const toLine = (cells: string[]) => cells.join(',') + LINE_END

function toCell({ path, kind }: CsvColumn, record: unknown): string {
  let value = record
  for (const name of path) value = (value as Record<string, unknown> | null | undefined)?.[name]
  return value === undefined || value === null ? '' : quoted(WRITERS[kind](value))
}

const WRITERS: Record<CsvKind, (value: unknown) => string> = {
  text: (value) => harmless(String(value)),
  plain: (value) => (typeof value === 'object' ? harmless(JSON.stringify(value)) : harmlessUnlessNumber(value)),
  time: (value) => `${String(value)}Z`,
  paise: (value) => formatRupees(value as number),
  rupees: (value) => (value as number).toFixed(2),
  list: (value) => harmless((value as unknown[]).join('; ')),
  json: (value) => harmless(JSON.stringify(value)),
}

const harmlessUnlessNumber = (value: unknown) => (typeof value === 'number' ? String(value) : harmless(String(value)))

/** Text that would be a formula begins with an apostrophe, which spreadsheets take for the mark of text. */
const harmless = (text: string) => (FORMULA.test(text) ? `'${text}` : text)

const quoted = (text: string) => (QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** Whole numbers only: a division would round the largest amounts. */
function formatRupees(paise: number): string {
  const digits = String(Math.abs(paise)).padStart(3, '0')
  return `${paise < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}
