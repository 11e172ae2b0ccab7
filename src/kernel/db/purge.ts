import type { Queryable, Statement } from './database.ts'

/** Rows per delete: after a long pause, one delete of everything would time out, again and again. */
const PURGE_BATCH_SIZE = 5_000

/**
 * Deletes old rows in batches until none is left. The statement deletes at most as many rows as its last parameter
 * says, and returns one row for each.
 */
export async function purge(db: Queryable, step: Statement, values: readonly unknown[]): Promise<void> {
  while ((await db.query(step, [...values, PURGE_BATCH_SIZE])).length === PURGE_BATCH_SIZE);
}

/** Returns the SQL of a purge; `condition` uses `$1`. */
export const purgeText = ({ table, key, condition }: { table: string; key: string; condition: string }): string =>
  `delete from ${table} where ${key} in (select ${key} from ${table} where ${condition} limit $2) returning ${key}`
