import { type Queryable, statement } from '../db/database.ts'

const COUNTED_MAX = 100_000

/** A job that was just queued, and one whose retry delay is over, are ready. */
const FIND = statement(
  'jobs_backlog',
  `select q.queue, coalesce(j.ready, 0)::int as ready, coalesce(j.delayed, 0)::int as delayed,
          coalesce(extract(epoch from now() - j.oldest), 0)::float8 as age_s
     from unnest($1::text[]) as q (queue)
    cross join lateral (
          select count(*) filter (where w.start_after <= now()) as ready,
                 count(*) filter (where w.start_after > now()) as delayed,
                 min(w.start_after) filter (where w.start_after <= now()) as oldest
            from (select start_after from pgboss.job
                   where name = q.queue and state < 'active' and not blocked
                   limit ${COUNTED_MAX}) w) j`,
)

/** Returns how many jobs of each queue are ready and delayed, and for how long the oldest ready one has waited. */
export const findBacklog = (db: Queryable, queues: readonly string[]) =>
  db.query<{ queue: string; ready: number; delayed: number; age_s: number }>(FIND, [queues])
