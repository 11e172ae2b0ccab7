import type { Scope } from '../../access/scope.ts'
import { onlyRow, type Queryable, statement, type Tx, type WireTime } from '../../kernel/db/database.ts'
import { decoderOf } from '../../kernel/db/decode.ts'
import { decodePage, type Page, type Paged } from '../../kernel/db/page.ts'
import { newId } from '../../kernel/id.ts'
import { notFound } from '../../kernel/refusal.ts'
import type { BenefitForm, Plan } from './schemas.ts'
import { BENEFIT_STATUSES, type BenefitStatus } from './states.ts'

export type Benefit = {
  id: string
  benefitProviderId: string
  sponsorId: string
  platformId: string
  name: string
  status: BenefitStatus
  plans: Plan[]
  revision: number
  createdAt: WireTime
  lastModifiedAt: WireTime
}

type Row = {
  benefit_id: string
  benefit_provider_id: string
  sponsor_id: string
  platform_id: string
  name: string
  status: string
  plans: Plan[]
  revision: number
  created_at: WireTime
  last_modified_at: WireTime
}

const COLUMNS =
  'benefit_id, benefit_provider_id, sponsor_id, platform_id, name, status, plans, revision, created_at, last_modified_at'
const IN_SCOPE = '($2::text is null or platform_id = $2) and ($3::text is null or benefit_provider_id = $3)'

const INSERT = statement(
  'benefits_insert',
  `insert into benefits (benefit_id, benefit_provider_id, sponsor_id, platform_id, name, status, plans)
   values ($1, $2, $3, $4, $5, 'ACTIVE', $6)
   returning ${COLUMNS}`,
)

const FIND = statement('benefits_find', `select ${COLUMNS} from benefits where benefit_id = $1 and ${IN_SCOPE}`)

const LOCK = statement(
  'benefits_lock',
  `select ${COLUMNS} from benefits where benefit_id = $1 and ${IN_SCOPE} for no key update`,
)

const LIST = statement(
  'benefits_list',
  `select t.total, page.*
     from (select count(*)::int as total from benefits where status = any ($1::text[]) and ${IN_SCOPE}) t
     left join lateral (
       select ${COLUMNS}
         from benefits
        where status = any ($1::text[]) and ${IN_SCOPE}
        order by created_at desc, benefit_id desc
        limit $4 offset $5) page on true`,
)

const UPDATE = statement(
  'benefits_update',
  `update benefits
      set name = $2, plans = $3, status = $4, revision = revision + 1, last_modified_at = now()
    where benefit_id = $1
   returning ${COLUMNS}`,
)

type NewBenefit = Omit<BenefitForm, 'plans'> & { platformId: string; plans: Plan[] }

export async function insertBenefit(
  tx: Tx,
  { platformId, benefit_provider_id, sponsor_id, name, plans }: NewBenefit,
): Promise<Benefit> {
  const values = [newId('bnf'), benefit_provider_id, sponsor_id, platformId, name, JSON.stringify(plans)]
  return decode(onlyRow(await tx.query<Row>(INSERT, values)))
}

const scopeValues = (id: string, scope: Scope) => [id, scope.platformId, scope.providerId]

/** Refuses with 404 when there is none in the caller's scope. */
export async function findBenefit(db: Queryable, scope: Scope, id: string): Promise<Benefit> {
  return decodeFound(await db.query<Row>(FIND, scopeValues(id, scope)))
}

/** Reads the benefit and holds it until the transaction ends; 404 when there is none. */
export async function lockBenefit(tx: Tx, id: string): Promise<Benefit> {
  return decodeFound(await tx.query<Row>(LOCK, [id, null, null]))
}

type Filter = { scope: Scope; statuses: BenefitStatus[]; page: Page }

export async function listBenefits(db: Queryable, { scope, statuses, page }: Filter): Promise<Paged<Benefit>> {
  const values = [statuses, scope.platformId, scope.providerId, page.limit, page.offset]
  return decodePage(await db.query<Row & { total: number }>(LIST, values), 'benefit_id', decode)
}

export async function updateBenefitRow(tx: Tx, { id, name, plans, status }: Benefit): Promise<Benefit> {
  return decode(onlyRow(await tx.query<Row>(UPDATE, [id, name, JSON.stringify(plans), status])))
}

function decodeFound([row]: Row[]): Benefit {
  if (!row) throw notFound()
  return decode(row)
}

const decodeStatus = decoderOf(BENEFIT_STATUSES, 'benefit status')

function decode(row: Row): Benefit {
  return {
    id: row.benefit_id,
    benefitProviderId: row.benefit_provider_id,
    sponsorId: row.sponsor_id,
    platformId: row.platform_id,
    name: row.name,
    status: decodeStatus(row.status),
    plans: row.plans,
    revision: row.revision,
    createdAt: row.created_at,
    lastModifiedAt: row.last_modified_at,
  }
}
