import { IN_SCOPE, scopeValues, type UserScope, userScopeFrom } from '../../../access/scope.ts'
import { flag, integer, nullable, oneOf, text, time } from '../../../kernel/db/columns.ts'
import { foundRow, onlyRow, type Queryable, statement, type WireTime } from '../../../kernel/db/database.ts'
import { listText } from '../../../kernel/db/list-text.ts'
import { decodeOwnedPage, type Page, type Paged } from '../../../kernel/db/page.ts'
import { linkedWrite } from '../../../kernel/db/write-statement.ts'
import { alreadyExists } from '../../../kernel/problem-error.ts'
import { type Call, type Deps, recordedWrite, sinceText } from '../../../record/index.ts'
import { ACTIVE_PROVIDER, NO_ACTIVE_PROVIDER } from '../../partners/account-providers/index.ts'
import type { AccountType } from '../../partners/platforms/index.ts'
import { decodeUser, USER_COLUMNS } from '../../people/users/index.ts'
import { LINKED_NUMBERS } from './numbers-store.ts'
import { ACCOUNT, type Account, type AccountPath, type AccountWithSince } from './records.ts'
import { ACCOUNT_STATUSES, type AccountStatus } from './states.ts'

const FIND = statement(
  'accounts_find',
  `select ${ACCOUNT.list}, u.platform_id, u.data_key,
          coalesce(${sinceText({ user: '$1', entity: '$4' })}, a.last_modified_at) as since,
          exists (select from accounts o
                   where o.user_id = $1 and o.account_type = a.account_type and o.status <> 'INACTIVE'
                     and o.account_id <> $4) as has_other
     from users u
     join accounts a on a.user_id = $1 and a.account_id = $4
    where u.user_id = $1 and ${IN_SCOPE}`,
)

const LIST = statement(
  'accounts_list',
  listText(
    {
      columns: ACCOUNT.list,
      from: 'accounts a',
      where: `a.user_id = $1
        and ($4::text[] is null or a.status = any ($4))
        and ($5::text[] is null or a.account_type = any ($5))`,
      order: 'a.created_at desc, a.account_id desc',
      limit: '$6',
      offset: '$7',
    },
    { from: 'users u', where: `u.user_id = $1 and ${IN_SCOPE}` },
  ),
)

const FIND_OF_TYPE = statement(
  'accounts_find_of_type',
  `select account_id from accounts where user_id = $1 and account_type = $2 and status <> 'INACTIVE'`,
)

const LONG_PENDING = statement(
  'accounts_long_pending',
  `select user_id, account_id
     from accounts
    where status = 'PENDING' and created_at < now() - $1 * interval '1 second'
    order by created_at
    limit $2`,
)

const FIND_OWNER = statement(
  'accounts_find_owner',
  `select ${USER_COLUMNS}, ${NO_ACTIVE_PROVIDER} as has_no_provider from users u where u.user_id = $1 and ${IN_SCOPE}`,
)

const COLUMNS =
  'user_id, account_id, account_type, status, account_provider_id, created_at, last_modified_at, platform_id'

/**
 * SQL: the account provider of a new account of the user `:user_id` and the user's platform, as `k`. Read alongside the user: by itself, a
 * cluster would lock the whole table for it, and of two such calls abort one.
 */
const PROVIDER_OF_USER = `(select ${ACTIVE_PROVIDER} as id, platform_id from users where user_id = :user_id) k`

const NEW_ACCOUNT = {
  userId: text('user_id'),
  id: text('account_id'),
  type: text('account_type'),
  status: text('status'),
  at: time('at'),
}

/** Inserts a PENDING account at an active account provider. */
export const INSERT_ACCOUNT = recordedWrite({
  name: 'accounts_insert',
  values: NEW_ACCOUNT,
  single: `insert into accounts (${COLUMNS})
        select :user_id, :account_id, :account_type, :status, k.id, :at, :at, k.platform_id
          from ${PROVIDER_OF_USER}
         where not ${NO_ACTIVE_PROVIDER}
        returning 1 as n`,
  history: 'user',
})

/**
 * The same as part of another domain's write for the user `:user_id`, which does not fail without an active account
 * provider: the account waits.
 */
export const LINKED_ACCOUNT = linkedWrite(NEW_ACCOUNT, {
  name: 'into_accounts',
  text: `insert into accounts (${COLUMNS})
     select r.user_id, r.account_id, r.account_type, r.status, k.id, r.at, r.at, k.platform_id
       from r
       join changed using (n)
      cross join ${PROVIDER_OF_USER}`,
})

/** Chooses the account provider of a waiting account, and returns whether it must wait longer. */
const CHOOSE_PROVIDER = statement(
  'accounts_choose_provider',
  `with chosen as (
     update accounts a
        set account_provider_id = k.id
       from (select ${ACTIVE_PROVIDER} as id) k
      where a.user_id = $1 and a.account_id = $2 and a.account_provider_id is null and k.id is not null
     returning 1
   )
   select not exists (select from chosen) and ${NO_ACTIVE_PROVIDER} as must_wait`,
)

/** Updates an account; a null `has_number` keeps what is stored. */
export const UPDATE_ACCOUNT = recordedWrite({
  name: 'accounts_update',
  values: {
    userId: text('user_id'),
    id: text('account_id'),
    revision: integer('revision'),
    status: oneOf('status', ACCOUNT_STATUSES),
    externalAccountId: nullable(text('external_account_id')),
    ifscCode: nullable(text('ifsc_code')),
    hasNumber: nullable(flag('has_number')),
    at: time('at'),
  },
  update: 'accounts a',
  key: 'a.user_id = :user_id and a.account_id = :account_id',
  guard: 'a.revision = :revision',
  set: `status = :status, external_account_id = :external_account_id, ifsc_code = :ifsc_code,
               has_number = coalesce(:has_number, a.has_number), revision = a.revision + 1, last_modified_at = :at`,
  linked: [LINKED_NUMBERS],
  history: 'user',
})

/** Deletes every account of the user `$1`, and its number; the bank's own records are the bank's. */
export const ERASE_ACCOUNTS = statement(
  'accounts_erase',
  `with numbers as (delete from account_numbers where user_id = $1)
   delete from accounts where user_id = $1`,
)

/** Maps a violation of the unique account type to 409 `conflict`; INACTIVE accounts do not count. */
export const accountTypeConflict = (db: Queryable, { userId, accountType }: Account) => ({
  accounts_one_of_a_type: async () => {
    const [row] = await db.query<{ account_id: string }>(FIND_OF_TYPE, [userId, accountType])
    const detail = 'The user already has an account of this type.'
    return row && alreadyExists(detail, [row.account_id])
  },
})

/** Returns a user, and whether no account provider is active. Throws 404 `not_found` when not in the caller's scope. */
export async function findAccountOwner({ db, vault }: Deps, scope: UserScope) {
  const row = foundRow(await db.query<{ has_no_provider: boolean }>(FIND_OWNER, scopeValues(scope)))
  return { user: decodeUser(row, vault), hasNoProvider: row.has_no_provider }
}

/** Chooses the account provider of an account that has none. Returns false when it must wait until one is active. */
export async function chooseProvider(db: Queryable, { userId, id }: Account): Promise<boolean> {
  return !onlyRow(await db.query<{ must_wait: boolean }>(CHOOSE_PROVIDER, [userId, id])).must_wait
}

type Target = Pick<Call<Deps, typeof AccountPath>, 'deps' | 'request' | 'params'>

/** Returns the account in the path. Throws 404 `not_found` when there is none in the caller's scope. */
export const accountInPath = ({ deps, request, params }: Target) =>
  findAccount(deps, userScopeFrom(request), params.account_id)

/** Returns an account in the caller's scope. Throws 404 `not_found` when there is none. */
export async function findAccount({ db, vault }: Deps, scope: UserScope, id: string): Promise<AccountWithSince> {
  type Row = { platform_id: string; data_key: string; has_other: boolean; since: WireTime }
  const row = foundRow(await db.query<Row>(FIND, [...scopeValues(scope), id]))
  const { platform_id: platformId, has_other: hasOther } = row
  const account = { ...ACCOUNT.decode(row), platformId, hasOther, key: vault.unwrap(row.data_key) }
  return { account, since: row.since }
}

type Filter = { statuses: AccountStatus[] | undefined; types: AccountType[] | undefined; page: Page }

/** Returns a page of a user's accounts, newest first. Throws 404 `not_found` when the user is not in scope. */
export async function findAccounts(
  db: Queryable,
  scope: UserScope,
  { statuses, types, page }: Filter,
): Promise<Paged<Account>> {
  const values = [...scopeValues(scope), statuses ?? null, types ?? null, page.limit, page.offset]
  return decodeOwnedPage(await db.query<{ total: number }>(LIST, values), 'account_id', ACCOUNT.decode)
}

export const listLongPending = (db: Queryable, { seconds, limit }: { seconds: number; limit: number }) =>
  db.query<{ user_id: string; account_id: string }>(LONG_PENDING, [seconds, limit])
