import type { Paged } from '../http/paging.ts'

/**
 * Decodes a page whose statement puts `total` beside every row and, by a left join, still returns one row when the page
 * is empty: that row has nothing but `total`. So the total is exact in one round trip, whatever the offset.
 */
export function decodePage<Row extends { total: number }, T>(
  rows: Row[],
  key: keyof Row,
  decode: (row: Row) => T,
): Paged<T> {
  return { total: rows[0]?.total ?? 0, rows: rows.filter((row) => row[key] !== null).map(decode) }
}
