import { type Queryable, statement } from '../../kernel/db/database.ts'
import type { Page, Paged } from '../../kernel/db/page.ts'
import { recordedWrite } from '../../record/index.ts'
import { type AccountProvider, ACCOUNT_PROVIDERS } from './records.ts'

const FIND = statement('account_providers_find', `${ACCOUNT_PROVIDERS.select} where a.account_provider_id = $1`)

const LIST = statement('account_providers_list', ACCOUNT_PROVIDERS.newest({ limit: '$1', offset: '$2' }))

export const INSERT_ACCOUNT_PROVIDER = recordedWrite({
  name: 'account_providers_insert',
  one: `insert into account_providers (account_provider_id, name, status, created_at, last_modified_at)
        values ($1, $2, $3, $4, $4)
        returning 1 as n`,
  history: 'catalogue',
})

/** Guarded by the revision that was read. */
export const RENAME_ACCOUNT_PROVIDER = recordedWrite({
  name: 'account_providers_rename',
  one: `update account_providers
           set name = $3, revision = revision + 1, last_modified_at = $4
         where account_provider_id = $1 and revision = $2
        returning 1 as n`,
  events: false,
})

/** Guarded by the revision that was read. */
export const SET_ACCOUNT_PROVIDER_STATUS = recordedWrite({
  name: 'account_providers_set_status',
  one: `update account_providers
           set status = $3, revision = revision + 1, last_modified_at = $4
         where account_provider_id = $1 and revision = $2
        returning 1 as n`,
  history: 'catalogue',
})

type Target = { deps: { db: Queryable }; params: { account_provider_id: string } }

/** Returns the account provider in the path. Throws 404 `not_found` when there is none. */
export const providerInPath = async ({ deps, params }: Target): Promise<AccountProvider> =>
  ACCOUNT_PROVIDERS.decodeFound(await deps.db.query<object>(FIND, [params.account_provider_id]))

export const findAccountProviders = async (db: Queryable, { limit, offset }: Page): Promise<Paged<AccountProvider>> =>
  ACCOUNT_PROVIDERS.decodePage(await db.query<{ total: number }>(LIST, [limit, offset]))

/**
 * SQL: the account provider for new accounts, the oldest active one; null when there is none. Locked, so that it stays
 * active until the transaction ends.
 */
export const ACTIVE_PROVIDER = `(select k.account_provider_id from account_providers k
    where k.status = 'active' order by k.created_at, k.account_provider_id limit 1 for share)`

/** SQL: true when account providers exist and none of them is active. */
export const NO_ACTIVE_PROVIDER = `(exists (select from account_providers)
    and not exists (select from account_providers where status = 'active'))`
