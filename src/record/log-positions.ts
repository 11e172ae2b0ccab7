import { onlyRow, type Queryable, statement } from '../kernel/db/database.ts'
import { HORIZON } from '../kernel/db/log-position.ts'
import type { StoredTables } from '../kernel/db/migrate.ts'

const NEWEST = `greatest(
  (select xid from events order by xid desc, event_id desc limit 1),
  (select xid from audit_entries order by xid desc, audit_id desc limit 1),
  (select last_xid from audit_batches order by number desc limit 1),
  (select max(position::text::bigint)::text::xid8 from relays))`

/** SQL: true when new rows would come before stored ones, where no reader looks any more. */
export const IS_BEHIND = `coalesce(${NEWEST} > log_position(pg_snapshot_xmax(pg_current_snapshot())), false)`

/** The first entry that is written but not settled, for as long as a transaction before it is running. */
const heldBy = (table: string, time: string) =>
  `coalesce(extract(epoch from now() - (select ${time} from ${table} where xid >= ${HORIZON} order by xid limit 1)), 0)::float8`

const HELD_BACK = statement(
  'logs_held_back',
  `select log, greatest(held_s, 0) as held_s
     from (values ('events', ${heldBy('events', 'occurred_at')}), ('audit', ${heldBy('audit_entries', 'at')})) as l (log, held_s)`,
)

/**
 * Returns for how long the first hidden entry of each log has waited for transactions to end, of any database of the
 * server; 0 when readers see all. The views of the server would say more, but hide other roles' transactions.
 */
export const findHeldBack = (db: Queryable) => db.query<{ log: string; held_s: number }>(HELD_BACK, [])

const FIND = statement('logs_find', `select ${IS_BEHIND} as is_behind`)

/**
 * Returns true when this server's transactions come before those that the logs contain: the database was restored from
 * a dump of a server that had counted further.
 */
export async function isBehindLogs(db: Queryable): Promise<boolean> {
  return onlyRow(await db.query<{ is_behind: boolean }>(FIND)).is_behind
}

/**
 * Makes the transactions of this server come after those that the logs contain; resolves to true when they did not.
 * Stored positions stay as they are: those of audit entries are sealed with them.
 */
export const continueLogs: StoredTables['continueLogs'] = async (client) => {
  const { rows } = await client.query<{ is_behind: boolean; difference: string }>(
    `select ${IS_BEHIND} as is_behind,
            ${NEWEST}::text::bigint - pg_snapshot_xmin(pg_current_snapshot())::text::bigint + 1 as difference`,
  )
  const { is_behind: isBehind, difference } = onlyRow(rows)
  if (!isBehind) return false
  await client.query(
    `create or replace function log_position(transaction xid8) returns xid8 language sql stable parallel safe
         as 'select (transaction::text::bigint + ${BigInt(difference)})::text::xid8'`,
  )
  return true
}
