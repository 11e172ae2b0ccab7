import { onlyRow, type Queryable, statement, type Tx, violates, type WireTime } from '../../kernel/db/database.ts'
import { decodePage, type Page, type Paged } from '../../kernel/db/page.ts'
import { newId } from '../../kernel/id.ts'
import { conflict, notFound } from '../../kernel/refusal.ts'

export type BenefitProvider = {
  id: string
  name: string
  code: string
  revision: number
  createdAt: WireTime
  lastModifiedAt: WireTime
}

type Row = {
  benefit_provider_id: string
  name: string
  code: string
  revision: number
  created_at: WireTime
  last_modified_at: WireTime
}

const COLUMNS = 'benefit_provider_id, name, code, revision, created_at, last_modified_at'

const INSERT = statement(
  'benefit_providers_insert',
  `insert into benefit_providers (benefit_provider_id, name, code) values ($1, $2, $3) returning ${COLUMNS}`,
)

const FIND = statement(
  'benefit_providers_find',
  `select ${COLUMNS} from benefit_providers where benefit_provider_id = $1`,
)

const LOCK = statement(
  'benefit_providers_lock',
  `select ${COLUMNS} from benefit_providers where benefit_provider_id = $1 for no key update`,
)

const LIST = statement(
  'benefit_providers_list',
  `select t.total, page.*
     from (select count(*)::int as total from benefit_providers) t
     left join lateral (
       select ${COLUMNS}
         from benefit_providers
        order by created_at desc, benefit_provider_id desc
        limit $1 offset $2) page on true`,
)

/** Refuses with 409 `conflict` when the code is taken. */
export async function insertBenefitProvider(tx: Tx, form: { name: string; code: string }): Promise<BenefitProvider> {
  try {
    return decode(onlyRow(await tx.query<Row>(INSERT, [newId('bpr'), form.name, form.code])))
  } catch (error) {
    throw violates(error, 'benefit_providers_code')
      ? conflict('There is a benefit provider with this code already.')
      : error
  }
}

/** Refuses with 404 when there is none. */
export async function findBenefitProvider(db: Queryable, id: string): Promise<BenefitProvider> {
  const [row] = await db.query<Row>(FIND, [id])
  if (!row) throw notFound()
  return decode(row)
}

/** Reads the provider and holds it until the transaction ends; 404 when there is none. */
export async function lockBenefitProvider(tx: Tx, id: string): Promise<BenefitProvider> {
  const [row] = await tx.query<Row>(LOCK, [id])
  if (!row) throw notFound()
  return decode(row)
}

export async function listBenefitProviders(db: Queryable, page: Page): Promise<Paged<BenefitProvider>> {
  return decodePage(
    await db.query<Row & { total: number }>(LIST, [page.limit, page.offset]),
    'benefit_provider_id',
    decode,
  )
}

function decode(row: Row): BenefitProvider {
  return {
    id: row.benefit_provider_id,
    name: row.name,
    code: row.code,
    revision: row.revision,
    createdAt: row.created_at,
    lastModifiedAt: row.last_modified_at,
  }
}
