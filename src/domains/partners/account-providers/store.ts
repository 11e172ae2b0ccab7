import { integer, text, time } from '../../../kernel/db/columns.ts'
import { type Queryable, statement } from '../../../kernel/db/database.ts'
import type { Page, Paged } from '../../../kernel/db/page.ts'
import { recordedWrite } from '../../../record/index.ts'
import { type AccountProvider, ACCOUNT_PROVIDERS } from './records.ts'

const FIND = statement('account_providers_find', `${ACCOUNT_PROVIDERS.select} where a.account_provider_id = $1`)

const LIST = statement('account_providers_list', ACCOUNT_PROVIDERS.newest({ limit: '$1', offset: '$2' }))

export const INSERT_ACCOUNT_PROVIDER = recordedWrite({
  name: 'account_providers_insert',
  values: { id: text('account_provider_id'), name: text('name'), status: text('status'), at: time('at') },
  insert: 'account_providers',
  columns: 'account_provider_id, name, status, created_at = :at, last_modified_at = :at',
  history: 'catalogue',
})

const CHANGE = {
  update: 'account_providers a',
  key: 'a.account_provider_id = :account_provider_id',
  guard: 'a.revision = :revision',
}

export const RENAME_ACCOUNT_PROVIDER = recordedWrite({
  name: 'account_providers_rename',
  values: { id: text('account_provider_id'), revision: integer('revision'), name: text('name'), at: time('at') },
  ...CHANGE,
  set: 'name = :name, revision = a.revision + 1, last_modified_at = :at',
  events: false,
})

export const SET_ACCOUNT_PROVIDER_STATUS = recordedWrite({
  name: 'account_providers_set_status',
  values: { id: text('account_provider_id'), revision: integer('revision'), status: text('status'), at: time('at') },
  ...CHANGE,
  set: 'status = :status, revision = a.revision + 1, last_modified_at = :at',
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
