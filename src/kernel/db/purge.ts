import type { Queryable, Statement } from './database.ts'

/** Rows a purge deletes at a time: after a long pause one delete of everything would run into its time-out, again and again. */
const PURGED_AT_ONCE = 5_000

/**
 * Deletes what is old, some thousand rows at a time, until nothing is left. The statement deletes at most its last
 * parameter's number of rows and returns one row for each.
 */
export async function purge(db: Queryable, step: Statement, values: readonly unknown[]): Promise<void> {
  while ((await db.query(step, [...values, PURGED_AT_ONCE])).length === PURGED_AT_ONCE);
}

/** The text of such a statement; `condition` names `$1`. */
export const purgeText = ({ table, key, condition }: { table: string; key: string; condition: string }): string =>
  `delete from ${table} where ${key} in (select ${key} from ${table} where ${condition} limit $2) returning ${key}`
