import { decodePage, type Page, type Paged } from '../../kernel/db/page.ts'
import { decoderOf } from '../../kernel/db/decode.ts'
import { onlyRow, type Queryable, statement, type Tx, type WireTime } from '../../kernel/db/database.ts'
import { newId } from '../../kernel/id.ts'
import { notFound } from '../../kernel/refusal.ts'
import { ACCOUNT_TYPES, type AccountType, PLATFORM_STATUSES, type PlatformStatus } from './states.ts'

export type Platform = {
  id: string
  name: string
  status: PlatformStatus
  defaultAccountType: AccountType
  revision: number
  createdAt: WireTime
  lastModifiedAt: WireTime
}

type Row = {
  platform_id: string
  name: string
  status: string
  default_account_type: string
  revision: number
  created_at: WireTime
  last_modified_at: WireTime
}

const COLUMNS = 'platform_id, name, status, default_account_type, revision, created_at, last_modified_at'

const INSERT = statement(
  'platforms_insert',
  `insert into platforms (platform_id, name, status, default_account_type)
   values ($1, $2, 'ACTIVE', $3)
   returning ${COLUMNS}`,
)

const FIND = statement('platforms_find', `select ${COLUMNS} from platforms where platform_id = $1`)

const LOCK = statement('platforms_lock', `select ${COLUMNS} from platforms where platform_id = $1 for no key update`)

const LIST = statement(
  'platforms_list',
  `select t.total, page.*
     from (select count(*)::int as total from platforms where $1::text[] is null or status = any ($1)) t
     left join lateral (
       select ${COLUMNS}
         from platforms
        where $1::text[] is null or status = any ($1)
        order by created_at desc, platform_id desc
        limit $2 offset $3) page on true`,
)

const SET_STATUS = statement(
  'platforms_set_status',
  `update platforms
      set status = $2, revision = revision + 1, last_modified_at = now()
    where platform_id = $1
   returning ${COLUMNS}`,
)

export async function insertPlatform(
  tx: Tx,
  form: { name: string; defaultAccountType: AccountType },
): Promise<Platform> {
  return decode(onlyRow(await tx.query<Row>(INSERT, [newId('plt'), form.name, form.defaultAccountType])))
}

/** Refuses with 404 when there is none. */
export async function findPlatform(db: Queryable, id: string): Promise<Platform> {
  const [row] = await db.query<Row>(FIND, [id])
  if (!row) throw notFound()
  return decode(row)
}

/** Reads the platform and holds it until the transaction ends; 404 when there is none. */
export async function lockPlatform(tx: Tx, id: string): Promise<Platform> {
  const [row] = await tx.query<Row>(LOCK, [id])
  if (!row) throw notFound()
  return decode(row)
}

export async function listPlatforms(
  db: Queryable,
  statuses: PlatformStatus[] | undefined,
  page: Page,
): Promise<Paged<Platform>> {
  const rows = await db.query<Row & { total: number }>(LIST, [statuses ?? null, page.limit, page.offset])
  return decodePage(rows, 'platform_id', decode)
}

export async function setStatus(tx: Tx, id: string, status: PlatformStatus): Promise<Platform> {
  return decode(onlyRow(await tx.query<Row>(SET_STATUS, [id, status])))
}

const decodeStatus = decoderOf(PLATFORM_STATUSES, 'platform status')
const decodeAccountType = decoderOf(ACCOUNT_TYPES, 'account type')

function decode(row: Row): Platform {
  return {
    id: row.platform_id,
    name: row.name,
    status: decodeStatus(row.status),
    defaultAccountType: decodeAccountType(row.default_account_type),
    revision: row.revision,
    createdAt: row.created_at,
    lastModifiedAt: row.last_modified_at,
  }
}
