import assert from 'node:assert/strict'
import { type Column, columns } from './columns.ts'
import { foundRow } from './database.ts'
import { listText } from './list-text.ts'
import { decodePage } from './page.ts'

type ListRange = { from?: string; where?: string; limit: string; offset: string }

/**
 * Defines the columns of a table whose rows are found by id and listed newest first, with the beginnings of these two
 * reads; conditions are written by hand. `from` is the table and its alias, as in `sponsors s`; the first field is the
 * id.
 */
export function table<const F extends Record<string, Column<unknown>>>(from: string, fields: F) {
  const alias = from.split(' ')[1]
  const id = Object.values(fields)[0]?.column
  assert(alias !== undefined && id !== undefined, 'a table has an alias and an id')
  const { list, decode } = columns(alias, fields)
  return {
    from,
    list,
    decode,
    /** The start of a lookup, up to `where`. */
    select: `select ${list} from ${from}`,
    /** Returns the SQL of a list for `decodePage`; `from` overrides the source of the rows, under the same alias. */
    newest: (parts: ListRange) =>
      listText({ columns: list, from, order: `${alias}.created_at desc, ${alias}.${id} desc`, ...parts }),
    /** Decodes the row of a lookup. Throws 404 `not_found` when there is none. */
    decodeFound: (rows: object[]) => decode(foundRow(rows)),
    /** Decodes the rows of `newest`. */
    decodePage: (rows: { total: number }[]) => decodePage(rows, id, decode),
  }
}
