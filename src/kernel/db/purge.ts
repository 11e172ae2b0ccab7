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

type PurgeParts = {
  table: string
  /** The columns of the primary key. */
  key: string
  /** The indexed column that says how old a row is. */
  time: string
  /** SQL: rows with an earlier time are deleted; uses `$1`. */
  before: string
}

/**
 * Returns the SQL of a purge, oldest rows first. The order makes the planner read the index: it cannot know how few rows
 * are old, and would otherwise scan the table each time.
 */
export const purgeText = ({ table, key, time, before }: PurgeParts): string =>
  `delete from ${table}
    where (${key}) in (select ${key} from ${table} where ${time} < ${before} order by ${time} limit $2)
   returning 1`
