import { onlyRow, type Queryable, statement } from '../db/database.ts'

/** The heartbeat interval of a worker; it counts as dead after six missed heartbeats. */
export const HEARTBEAT_MS = 5_000
export const HEARTBEAT_TIMEOUT_SECONDS = 30
const KEPT_SECONDS = 3_600

const BEAT = statement(
  'workers_beat',
  `insert into workers (worker_id) values ($1)
       on conflict (worker_id) do update set seen_at = now()`,
)

const DELETE_OLD = statement('workers_purge', `delete from workers where seen_at < now() - $1 * interval '1 second'`)

/** SQL: how many workers have sent a heartbeat within `$1` seconds. */
export const COUNT_ALIVE = `select count(*)::int as count from workers where seen_at > now() - $1 * interval '1 second'`

/** A time ahead is none that a worker has sent since then: the clock of the database was set back. */
const LIVING = statement(
  'workers_living',
  `select count(*) filter (where abs(extract(epoch from now() - seen_at)) < $1)::int as alive,
          extract(epoch from now() - max(seen_at))::int as last_s
     from workers`,
)

/** Returns how many workers live, and how many seconds ago one sent a heartbeat; null when none ever did. */
export const findWorkers = async (db: Queryable): Promise<{ alive: number; last_s: number | null }> =>
  onlyRow(await db.query<{ alive: number; last_s: number | null }>(LIVING, [HEARTBEAT_TIMEOUT_SECONDS]))

export async function beat(db: Queryable, workerId: string): Promise<void> {
  await db.query(BEAT, [workerId])
  await db.query(DELETE_OLD, [KEPT_SECONDS])
}
