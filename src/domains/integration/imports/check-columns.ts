import { escapePointer } from '../../../kernel/http/json.ts'
import { type FieldError, invalid } from '../../../kernel/problem-error.ts'
import type { FileKind } from './kind.ts'

/** As much of an unknown name as an error repeats. */
const NAME_MAX = 60

const SEMICOLONS: FieldError = {
  pointer: '',
  code: 'format',
  detail:
    'The columns are separated by semicolons. Separate them by commas: in Excel, save as “CSV UTF-8 (Comma delimited)” on a computer whose list ' +
    'separator is a comma, or replace the separator on the way.',
}
const TABS: FieldError = { ...SEMICOLONS, detail: 'The columns are separated by tabs. Separate them by commas.' }
const NO_NAMES = 'The first line has to name the columns.'

/** Throws 422 when the first line of a file does not name the columns that its kind needs, or names others. */
export function checkColumns(names: readonly string[], { columns, oneOf = [] }: FileKind): void {
  const known = names.filter((name) => Object.hasOwn(columns, name))
  const [first = ''] = names
  if (names.length === 1 && known.length === 0) {
    if (first.includes(';')) throw invalid([SEMICOLONS])
    if (first.includes('\t')) throw invalid([TABS])
  }
  // A file without a line of names begins with a person, and no error repeats that.
  if (known.length === 0) {
    throw invalid([
      { pointer: '', code: 'required', detail: `${NO_NAMES} Known are: ${Object.keys(columns).join(', ')}.` },
    ])
  }
  const errors = [
    ...names.flatMap((name, index) => unknownColumn(name, index, columns)),
    ...twice(known),
    ...Object.keys(columns).flatMap((name) =>
      columns[name]?.isRequired && !known.includes(name) ? [missing(name, `The column ${name} is missing.`)] : [],
    ),
    ...(oneOf.length === 0 || oneOf.some((group) => group.every((name) => known.includes(name)))
      ? []
      : [
          missing(
            oneOf[0]?.[0] ?? '',
            `One of these is missing: ${oneOf.map((group) => group.join(' and ')).join('; ')}.`,
          ),
        ]),
  ]
  if (errors.length > 0) throw invalid(errors)
}

const missing = (name: string, detail: string): FieldError => ({ pointer: `/${name}`, code: 'required', detail })

function unknownColumn(name: string, index: number, columns: FileKind['columns']): FieldError[] {
  if (Object.hasOwn(columns, name)) return []
  const excerpt = name.slice(0, NAME_MAX)
  const detail =
    name.trim() === ''
      ? `Column ${index + 1} has no name. Name it, or leave it out.`
      : `There is no column ${excerpt}. Known are: ${Object.keys(columns).join(', ')}.`
  return [{ pointer: `/${escapePointer(excerpt)}`, code: 'unknown', detail }]
}

function twice(names: readonly string[]): FieldError[] {
  const repeated = new Set(names.filter((name, index) => names.indexOf(name) !== index))
  return [...repeated].map((name) => ({
    pointer: `/${name}`,
    code: 'duplicate',
    detail: `The column ${name} is there twice.`,
  }))
}
