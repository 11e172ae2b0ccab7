import { type Queryable, statement } from '../../../kernel/db/database.ts'

/** Tables with the platform of their users, which rows of an earlier version lack. */
const TABLES = ['insurance_policies', 'accounts', 'consultations'] as const
const USERS_AT_ONCE = 1_000

const STATEMENTS = TABLES.map((table) => ({
  list: statement(
    `${table}_without_platform`,
    `select user_id from ${table} where platform_id is null order by user_id limit ${USERS_AT_ONCE}`,
  ),
  fill: statement(
    `${table}_fill_platform`,
    `update ${table} r
        set platform_id = u.platform_id
       from users u
      where r.user_id = any ($1) and u.user_id = any ($1) and u.user_id = r.user_id and r.platform_id is null
     returning r.user_id`,
  ),
}))

type Row = { user_id: string }

/**
 * Fills in the platform of rows that an earlier version wrote, a batch at a time, and returns their number. Safe at any
 * time: a user's platform never changes. Costs a lookup in an empty index a table when there is nothing to do.
 */
export async function fillPlatforms(db: Queryable, stop?: AbortSignal): Promise<number> {
  let filled = 0
  for (const { list, fill } of STATEMENTS) {
    for (let rows = await db.query<Row>(list); rows.length > 0; rows = await db.query<Row>(list)) {
      filled += (await db.query(fill, [[...new Set(rows.map(({ user_id }) => user_id))]])).length
      if (stop?.aborted) return filled
    }
  }
  return filled
}
