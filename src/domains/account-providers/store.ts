import { onlyRow, type Queryable, statement, type Tx, type WireTime } from '../../kernel/db/database.ts'
import { decoderOf } from '../../kernel/db/decode.ts'
import { decodePage, type Page, type Paged } from '../../kernel/db/page.ts'
import { newId } from '../../kernel/id.ts'
import { notFound } from '../../kernel/refusal.ts'
import { ACCOUNT_PROVIDER_STATUSES, type AccountProviderStatus } from './states.ts'

export type AccountProvider = {
  id: string
  name: string
  status: AccountProviderStatus
  revision: number
  createdAt: WireTime
  lastModifiedAt: WireTime
}

type Row = {
  account_provider_id: string
  name: string
  status: string
  revision: number
  created_at: WireTime
  last_modified_at: WireTime
}

const COLUMNS = 'account_provider_id, name, status, revision, created_at, last_modified_at'

const INSERT = statement(
  'account_providers_insert',
  `insert into account_providers (account_provider_id, name, status) values ($1, $2, 'active') returning ${COLUMNS}`,
)

const FIND = statement(
  'account_providers_find',
  `select ${COLUMNS} from account_providers where account_provider_id = $1`,
)

const LOCK = statement(
  'account_providers_lock',
  `select ${COLUMNS} from account_providers where account_provider_id = $1 for no key update`,
)

const LIST = statement(
  'account_providers_list',
  `select t.total, page.*
     from (select count(*)::int as total from account_providers) t
     left join lateral (
       select ${COLUMNS}
         from account_providers
        order by created_at desc, account_provider_id desc
        limit $1 offset $2) page on true`,
)

const RENAME = statement(
  'account_providers_rename',
  `update account_providers
      set name = $2, revision = revision + 1, last_modified_at = now()
    where account_provider_id = $1
   returning ${COLUMNS}`,
)

export async function insertAccountProvider(tx: Tx, name: string): Promise<AccountProvider> {
  return decode(onlyRow(await tx.query<Row>(INSERT, [newId('apr'), name])))
}

/** Refuses with 404 when there is none. */
export async function findAccountProvider(db: Queryable, id: string): Promise<AccountProvider> {
  return decodeFound(await db.query<Row>(FIND, [id]))
}

/** Reads it and holds it until the transaction ends; 404 when there is none. */
export async function lockAccountProvider(tx: Tx, id: string): Promise<AccountProvider> {
  return decodeFound(await tx.query<Row>(LOCK, [id]))
}

export async function listAccountProviders(db: Queryable, page: Page): Promise<Paged<AccountProvider>> {
  return decodePage(
    await db.query<Row & { total: number }>(LIST, [page.limit, page.offset]),
    'account_provider_id',
    decode,
  )
}

export async function renameAccountProvider(
  tx: Tx,
  { id, name }: { id: string; name: string },
): Promise<AccountProvider> {
  return decode(onlyRow(await tx.query<Row>(RENAME, [id, name])))
}

function decodeFound([row]: Row[]): AccountProvider {
  if (!row) throw notFound()
  return decode(row)
}

const decodeStatus = decoderOf(ACCOUNT_PROVIDER_STATUSES, 'account provider status')

function decode(row: Row): AccountProvider {
  return {
    id: row.account_provider_id,
    name: row.name,
    status: decodeStatus(row.status),
    revision: row.revision,
    createdAt: row.created_at,
    lastModifiedAt: row.last_modified_at,
  }
}
