import { type Scope, sponsorIsInScope } from '../../access/scope.ts'
import { type DataKey, seal, unseal, type Vault } from '../../kernel/crypto/vault.ts'
import { oneOf, type RecordOf, text } from '../../kernel/db/columns.ts'
import { type Queryable, statement } from '../../kernel/db/database.ts'
import type { Page, Paged } from '../../kernel/db/page.ts'
import { table } from '../../kernel/db/table.ts'
import { VERSION } from '../../kernel/db/version.ts'
import { recordedWrite } from '../../record/index.ts'
import type { SponsorInput } from './schemas.ts'
import { SPONSOR_STATUSES, type SponsorStatus } from './states.ts'

/** What is sealed: a sponsor can be a person. */
export type SponsorProfile = Omit<SponsorInput, 'platform_id'>

const STORED = table('sponsors s', {
  id: text('sponsor_id'),
  platformId: text('platform_id'),
  slug: text('slug'),
  status: oneOf('status', SPONSOR_STATUSES),
  dataKey: text('data_key'),
  sealed: text('sealed'),
  ...VERSION,
})

export type Sponsor = Omit<RecordOf<typeof STORED>, 'dataKey' | 'sealed'> & {
  /** Null: no sponsor belongs to a user. */
  userId: null
  key: DataKey
  profile: SponsorProfile
}

const IN_SCOPE = sponsorIsInScope({ platform: '$2', provider: '$3' })

const FIND = statement('sponsors_find', `${STORED.select} where s.sponsor_id = $1 and ${IN_SCOPE}`)

const LIST = statement(
  'sponsors_list',
  STORED.newest({
    where: `($1::text[] is null or s.status = any ($1)) and ${IN_SCOPE}`,
    limit: '$4',
    offset: '$5',
  }),
)

export const INSERT_SPONSOR = recordedWrite({
  name: 'sponsors_insert',
  one: `insert into sponsors (sponsor_id, platform_id, slug, status, data_key, sealed, created_at, last_modified_at)
        values ($1, $2, $3, $4, $5, $6, $7, $7)
        returning 1 as n`,
  history: 'catalogue',
})

/** Guarded by the revision that was read; the profile only when it is another. */
export const UPDATE_SPONSOR = recordedWrite({
  name: 'sponsors_update',
  one: `update sponsors
           set status = $3, sealed = coalesce($4, sealed), revision = revision + 1, last_modified_at = $5
         where sponsor_id = $1 and revision = $2
        returning 1 as n`,
  history: 'catalogue',
})

/** Throws 404 `not_found` when there is none in the caller's scope. */
export async function findSponsor(
  db: Queryable,
  vault: Vault,
  { platformId, providerId }: Scope,
  id: string,
): Promise<Sponsor> {
  return opened(STORED.decodeFound(await db.query<object>(FIND, [id, platformId, providerId])), vault)
}

type Filter = { scope: Scope; statuses: SponsorStatus[] | undefined; page: Page }

export async function listSponsors(
  db: Queryable,
  vault: Vault,
  { scope, statuses, page }: Filter,
): Promise<Paged<Sponsor>> {
  const values = [statuses ?? null, scope.platformId, scope.providerId, page.limit, page.offset]
  const { rows, total } = STORED.decodePage(await db.query<{ total: number }>(LIST, values))
  return { rows: rows.map((stored) => opened(stored, vault)), total }
}

/** Seals the profile of a sponsor for its row. */
export const sealProfile = (key: DataKey, id: string, profile: SponsorProfile): string => seal(key, rowOf(id), profile)

/** Opens what is sealed of a sponsor, for those who read it with something else. */
export const openSponsor = (vault: Vault, { id, dataKey, sealed }: { id: string; dataKey: string; sealed: string }) =>
  unseal<SponsorProfile>(vault.open(dataKey), rowOf(id), sealed)

const rowOf = (id: string) => `sponsors:${id}`

function opened({ dataKey, sealed, ...stored }: RecordOf<typeof STORED>, vault: Vault): Sponsor {
  const key = vault.open(dataKey)
  return { ...stored, userId: null, key, profile: unseal<SponsorProfile>(key, rowOf(stored.id), sealed) }
}
