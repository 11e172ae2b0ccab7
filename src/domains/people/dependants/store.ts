import type { Static } from 'typebox'
import { actorOf } from '../../../access/caller.ts'
import {
  IN_SCOPE,
  SCOPE_NAMES,
  SCOPE_PARAMETERS,
  scopeValues,
  USER_IS_IN_SCOPE,
  userScopeFrom,
  userIsInScope,
  type UserScope,
} from '../../../access/scope.ts'
import { sealedColumn, UNAVAILABLE } from '../../../kernel/crypto/sealed-column.ts'
import type { DataKey, Vault } from '../../../kernel/crypto/vault.ts'
import { bytes, integer, nullable, text, texts, time } from '../../../kernel/db/columns.ts'
import { type Database, foundRow, type Queryable, type Statement, statement } from '../../../kernel/db/database.ts'
import { listText } from '../../../kernel/db/list-text.ts'
import { namedStatement } from '../../../kernel/db/named-statement.ts'
import { decodeOwnedPage, type Page, type Paged } from '../../../kernel/db/page.ts'
import { batchedRead } from '../../../kernel/batching/batched-read.ts'
import { linkedWrite, type LinkedRowOf } from '../../../kernel/db/write-statement.ts'
import { alreadyExists, type ProblemError } from '../../../kernel/problem-error.ts'
import { type Author, type PersonField, recordedWrite } from '../../../record/index.ts'
import type { LinkedRecords } from '../users/index.ts'
import type { HashedIdentity } from './hash-identity.ts'
import { type Dependant, type DependantInput, DEPENDANTS, type DependantPath } from './records.ts'

const FIND = statement(
  'dependants_find',
  `select ${DEPENDANTS.list}, u.data_key
     from users u
     join dependants d on d.user_id = $1 and d.dependant_id = $4
    where u.user_id = $1 and ${IN_SCOPE}`,
)

const listWhere = (where: string) =>
  listText(
    {
      columns: DEPENDANTS.list,
      from: 'dependants d',
      where,
      order: 'd.created_at desc, d.dependant_id desc',
      limit: '$4',
      offset: '$5',
    },
    { from: 'users u', where: `u.user_id = $1 and ${IN_SCOPE}`, columns: 'u.data_key' },
  )

const LIST = statement('dependants_list', listWhere('d.user_id = $1 and d.superseded_at is null'))
const LIST_VERSIONS = statement('dependants_list_versions', listWhere('d.user_id = $1'))

const FIND_FAMILY = batchedRead<OwnerRow & { dependants: number }>({
  name: 'dependants_find_family',
  parameters: SCOPE_PARAMETERS,
  text: (calls, user, platform, provider) => `select c.n::int, u.platform_id, u.data_key, u.cover_revision,
          (select count(*)::int from dependants d where d.user_id = ${user} and d.superseded_at is null) as dependants
     from ${calls}
     join users u on u.user_id = ${user} and ${userIsInScope({ user, platform, provider })}`,
})

const FIND_EQUAL = statement(
  'dependants_find_equal',
  `select dependant_id from dependants
    where user_id = $1 and identity_hash = any ($2) and superseded_at is null and dependant_id is distinct from $3
    order by dependant_id`,
)

/** Finds the current versions that descend from the versions `$2`. */
const FIND_CURRENT = statement(
  'dependants_find_current',
  `with recursive line as (
     select dependant_id as version, dependant_id, superseded_at
       from dependants
      where user_id = $1 and dependant_id = any ($2)
      union all
     select l.version, d.dependant_id, d.superseded_at
       from line l
       join dependants d on d.user_id = $1 and d.previous_version_id = l.dependant_id
   )
   select l.version, l.dependant_id, d.sealed
     from line l
     join dependants d on d.user_id = $1 and d.dependant_id = l.dependant_id
    where l.superseded_at is null`,
)

/** The version `$2`, and those after it in their order. */
const FIND_LATER = statement(
  'dependants_find_later',
  `with recursive line as (
     select d.dependant_id, d.sealed, 0 as position
       from dependants d
      where d.user_id = $1 and d.dependant_id = $2
      union all
     select d.dependant_id, d.sealed, l.position + 1
       from line l
       join dependants d on d.user_id = $1 and d.previous_version_id = l.dependant_id
   )
   select dependant_id, sealed from line order by position`,
)

const COLUMNS = {
  userId: text('user_id'),
  id: text('dependant_id'),
  previousVersionId: nullable(text('previous_version_id')),
  identityHash: bytes('identity_hash'),
  sealed: text('sealed'),
  actor: text('actor'),
  at: time('at'),
  hashKey: text('hash_key'),
  correctedFields: nullable(texts('corrected_fields')),
}

/** Inserts in the order of identities, so that overlapping calls wait for each other instead of deadlocking. */
const insertAfter = (part: string) =>
  `insert into dependants (user_id, dependant_id, previous_version_id, identity_hash, sealed, actor, created_at,
          last_modified_at, hash_key, corrected_fields)
   select r.user_id, r.dependant_id, r.previous_version_id, r.identity_hash, r.sealed, r.actor, r.at, r.at, r.hash_key,
          r.corrected_fields
     from r
     join ${part} using (n)
    order by r.user_id, r.identity_hash`

export const LINKED_DEPENDANTS = linkedWrite(COLUMNS, { name: 'into_dependants', text: insertAfter('changed') })

/** Superseding a version and enrolling in a policy also increment `cover_revision`, so what was counted still holds. */
const CHANGE_COVER = {
  update: 'users u',
  set: 'cover_revision = u.cover_revision + 1',
  key: 'u.user_id = :user_id',
  guard: 'u.cover_revision = :cover_revision',
}
const COVER = { userId: text('user_id'), coverRevision: integer('cover_revision') }

export const INSERT_DEPENDANTS = recordedWrite({
  name: 'dependants_insert',
  values: COVER,
  ...CHANGE_COVER,
  batched: true,
  linked: [LINKED_DEPENDANTS],
})

/** Deletes every version of every dependant of the user `$1`; no policy may refer to one any more. */
export const ERASE_DEPENDANTS = statement('dependants_erase', 'delete from dependants where user_id = $1')

export const LINKED_SUPERSEDE = linkedWrite(
  { id: text('dependant_id'), at: time('at') },
  {
    name: 'superseded',
    text: `update dependants d
        set superseded_at = r.at, revision = d.revision + 1, last_modified_at = r.at
       from r
       join changed using (n)
      where d.user_id = :user_id and d.dependant_id = r.dependant_id
     returning n`,
  },
)

/** Runs after the previous version is superseded, because both may have the same identity. */
export const LINKED_NEXT_VERSION = linkedWrite(COLUMNS, { name: 'next_version', text: insertAfter('superseded') })

/** The number of versions up to the version `:dependant_id` of the user `:user_id`. */
const VERSION_COUNT = `(
     with recursive line as (
       select previous_version_id from dependants where user_id = :user_id and dependant_id = :dependant_id
       union all
       select p.previous_version_id
         from line l
         join dependants p on p.user_id = :user_id and p.dependant_id = l.previous_version_id
     )
     select count(*)::int from line) as versions`

export type CorrectionStatements = ReturnType<typeof correctionStatements>

/** Builds the read and the write of a dependant together with its linked records; called once, when the app is built. */
export const correctionStatements = ({ read, guard, linked, propagate }: LinkedRecords) => ({
  propagate,
  find: namedStatement(
    'dependants_find_to_correct',
    [...SCOPE_NAMES, 'dependant_id'],
    `select ${DEPENDANTS.list}, u.platform_id, u.data_key, u.cover_revision, ${VERSION_COUNT}, ${read.columns}
       from users u
       join dependants d on d.user_id = :user_id and d.dependant_id = :dependant_id
       left join ${read.from} on true
      where u.user_id = :user_id and ${USER_IS_IN_SCOPE}`,
  ),
  write: recordedWrite({
    name: 'dependants_correct',
    values: { ...COVER, seen: text('seen') },
    ...CHANGE_COVER,
    guard: `${CHANGE_COVER.guard} and ${guard}`,
    linked: [LINKED_SUPERSEDE, LINKED_NEXT_VERSION, ...linked],
    history: 'user',
  }),
})

/** Maps a violation of the unique identity of current versions to 409 `conflict`. */
export const identityConflict = (db: Queryable, userId: string, identities: readonly HashedIdentity[]) => ({
  dependants_identity: () => conflictWithRegistered(db, { userId, identities }),
})

type Identified = { userId: string; identities: readonly HashedIdentity[]; except?: string }

async function conflictWithRegistered(db: Queryable, { userId, identities, except }: Identified) {
  const hashes = identities.map(({ hash }) => hash)
  const existing = listIds(await db.query(FIND_EQUAL, [userId, hashes, except ?? null]))
  const detail = 'A dependant with these names and this date of birth is already registered.'
  return existing.length > 0 ? alreadyExists(detail, existing) : undefined
}

/**
 * Throws 409 `conflict` when a dependant other than `except` is registered under an older hash key, which the unique
 * identity does not see. The write is guarded by the `cover_revision` that was read before, so no concurrent write can register one.
 */
export async function refuseRegistered(db: Queryable, identified: Identified): Promise<void> {
  const problem = identified.identities.length > 0 ? await conflictWithRegistered(db, identified) : undefined
  if (problem) throw problem
}

/** Returns 409 `conflict` with the id of the current version: a superseded one cannot be corrected. */
export async function newerVersionConflict(
  db: Queryable,
  { userId, id }: Pick<Dependant, 'userId' | 'id'>,
): Promise<ProblemError> {
  const current = listIds(await db.query(FIND_CURRENT, [userId, [id]]))
  return alreadyExists('A newer version of this dependant exists. Correct that one.', current)
}

/** Returns the current versions of a user's dependants, sealed, by the ids of versions that may be superseded. */
export async function findCurrentVersions(
  db: Queryable,
  userId: string,
  versions: readonly string[],
): Promise<ReadonlyMap<string, { id: string; sealed: string }>> {
  type Row = { version: string; dependant_id: string; sealed: string }
  const rows = await db.query<Row>(FIND_CURRENT, [userId, versions])
  return new Map(rows.map(({ version, dependant_id: id, sealed }) => [version, { id, sealed }]))
}

/** Returns a version with those that corrected it since, sealed, in their order; none for an unknown id. */
export async function findLaterVersions(db: Queryable, { userId, id }: Pick<Dependant, 'userId' | 'id'>) {
  const rows = await db.query<{ dependant_id: string; sealed: string }>(FIND_LATER, [userId, id])
  return rows.map(({ dependant_id, sealed }) => ({ userId, id: dependant_id, sealed }))
}

const listIds = (rows: { dependant_id: string }[]) => rows.map(({ dependant_id }) => dependant_id)

/** `fields`: what a new version corrects; none for a first one. */
type NewRow = { key: DataKey; identity: HashedIdentity; fields?: readonly PersonField[]; author: Author }

/** Returns the row of a new version. Written out, not mapped, because a request may create ten. */
export const toRow = (
  { id, userId, previousVersionId, profile }: Dependant,
  { key, identity, fields, author }: NewRow,
): LinkedRowOf<typeof LINKED_DEPENDANTS> => ({
  user_id: userId,
  dependant_id: id,
  previous_version_id: previousVersionId,
  identity_hash: identity.hash,
  hash_key: identity.hashKey,
  sealed: PROFILE.seal(key, { userId, id }, profile),
  actor: actorOf(author.caller),
  at: author.at,
  corrected_fields: fields ? [...fields] : null,
})

type Context = { db: Queryable; vault: Vault }

/** A user with the number of their current dependants. */
export type Family = { platformId: string; key: DataKey; coverRevision: number; dependants: number }

/** Returns a user's family. Throws 404 `not_found` when the user is not in the caller's scope. */
export async function findFamily({ db, vault }: { db: Database; vault: Vault }, scope: UserScope): Promise<Family> {
  const { dependants, ...row } = foundRow(await FIND_FAMILY(db, scopeValues(scope)))
  return { ...decodeOwner(row, vault), dependants }
}

type OwnerRow = { platform_id: string; data_key: string; cover_revision: number }

const decodeOwner = (row: OwnerRow, vault: Vault) => ({
  platformId: row.platform_id,
  key: vault.unwrap(row.data_key),
  coverRevision: row.cover_revision,
})

type Target = { deps: Context; request: Parameters<typeof userScopeFrom>[0]; params: Static<typeof DependantPath> }

/** Returns any version by its id. Throws 404 `not_found` when the user or the version is not in the caller's scope. */
export async function dependantInPath({ deps: { db, vault }, request, params }: Target): Promise<Dependant> {
  const values = [...scopeValues(userScopeFrom(request)), params.dependant_id]
  const row = foundRow(await db.query<{ data_key: string }>(FIND, values))
  return decode(row, vault.unwrap(row.data_key))
}

/** A version with the fields of its user that a correction needs. */
type OwnedDependant = Dependant & { platformId: string; key: DataKey; coverRevision: number }

/** Returns a version with its linked records, one row each. Throws 404 `not_found` as `dependantInPath` does. */
export async function findToCorrect(
  { db, vault, find }: Context & Pick<CorrectionStatements, 'find'>,
  scope: UserScope,
  id: string,
): Promise<{ dependant: OwnedDependant; versions: number; linked: object[] }> {
  const rows = await db.query<OwnerRow & { versions: number }>(find, [...scopeValues(scope), id])
  const row = foundRow(rows)
  const owner = decodeOwner(row, vault)
  return { dependant: { ...decode(row, owner.key), ...owner }, versions: row.versions, linked: rows }
}

/** Returns the current versions, newest first. Throws 404 `not_found` when the user is not in the caller's scope. */
export const findDependants = (context: Context, scope: UserScope, page: Page): Promise<Paged<Dependant>> =>
  queryPage(context, LIST, [...scopeValues(scope), page.limit, page.offset])

/** Returns every version of every dependant, newest first, or throws the same. */
export const listVersions = (context: Context, scope: UserScope, page: Page): Promise<Paged<Dependant>> =>
  queryPage(context, LIST_VERSIONS, [...scopeValues(scope), page.limit, page.offset])

async function queryPage({ db, vault }: Context, list: Statement, values: unknown[]): Promise<Paged<Dependant>> {
  const rows = await db.query<{ total: number; data_key: string }>(list, values)
  return decodeOwnedPage(rows, 'dependant_id', (row) =>
    decode(row, vault.unwrap(row.data_key), unsealDependantTolerantly),
  )
}

export const unsealDependant = (key: DataKey, row: { userId: string; id: string; sealed: string }): DependantInput =>
  PROFILE.unseal(key, row, row.sealed)

/** Returns the birth of a dependant; undefined where the profile, or its key, cannot be read. */
export const birthOf = (
  key: Parameters<typeof PROFILE.unsealOr>[0],
  row: { userId: string; id: string; sealed: string },
): string | undefined => PROFILE.unsealOr(key, row, row.sealed, undefined)?.date_of_birth

/** The same for lists, exports and documents: an unreadable profile is shown as unavailable. */
export const unsealDependantTolerantly: typeof unsealDependant = (key, row) =>
  PROFILE.unsealOr(key, row, row.sealed, UNREADABLE_PROFILE)

/** The day is one that every client can read, and nobody was born on. */
const UNREADABLE_PROFILE = { first_name: UNAVAILABLE, last_name: UNAVAILABLE, date_of_birth: '0001-01-01' }

export const PROFILE = sealedColumn<DependantInput, { userId: string; id: string }>('dependants.sealed', {
  row: ({ userId, id }) => `dependants:${userId}:${id}`,
})

function decode(row: object, key: DataKey, open = unsealDependant): Dependant {
  const { sealed, ...stored } = DEPENDANTS.decode(row)
  return { ...stored, profile: open(key, { ...stored, sealed }) }
}
