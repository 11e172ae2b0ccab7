import { onlyRow, type Queryable, statement } from './database.ts'

/** SQL: positions in the logs below this one are settled: a transaction that runs now, or begins later, writes above them. */
export const HORIZON = 'log_position(pg_snapshot_xmin(pg_current_snapshot()))'

const FIND_END = statement('logs_end', 'select log_position(pg_snapshot_xmax(pg_current_snapshot()))::text as position')

/** Returns the position that no transaction has yet: what is written from now on is there or beyond. */
export const findEnd = async (db: Queryable): Promise<string> =>
  onlyRow(await db.query<{ position: string }>(FIND_END)).position
