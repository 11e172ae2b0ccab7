import assert from 'node:assert/strict'
import { type Column, columns } from './columns.ts'
import { foundRow } from './database.ts'
import { listText } from './list-text.ts'
import { decodePage } from './page.ts'

type Newest = { from?: string; where?: string; limit: string; offset: string }

/**
 * The columns of a table whose rows are found by their id and listed newest first, with the openings of those two reads; what
 * is asked of a row stays hand-written. `from` is the table and its alias, as in `sponsors s`; the first field is the id.
 */
export function table<const F extends Record<string, Column<unknown>>>(from: string, fields: F) {
  const alias = from.split(' ')[1]
  const id = Object.values(fields)[0]?.column
  assert(alias !== undefined && id !== undefined, 'a table is read by its alias and its id')
  const { list, decode } = columns(alias, fields)
  return {
    list,
    decode,
    /** To be continued with `where`. */
    select: `select ${list} from ${from}`,
    /** The text of a list for `decodePage`; `from` when the rows come from elsewhere, under the same alias. */
    newest: (parts: Newest) =>
      listText({ columns: list, from, order: `${alias}.created_at desc, ${alias}.${id} desc`, ...parts }),
    /** Decodes the row of a look-up. Throws 404 `not_found` when there is none. */
    decodeFound: (rows: object[]) => decode(foundRow(rows)),
    /** Decodes the rows of `newest`. */
    decodePage: (rows: { total: number }[]) => decodePage(rows, id, decode),
  }
}
