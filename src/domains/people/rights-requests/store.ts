import { IN_SCOPE, scopeValues, userScopeFrom, type UserScope } from '../../../access/scope.ts'
import { sealedColumn, UNAVAILABLE } from '../../../kernel/crypto/sealed-column.ts'
import type { DataKey, Vault } from '../../../kernel/crypto/vault.ts'
import { foundRow, type Queryable, statement } from '../../../kernel/db/database.ts'
import { listText } from '../../../kernel/db/list-text.ts'
import { decodeOwnedPage, type Page, type Paged } from '../../../kernel/db/page.ts'
import { USER_REASON } from '../../../record/index.ts'
import { type OwnedRightsRequest, RIGHTS_REQUESTS, type RightsRequest } from './records.ts'

export const REQUEST_TEXT = sealedColumn<string, { userId: string; id: string }>('rights_requests.text_sealed', {
  row: ({ userId, id }) => `rights_requests:${userId}:${id}`,
})

export const insertRequest = RIGHTS_REQUESTS.insert('rights_requests_insert', { history: 'user' })

export const setState = RIGHTS_REQUESTS.update('rights_requests_set_state', ['state'], { history: 'user' })

/** The reason of the state is in the history, where each state is entered once. */
const COLUMNS = `${RIGHTS_REQUESTS.list}, h.change_id, h.reason as reason_sealed`
const joinReason = (user: string) =>
  `left join user_status_changes h on h.user_id = ${user} and h.entity_id = q.request_id and h.to_status = q.state`

const FIND = statement(
  'rights_requests_find',
  `select ${COLUMNS}, u.data_key
     from users u
     join rights_requests q on q.user_id = $1 and q.request_id = $4
     ${joinReason('$1')}
    where u.user_id = $1 and ${IN_SCOPE}`,
)

const LIST = statement(
  'rights_requests_list',
  listText(
    {
      columns: COLUMNS,
      from: `rights_requests q ${joinReason('$1')}`,
      where: 'q.user_id = $1',
      order: 'q.created_at desc, q.request_id desc',
      limit: '$4',
      offset: '$5',
    },
    { from: 'users u', where: `u.user_id = $1 and ${IN_SCOPE}`, columns: 'u.data_key' },
  ),
)

/** Deletes the requests of the erased user `$1`. */
export const ERASE_RIGHTS_REQUESTS = statement(
  'rights_requests_erase',
  'delete from rights_requests where user_id = $1',
)

type Context = { db: Queryable; vault: Vault }
type Row = { change_id: string | null; reason_sealed: string | null; data_key: string }

type Target = { deps: Context; request: Parameters<typeof userScopeFrom>[0]; params: { request_id: string } }

/** Returns the request in the path. Throws 404 `not_found` when it is not in the caller's scope. */
export async function requestInPath({ deps: { db, vault }, request, params }: Target): Promise<OwnedRightsRequest> {
  const values = [...scopeValues(userScopeFrom(request)), params.request_id]
  const row = foundRow(await db.query<Row>(FIND, values))
  const key = vault.unwrap(row.data_key)
  const found = decode(row, key)
  return { ...found, key, status: found.state }
}

/** Returns a page of a user's requests, newest first. Throws 404 `not_found` when the user is not in scope. */
export async function findRequests(
  { db, vault }: Context,
  scope: UserScope,
  page: Page,
): Promise<Paged<RightsRequest>> {
  const rows = await db.query<Row & { total: number }>(LIST, [...scopeValues(scope), page.limit, page.offset])
  return decodeOwnedPage(rows, 'request_id', (row) => decode(row, vault.unwrap(row.data_key)))
}

function decode(row: Row, key: DataKey): RightsRequest {
  const stored = RIGHTS_REQUESTS.decode(row)
  const { userId, id } = stored
  const { change_id: changeId, reason_sealed: reason } = row
  return {
    ...stored,
    text: REQUEST_TEXT.unsealOr(key, stored, stored.textSealed, UNAVAILABLE),
    reason:
      reason === null || changeId === null
        ? null
        : USER_REASON.unsealOr(key, { userId, entityId: id, changeId }, reason, UNAVAILABLE),
  }
}
