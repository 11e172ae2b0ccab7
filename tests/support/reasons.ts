import { CATALOGUE_REASON, USER_REASON } from '../../src/record/history.ts'
import type { TestApp } from './app.ts'
import { isOnCluster } from './cluster.ts'

/**
 * SQL: the request of the change `h` of a user's record, from the audit entry of the same write. A write on a cluster is several
 * transactions, one on each node, so there the entry is that of the user at the same time.
 */
export const REQUEST_OF_CHANGE = isOnCluster()
  ? `(
  select max(a.request_id) from (select user_id, at, request_id from audit_entries offset 0) a
   where a.user_id = h.user_id and a.at = h.at) as request_id`
  : `(
  select a.request_id from audit_entries a where a.user_id = h.user_id and a.xid::text = h.xmin::text) as request_id`

const CHANGES = `
  select h.user_id, h.change_id, h.reason, u.data_key
    from user_status_changes h join users u using (user_id)
   where h.entity_id = $1
   union all
  select null, h.change_id, h.reason, s.data_key
    from catalogue_status_changes h join sponsors s on s.sponsor_id = h.entity_id
   where h.entity_id = $1
   order by change_id`

/** Opens the reasons for the changes of a user's or sponsor's record, oldest first; null where none was given. */
export async function openedReasons({ sql, deps }: TestApp, entityId: string): Promise<(string | null)[]> {
  type Row = { user_id: string | null; change_id: string; reason: string | null; data_key: string }
  return (await sql<Row>(CHANGES, [entityId])).map(({ user_id: userId, change_id: changeId, reason, data_key }) => {
    if (reason === null) return null
    const [key, change] = [deps.vault.unwrap(data_key), { entityId, changeId }]
    return userId === null
      ? CATALOGUE_REASON.unseal(key, change, reason)
      : USER_REASON.unseal(key, { userId, ...change }, reason)
  })
}
