import { userIsInScope, type UserScope } from '../../access/scope.ts'
import { onlyRow, type Queryable, statement, type Tx, violates, type WireTime } from '../../kernel/db/database.ts'
import { decodeUserId, decoderOf, type UserId } from '../../kernel/db/decode.ts'
import { decodePage } from '../../kernel/db/page.ts'
import type { Page, Paged } from '../../kernel/http/paging.ts'
import { newId } from '../../kernel/id.ts'
import { conflict, notFound } from '../../kernel/refusal.ts'
import { ACCOUNT_TYPES, type AccountType } from '../platforms/index.ts'
import { ACCOUNT_STATUSES, type AccountStatus } from './states.ts'

export type Account = {
  id: string
  userId: UserId
  accountType: AccountType
  status: AccountStatus
  externalAccountId: string | null
  ifscCode: string | null
  revision: number
  createdAt: WireTime
  lastModifiedAt: WireTime
}

type Row = {
  user_id: string
  account_id: string
  account_type: string
  status: string
  external_account_id: string | null
  ifsc_code: string | null
  revision: number
  created_at: WireTime
  last_modified_at: WireTime
}

const COLUMNS = `a.user_id, a.account_id, a.account_type, a.status, a.external_account_id, a.ifsc_code, a.revision,
  a.created_at, a.last_modified_at`

const IN_SCOPE = userIsInScope({ platform: '$2', provider: '$3' })

const INSERT = statement(
  'accounts_insert',
  `insert into accounts as a (user_id, account_id, account_type, status) values ($1, $2, $3, 'PENDING') returning ${COLUMNS}`,
)

const findText = (lock: string) => `
  select ${COLUMNS}
    from users u
    join accounts a on a.user_id = u.user_id and a.account_id = $4
   where u.user_id = $1 and ${IN_SCOPE} ${lock}`

const FIND = statement('accounts_find', findText(''))

const LOCK = statement('accounts_lock', findText('for no key update of a'))

const FILTER = `a.user_id = u.user_id
  and ($4::text[] is null or a.status = any ($4))
  and ($5::text[] is null or a.account_type = any ($5))`

const LIST = statement(
  'accounts_list',
  `select t.total, page.*
     from users u
    cross join lateral (select count(*)::int as total from accounts a where ${FILTER}) t
     left join lateral (
       select ${COLUMNS}
         from accounts a
        where ${FILTER}
        order by a.created_at desc, a.account_id desc
        limit $6 offset $7) page on true
    where u.user_id = $1 and ${IN_SCOPE}`,
)

const UPDATE = statement(
  'accounts_update',
  `update accounts as a
      set status = $3, external_account_id = $4, ifsc_code = $5, revision = revision + 1, last_modified_at = now()
    where user_id = $1 and account_id = $2
   returning ${COLUMNS}`,
)

const LONG_PENDING = statement(
  'accounts_long_pending',
  `select user_id, account_id
     from accounts
    where status = 'PENDING' and created_at < now() - $1 * interval '1 second'
    order by created_at
    limit $2`,
)

/** Refuses with 409 when the user has one of this type that is not INACTIVE. */
export async function insertAccount(
  tx: Tx,
  { userId, accountType }: { userId: string; accountType: AccountType },
): Promise<Account> {
  try {
    return decode(onlyRow(await tx.query<Row>(INSERT, [userId, newId('acc'), accountType])))
  } catch (error) {
    throw asTaken(error)
  }
}

/** Refuses with 404 when the account is not in the caller's scope. */
export async function findAccount(
  db: Queryable,
  { userId, platformId, providerId }: UserScope,
  id: string,
): Promise<Account> {
  return decodeFound(await db.query<Row>(FIND, [userId, platformId, providerId, id]))
}

/** Reads the account and holds it until the transaction ends; 404 when it is not in the caller's scope. */
export async function lockAccount(tx: Tx, { userId, platformId, providerId }: UserScope, id: string): Promise<Account> {
  return decodeFound(await tx.query<Row>(LOCK, [userId, platformId, providerId, id]))
}

type Filter = { statuses: AccountStatus[] | undefined; types: AccountType[] | undefined; page: Page }

/** Refuses with 404 when the user is not in the caller's scope. */
export async function listAccounts(
  db: Queryable,
  scope: UserScope,
  { statuses, types, page }: Filter,
): Promise<Paged<Account>> {
  const { userId, platformId, providerId } = scope
  const values = [userId, platformId, providerId, statuses ?? null, types ?? null, page.limit, page.offset]
  const rows = await db.query<Row & { total: number }>(LIST, values)
  if (!rows[0]) throw notFound()
  return decodePage(rows, 'account_id', decode)
}

export async function updateAccount(
  tx: Tx,
  { userId, id, status, externalAccountId, ifscCode }: Account,
): Promise<Account> {
  try {
    return decode(onlyRow(await tx.query<Row>(UPDATE, [userId, id, status, externalAccountId, ifscCode])))
  } catch (error) {
    throw asTaken(error)
  }
}

/** Accounts that have been PENDING for longer than they should. */
export async function listLongPending(
  tx: Tx,
  { seconds, limit }: { seconds: number; limit: number },
): Promise<{ user_id: string; account_id: string }[]> {
  return tx.query(LONG_PENDING, [seconds, limit])
}

const asTaken = (error: unknown) =>
  violates(error, 'accounts_one_of_a_type') ? conflict('The user has an account of this type already.') : error

function decodeFound([row]: Row[]): Account {
  if (!row) throw notFound()
  return decode(row)
}

const decodeStatus = decoderOf(ACCOUNT_STATUSES, 'account status')
const decodeType = decoderOf(ACCOUNT_TYPES, 'account type')

function decode(row: Row): Account {
  return {
    id: row.account_id,
    userId: decodeUserId(row.user_id),
    accountType: decodeType(row.account_type),
    status: decodeStatus(row.status),
    externalAccountId: row.external_account_id,
    ifscCode: row.ifsc_code,
    revision: row.revision,
    createdAt: row.created_at,
    lastModifiedAt: row.last_modified_at,
  }
}
