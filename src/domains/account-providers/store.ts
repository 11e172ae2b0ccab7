import { columns, oneOf, type RecordOf, text } from '../../kernel/db/columns.ts'
import { foundRow, type Queryable, statement } from '../../kernel/db/database.ts'
import { listText } from '../../kernel/db/list-text.ts'
import { decodePage, type Page, type Paged } from '../../kernel/db/page.ts'
import { VERSION } from '../../kernel/db/version.ts'
import { recordedWrite } from '../../record/index.ts'
import { ACCOUNT_PROVIDER_STATUSES } from './states.ts'

const PROVIDER = columns('a', {
  id: text('account_provider_id'),
  name: text('name'),
  status: oneOf('status', ACCOUNT_PROVIDER_STATUSES),
  ...VERSION,
})

export type AccountProvider = RecordOf<typeof PROVIDER>

const FIND = statement(
  'account_providers_find',
  `select ${PROVIDER.list} from account_providers a where a.account_provider_id = $1`,
)

const LIST = statement(
  'account_providers_list',
  listText({
    columns: PROVIDER.list,
    from: 'account_providers a',
    order: 'a.created_at desc, a.account_provider_id desc',
    limit: '$1',
    offset: '$2',
  }),
)

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

/** Throws 404 `not_found` when there is none. */
export async function findAccountProvider(db: Queryable, id: string): Promise<AccountProvider> {
  return PROVIDER.decode(foundRow(await db.query<object>(FIND, [id])))
}

export async function listAccountProviders(db: Queryable, { limit, offset }: Page): Promise<Paged<AccountProvider>> {
  return decodePage(await db.query<{ total: number }>(LIST, [limit, offset]), 'account_provider_id', PROVIDER.decode)
}
