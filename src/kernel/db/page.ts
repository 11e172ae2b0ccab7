import { notFound } from '../problem-error.ts'

export type Page = { limit: number; offset: number }
export type Paged<T> = { rows: T[]; total: number }

/**
 * Decodes a page whose statement puts `total` beside every row and, by a left join, still returns one row when the page
 * is empty: that row has nothing but `total`. So the total is exact in one round trip, whatever the offset.
 */
export function decodePage<Row extends { total: number }, T>(
  rows: Row[],
  key: string,
  decode: (row: Row) => T,
): Paged<T> {
  const isThere = (row: Row) => (row as Record<string, unknown>)[key] !== null
  return { total: rows[0]?.total ?? 0, rows: rows.filter(isThere).map(decode) }
}

/** The same for a list below an owner. Throws 404 `not_found` when not even the owner was found. */
export function decodeOwnedPage<Row extends { total: number }, T>(
  rows: Row[],
  key: string,
  decode: (row: Row) => T,
): Paged<T> {
  if (rows.length === 0) throw notFound()
  return decodePage(rows, key, decode)
}
