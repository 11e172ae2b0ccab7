import { type Scope, toScope, sponsorIsInScope } from '../../../access/scope.ts'
import type { Caller } from '../../../access/caller.ts'
import { sealedColumn, UNAVAILABLE } from '../../../kernel/crypto/sealed-column.ts'
import type { Vault } from '../../../kernel/crypto/vault.ts'
import { integer, nullable, type RecordOf, text, time } from '../../../kernel/db/columns.ts'
import { type Queryable, statement } from '../../../kernel/db/database.ts'
import type { Page, Paged } from '../../../kernel/db/page.ts'
import { recordedWrite } from '../../../record/index.ts'
import { type ListedSponsor, type Sponsor, SPONSOR, type SponsorProfile, SPONSORS } from './records.ts'
import type { SponsorStatus } from './states.ts'

const IN_SCOPE = sponsorIsInScope({ platform: '$2', provider: '$3' })

const FIND = statement('sponsors_find', `${SPONSORS.select} where s.sponsor_id = $1 and ${IN_SCOPE}`)

const listText = (where: string) =>
  SPONSORS.newest({ where: `($1::text[] is null or s.status = any ($1)) and ${where}`, limit: '$2', offset: '$3' })

/** A statement for each: a shared one would get one plan for all and scan the sponsors of every platform. */
const LIST = statement('sponsors_list', listText('true'))
const LIST_OWN = statement('sponsors_list_own', listText('s.platform_id = $4'))
const LIST_NAMED = statement('sponsors_list_named', listText('s.sponsor_id = any ($4)'))
const LIST_OWN_NAMED = statement('sponsors_list_own_named', listText('s.platform_id = $4 and s.sponsor_id = any ($5)'))

export const INSERT_SPONSOR = recordedWrite({
  name: 'sponsors_insert',
  values: { ...SPONSOR, at: time('at') },
  insert: 'sponsors',
  columns: 'sponsor_id, platform_id, slug, status, data_key, sealed, created_at = :at, last_modified_at = :at',
  history: 'catalogue',
})

/** A null `sealed` keeps the stored profile. */
export const UPDATE_SPONSOR = recordedWrite({
  name: 'sponsors_update',
  values: {
    id: text('sponsor_id'),
    revision: integer('revision'),
    status: text('status'),
    sealed: nullable(text('sealed')),
    at: time('at'),
  },
  update: 'sponsors s',
  key: 's.sponsor_id = :sponsor_id',
  guard: 's.revision = :revision',
  set: 'status = :status, sealed = coalesce(:sealed, s.sealed), revision = s.revision + 1, last_modified_at = :at',
  history: 'catalogue',
})

/** Returns a sponsor in the caller's scope. Throws 404 `not_found` when there is none. */
export async function findSponsor(
  db: Queryable,
  vault: Vault,
  { platformId, providerId }: Scope,
  id: string,
): Promise<Sponsor> {
  return decodeSponsor(SPONSORS.decodeFound(await db.query<object>(FIND, [id, platformId, providerId])), vault)
}

type Target = { deps: { db: Queryable; vault: Vault }; request: { caller: Caller }; params: { sponsor_id: string } }

/** Returns the sponsor in the path, in the caller's scope. Throws 404 `not_found` when there is none. */
export const sponsorInPath = ({ deps, request, params }: Target): Promise<Sponsor> =>
  findSponsor(deps.db, deps.vault, toScope(request.caller), params.sponsor_id)

type Filter = { scope: Scope; statuses: SponsorStatus[] | undefined; ids?: string[] | undefined; page: Page }

/** Returns the sponsors in scope, those with these ids where some are given. */
export async function findSponsors(
  db: Queryable,
  vault: Vault,
  { scope, statuses, ids, page }: Filter,
): Promise<Paged<ListedSponsor>> {
  if (scope.providerId !== null) return { rows: [], total: 0 } // benefit providers see no sponsors
  const ownerValues = scope.platformId === null ? [] : [scope.platformId]
  const [all, named] = ownerValues.length === 0 ? [LIST, LIST_NAMED] : [LIST_OWN, LIST_OWN_NAMED]
  const values = [statuses ?? null, page.limit, page.offset, ...ownerValues, ...(ids ? [ids] : [])]
  const { rows, total } = SPONSORS.decodePage(await db.query<{ total: number }>(ids ? named : all, values))
  return { rows: rows.map((stored) => decodeListed(stored, vault)), total }
}

export const PROFILE = sealedColumn<SponsorProfile, { id: string }>('sponsors.sealed', {
  row: ({ id }) => `sponsors:${id}`,
})

/** Decrypts the profile of a sponsor that another domain read in a join. */
export const unsealSponsor = (vault: Vault, { id, dataKey, sealed }: { id: string; dataKey: string; sealed: string }) =>
  PROFILE.unseal(vault.unwrap(dataKey), { id }, sealed)

function decodeSponsor({ dataKey, sealed, ...stored }: RecordOf<typeof SPONSORS>, vault: Vault): Sponsor {
  const key = vault.unwrap(dataKey)
  return { ...stored, userId: null, key, profile: PROFILE.unseal(key, stored, sealed) }
}

const UNREADABLE_PROFILE: SponsorProfile = {
  name: UNAVAILABLE,
  pan: UNAVAILABLE,
  address: { line1: UNAVAILABLE, city: UNAVAILABLE, state: UNAVAILABLE, country: UNAVAILABLE, pincode: UNAVAILABLE },
  sponsor_details: { sponsor_kind: 'ORGANISATION' },
}

function decodeListed({ dataKey, sealed, ...stored }: RecordOf<typeof SPONSORS>, vault: Vault): ListedSponsor {
  return { ...stored, profile: PROFILE.unsealOr(() => vault.unwrap(dataKey), stored, sealed, UNREADABLE_PROFILE) }
}
