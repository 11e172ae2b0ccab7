import { notFound } from '../problem-error.ts'

export type Page = { limit: number; offset: number }
export type Paged<T> = { rows: T[]; total: number }

/**
 * Decodes a page whose statement puts `total` in every row and, by a left join, returns one row even when the page is
 * empty, with nothing but `total`. So the total is exact in one round trip, whatever the offset.
 */
export function decodePage<Row extends { total: number }, T>(
  rows: Row[],
  key: string,
  decode: (row: Row) => T,
): Paged<T> {
  const isListed = (row: Row) => (row as Record<string, unknown>)[key] !== null
  return { total: rows[0]?.total ?? 0, rows: rows.filter(isListed).map(decode) }
}

/** Decodes a page of a list below an owner. Throws 404 `not_found` when the owner was not found. */
export function decodeOwnedPage<Row extends { total: number }, T>(
  rows: Row[],
  key: string,
  decode: (row: Row) => T,
): Paged<T> {
  if (rows.length === 0) throw notFound()
  return decodePage(rows, key, decode)
}
