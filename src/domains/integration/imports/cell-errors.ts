import type { Cells, Column } from './kind.ts'
import type { RowError } from './file-row.ts'

/** A number that a spreadsheet has rounded to what it shows, as 9.19E+11; the digits are lost. */
const ROUNDED = /^\s*[+-]?\d+([.,]\d+)?[eE]\+?\d+\s*$/
/** The day as a spreadsheet counts it, from 1900. */
const SERIAL = /^\s*\d{4,5}([.,]\d+)?\s*$/
const DAY = /^\d{4}-\d{2}-\d{2}$/

const OTHER_DAY =
  'Write days as YYYY-MM-DD, such as 2024-03-12. Another form, such as 12/03/2024, is the third of December to some and the twelfth of March to ' +
  'others, so none is guessed. In a spreadsheet, give the column the format yyyy-mm-dd and save again.'
const SERIAL_DAY =
  'This is the number by which a spreadsheet counts days. Give the column the format yyyy-mm-dd there, and save again.'
const ROUNDED_NUMBER =
  'A spreadsheet has rounded this number, as in 9.19E+11, and its last digits are lost. Give the column the format Text, enter the numbers ' +
  'again from their source, and save.'

/** Returns what a spreadsheet has done to the cells of a row. The single calls would refuse these too, and say less. */
export function cellErrors(cells: Cells, columns: Readonly<Record<string, Column>>): RowError[] {
  return Object.entries(cells).flatMap(([column, cell]): RowError[] => {
    const looks = columns[column]?.looks
    if (looks === 'digits' && ROUNDED.test(cell)) return [{ column, code: 'format', detail: ROUNDED_NUMBER }]
    if (looks !== 'day' || DAY.test(cell)) return []
    return [{ column, code: 'format', detail: SERIAL.test(cell) ? SERIAL_DAY : OTHER_DAY }]
  })
}
