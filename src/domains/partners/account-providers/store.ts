import { type Queryable, statement } from '../../../kernel/db/database.ts'
import type { Page, Paged } from '../../../kernel/db/page.ts'
import { type AccountProvider, ACCOUNT_PROVIDERS } from './records.ts'

const FIND = statement('account_providers_find', `${ACCOUNT_PROVIDERS.select} where a.account_provider_id = $1`)

const LIST = statement('account_providers_list', ACCOUNT_PROVIDERS.newest({ limit: '$1', offset: '$2' }))

export const insertAccountProvider = ACCOUNT_PROVIDERS.insert('account_providers_insert', { history: 'catalogue' })
export const rename = ACCOUNT_PROVIDERS.update('account_providers_rename', ['name'], { events: false })
export const setStatus = ACCOUNT_PROVIDERS.update('account_providers_set_status', ['status'], { history: 'catalogue' })

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
