import { type Scope } from '../../access/scope.ts'
import { type DataKey, seal, unseal, type Vault } from '../../kernel/crypto/vault.ts'
import { onlyRow, type Queryable, statement, type Tx, type WireTime } from '../../kernel/db/database.ts'
import { decoderOf } from '../../kernel/db/decode.ts'
import { decodePage, type Page, type Paged } from '../../kernel/db/page.ts'
import { notFound } from '../../kernel/refusal.ts'
import type { SponsorForm } from './schemas.ts'
import { SPONSOR_STATUSES, type SponsorStatus } from './states.ts'

/** What is sealed: a sponsor can be a person. */
export type SponsorProfile = Omit<SponsorForm, 'platform_id'>

export type Sponsor = {
  id: string
  platformId: string
  slug: string
  status: SponsorStatus
  key: DataKey
  profile: SponsorProfile
  revision: number
  createdAt: WireTime
  lastModifiedAt: WireTime
}

type Row = {
  sponsor_id: string
  platform_id: string
  slug: string
  status: string
  data_key: string
  sealed: string
  revision: number
  created_at: WireTime
  last_modified_at: WireTime
}

const COLUMNS = 'sponsor_id, platform_id, slug, status, data_key, sealed, revision, created_at, last_modified_at'
const IN_SCOPE = '($2::text is null or platform_id = $2)'

const INSERT = statement(
  'sponsors_insert',
  `insert into sponsors (sponsor_id, platform_id, slug, status, data_key, sealed)
   values ($1, $2, $3, 'PENDING', $4, $5)
   returning ${COLUMNS}`,
)

const FIND = statement('sponsors_find', `select ${COLUMNS} from sponsors where sponsor_id = $1 and ${IN_SCOPE}`)

const LOCK = statement(
  'sponsors_lock',
  `select ${COLUMNS} from sponsors where sponsor_id = $1 and ${IN_SCOPE} for no key update`,
)

const LIST = statement(
  'sponsors_list',
  `select t.total, page.*
     from (select count(*)::int as total
             from sponsors
            where ($1::text[] is null or status = any ($1)) and ${IN_SCOPE}) t
     left join lateral (
       select ${COLUMNS}
         from sponsors
        where ($1::text[] is null or status = any ($1)) and ${IN_SCOPE}
        order by created_at desc, sponsor_id desc
        limit $3 offset $4) page on true`,
)

const UPDATE = statement(
  'sponsors_update',
  `update sponsors
      set status = $2, sealed = $3, revision = revision + 1, last_modified_at = now()
    where sponsor_id = $1
   returning ${COLUMNS}`,
)

type NewSponsor = { id: string; platformId: string; slug: string; profile: SponsorProfile }

export async function insertSponsor(tx: Tx, vault: Vault, sponsor: NewSponsor): Promise<Sponsor> {
  const { wrapped, key } = vault.newDataKey()
  const sealed = seal(key, rowOf(sponsor.id), sponsor.profile)
  return decode(
    onlyRow(await tx.query<Row>(INSERT, [sponsor.id, sponsor.platformId, sponsor.slug, wrapped, sealed])),
    vault,
  )
}

/** Refuses with 404 when there is none in the caller's scope. */
export async function findSponsor(db: Queryable, vault: Vault, scope: Scope, id: string): Promise<Sponsor> {
  const [row] = await db.query<Row>(FIND, [id, scope.platformId])
  if (!row) throw notFound()
  return decode(row, vault)
}

/** Reads the sponsor and holds it until the transaction ends; 404 when there is none in the caller's scope. */
export async function lockSponsor(tx: Tx, vault: Vault, scope: Scope, id: string): Promise<Sponsor> {
  const [row] = await tx.query<Row>(LOCK, [id, scope.platformId])
  if (!row) throw notFound()
  return decode(row, vault)
}

type Filter = { scope: Scope; statuses: SponsorStatus[] | undefined; page: Page }

export async function listSponsors(
  db: Queryable,
  vault: Vault,
  { scope, statuses, page }: Filter,
): Promise<Paged<Sponsor>> {
  const values = [statuses ?? null, scope.platformId, page.limit, page.offset]
  return decodePage(await db.query<Row & { total: number }>(LIST, values), 'sponsor_id', (row) => decode(row, vault))
}

export async function updateSponsorRow(tx: Tx, vault: Vault, sponsor: Sponsor): Promise<Sponsor> {
  const sealed = seal(sponsor.key, rowOf(sponsor.id), sponsor.profile)
  return decode(onlyRow(await tx.query<Row>(UPDATE, [sponsor.id, sponsor.status, sealed])), vault)
}

/** Opens what is sealed of a sponsor, for those who read it with something else. */
export const openSponsor = (vault: Vault, { id, dataKey, sealed }: { id: string; dataKey: string; sealed: string }) =>
  unseal<SponsorProfile>(vault.open(dataKey), rowOf(id), sealed)

const rowOf = (id: string) => `sponsors:${id}`
const decodeStatus = decoderOf(SPONSOR_STATUSES, 'sponsor status')

function decode(row: Row, vault: Vault): Sponsor {
  const key = vault.open(row.data_key)
  return {
    id: row.sponsor_id,
    platformId: row.platform_id,
    slug: row.slug,
    status: decodeStatus(row.status),
    key,
    profile: unseal<SponsorProfile>(key, rowOf(row.sponsor_id), row.sealed),
    revision: row.revision,
    createdAt: row.created_at,
    lastModifiedAt: row.last_modified_at,
  }
}
