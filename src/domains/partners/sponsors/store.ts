import { type Scope, sponsorIsInScope } from '../../../access/scope.ts'
import { sealedColumn, UNAVAILABLE } from '../../../kernel/crypto/sealed-column.ts'
import type { DataKey, Vault } from '../../../kernel/crypto/vault.ts'
import { oneOf, type RecordOf, text } from '../../../kernel/db/columns.ts'
import { type Queryable, statement } from '../../../kernel/db/database.ts'
import type { Page, Paged } from '../../../kernel/db/page.ts'
import { table } from '../../../kernel/db/table.ts'
import { VERSION } from '../../../kernel/db/version.ts'
import { recordedWrite } from '../../../record/index.ts'
import type { SponsorInput } from './schemas.ts'
import { SPONSOR_STATUSES, type SponsorStatus } from './states.ts'

/** The encrypted part: a sponsor can be a person. */
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
  /** Always null: sponsors do not belong to users. */
  userId: null
  key: DataKey
  profile: SponsorProfile
}

const IN_SCOPE = sponsorIsInScope({ platform: '$2', provider: '$3' })

const FIND = statement('sponsors_find', `${STORED.select} where s.sponsor_id = $1 and ${IN_SCOPE}`)

const listText = (where: string) =>
  STORED.newest({ where: `($1::text[] is null or s.status = any ($1)) and ${where}`, limit: '$2', offset: '$3' })

/** Two statements: a shared one would get one plan for all and scan the sponsors of every platform. */
const LIST = statement('sponsors_list', listText('true'))
const LIST_OWN = statement('sponsors_list_own', listText('s.platform_id = $4'))

export const INSERT_SPONSOR = recordedWrite({
  name: 'sponsors_insert',
  one: `insert into sponsors (sponsor_id, platform_id, slug, status, data_key, sealed, created_at, last_modified_at)
        values ($1, $2, $3, $4, $5, $6, $7, $7)
        returning 1 as n`,
  history: 'catalogue',
})

/** Guarded by the revision that was read. A null `sealed` keeps the stored profile. */
export const UPDATE_SPONSOR = recordedWrite({
  name: 'sponsors_update',
  one: `update sponsors
           set status = $3, sealed = coalesce($4, sealed), revision = revision + 1, last_modified_at = $5
         where sponsor_id = $1 and revision = $2
        returning 1 as n`,
  history: 'catalogue',
})

/** Returns a sponsor in the caller's scope. Throws 404 `not_found` when there is none. */
export async function findSponsor(
  db: Queryable,
  vault: Vault,
  { platformId, providerId }: Scope,
  id: string,
): Promise<Sponsor> {
  return decodeSponsor(STORED.decodeFound(await db.query<object>(FIND, [id, platformId, providerId])), vault)
}

type Filter = { scope: Scope; statuses: SponsorStatus[] | undefined; page: Page }

export async function listSponsors(
  db: Queryable,
  vault: Vault,
  { scope, statuses, page }: Filter,
): Promise<Paged<ShownSponsor>> {
  if (scope.providerId !== null) return { rows: [], total: 0 } // benefit providers see no sponsors
  const values = [statuses ?? null, page.limit, page.offset]
  const { rows, total } = STORED.decodePage(
    scope.platformId === null
      ? await db.query<{ total: number }>(LIST, values)
      : await db.query<{ total: number }>(LIST_OWN, [...values, scope.platformId]),
  )
  return { rows: rows.map((stored) => decodeShown(stored, vault)), total }
}

export const PROFILE = sealedColumn<SponsorProfile, { id: string }>('sponsors.sealed', {
  row: ({ id }) => `sponsors:${id}`,
})

/** Decrypts the profile of a sponsor that another domain read in a join. */
export const openSponsor = (vault: Vault, { id, dataKey, sealed }: { id: string; dataKey: string; sealed: string }) =>
  PROFILE.open(vault.open(dataKey), { id }, sealed)

function decodeSponsor({ dataKey, sealed, ...stored }: RecordOf<typeof STORED>, vault: Vault): Sponsor {
  const key = vault.open(dataKey)
  return { ...stored, userId: null, key, profile: PROFILE.open(key, stored, sealed) }
}

/** A sponsor as a list shows it: an unreadable profile, or key, is shown as unavailable. */
export type ShownSponsor = Omit<Sponsor, 'key' | 'userId'>

const UNREADABLE_PROFILE: SponsorProfile = {
  name: UNAVAILABLE,
  pan: UNAVAILABLE,
  address: { line1: UNAVAILABLE, city: UNAVAILABLE, state: UNAVAILABLE, country: UNAVAILABLE, pincode: UNAVAILABLE },
  sponsor_details: { sponsor_kind: 'ORGANISATION' },
}

function decodeShown({ dataKey, sealed, ...stored }: RecordOf<typeof STORED>, vault: Vault): ShownSponsor {
  return { ...stored, profile: PROFILE.openOr(() => vault.open(dataKey), stored, sealed, UNREADABLE_PROFILE) }
}
