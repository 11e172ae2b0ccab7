import { parseJsonObject } from '../../../kernel/http/json.ts'
import { ProblemError } from '../../../kernel/problem-error.ts'
import type { FileRow, RowError } from './file-row.ts'
import type { FileKind } from './kind.ts'

const LINE_CHARACTERS_MAX = 64 * 1_024

/** Reads the rows of JSON Lines: one object a line, whose members are the columns. The first line is row 1. */
export const readJsonLines = (texts: AsyncIterable<string>, kind: FileKind): AsyncGenerator<FileRow> =>
  parsed(texts, kind)

async function* parsed(texts: AsyncIterable<string>, kind: FileKind): AsyncGenerator<FileRow> {
  let number = 0
  for await (const line of lines(texts)) {
    number++
    if (line.trim() !== '') yield toRow(line, number, kind)
  }
}

/** A line that is too long is cut, and no JSON any more: memory does not grow with it. */
async function* lines(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ''
  for await (const text of texts) {
    const parts = text.split('\n')
    for (const [index, part] of parts.entries()) {
      if (rest.length <= LINE_CHARACTERS_MAX) rest += part
      if (index === parts.length - 1) continue
      yield rest.slice(0, LINE_CHARACTERS_MAX)
      rest = ''
    }
  }
  if (rest !== '') yield rest.slice(0, LINE_CHARACTERS_MAX)
}

function toRow(line: string, number: number, { columns }: FileKind): FileRow {
  const cells: Record<string, string> = {}
  const rowErrors: RowError[] = []
  const note = (column: string | null, code: string, detail: string) => void rowErrors.push({ column, code, detail })
  for (const [name, value] of Object.entries(members(line, note))) {
    if (!Object.hasOwn(columns, name)) note(name.slice(0, 60), 'unknown', 'This column does not exist.')
    else if (typeof value === 'string') cells[name] = value
    else if (Array.isArray(value) && value.every((one) => typeof one === 'string')) cells[name] = value.join(' ')
    else if (value !== null) note(name, 'type', 'Must be text, in quotes; or null, which says nothing.')
  }
  for (const name in cells) if (cells[name] === '') delete cells[name]
  return { number, cells, ...(rowErrors.length > 0 && { rowErrors }) }
}

function members(line: string, note: (column: null, code: string, detail: string) => void): object {
  try {
    return parseJsonObject(Buffer.from(line))
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    note(null, error.code, error.detail)
    return {}
  }
}
