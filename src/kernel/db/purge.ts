import { type Queryable, type Statement, statement } from './database.ts'

/** Rows per delete: after a long pause, one delete of everything would time out, again and again. */
const PURGE_BATCH_SIZE = 5_000

/**
 * Deletes old rows in batches until none is left. The statement deletes about as many rows as its last parameter says,
 * and returns one row for each.
 */
export async function purge(db: Queryable, step: Statement, values: readonly unknown[]): Promise<void> {
  while ((await db.query(step, [...values, PURGE_BATCH_SIZE])).length >= PURGE_BATCH_SIZE);
}

/** `time` is the indexed column that says how old a row is, `seconds` for how long rows are kept. */
type Aging = { table: string; time: string; seconds: number }

/**
 * Creates the purge of a table: each batch has the rows up to the time of its last one, oldest first. It joins nothing:
 * with statistics from a time when the table was empty, the planner would compare each row with each of the batch, for
 * minutes. It has no `coalesce` around the subquery, which a cluster rejects.
 */
export function createPurge({ table, time, seconds }: Aging): (db: Queryable) => Promise<void> {
  const before = `now() - $1 * interval '1 second'`
  const step = statement(
    `${table}_purge`,
    `delete from ${table}
    where ${time} <= (
            select max(old.${time})
              from (select ${time} from ${table} where ${time} < ${before} order by ${time} limit $2::int) old)
   returning 1`,
  )
  return (db) => purge(db, step, [seconds])
}
