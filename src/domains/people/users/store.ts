import assert from 'node:assert/strict'
import { LOCK_OUT_PARTS } from '../../../access/otp.ts'
import { LINKED_REVOKE_PHONES } from '../../../access/revocations.ts'
import {
  IN_SCOPE,
  isNotErased,
  type Scope,
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
import { bytes, integer, nullable, type RowWith, text, time } from '../../../kernel/db/columns.ts'
import { type Database, foundRow, type Queryable, type Statement, statement } from '../../../kernel/db/database.ts'
import { namedStatement } from '../../../kernel/db/named-statement.ts'
import { decodePage, type Page, type Paged } from '../../../kernel/db/page.ts'
import { batchedRead } from '../../../kernel/batching/batched-read.ts'
import { linkedInsert, type LinkedWrite, linkedWrite } from '../../../kernel/db/write-statement.ts'
import { recordedWrite } from '../../../record/index.ts'
import type { LinkedRecords } from './linked-records.ts'
import { type Profile, type ListedUser, type User, USERS } from './records.ts'
import { unsealReferenceOr } from './reference-store.ts'

const ENSURE_IN_SCOPE = statement(
  'users_ensure_in_scope',
  `select u.user_id from users u where u.user_id = $1 and ${IN_SCOPE}`,
)

const FIND = batchedRead<object>({
  name: 'users_find',
  parameters: SCOPE_PARAMETERS,
  text: (calls, user, platform, provider) => `select c.n::int, ${USERS.list}
     from ${calls}
     join users u on u.user_id = ${user} and ${userIsInScope({ user, platform, provider })}`,
})

/** Two statements: a shared one would get the plan of the largest platform and scan all users for the smallest. */
const LIST = statement('users_list', USERS.newest({ where: isNotErased('u'), limit: '$1', offset: '$2' }))
const LIST_OWN = statement(
  'users_list_own',
  USERS.newest({ where: `u.platform_id = $1 and ${isNotErased('u')}`, limit: '$2', offset: '$3' }),
)

/** The user of a lookup row, and the hash key of its hash. */
const HOLDER = { userId: text('user_id'), hashKey: text('hash_key') }
export const LINKED_PHONES = linkedInsert('user_phones', { hash: bytes('phone_hash'), ...HOLDER })
export const LINKED_ID_PROOFS = linkedInsert('user_id_proofs', { hash: bytes('id_proof_hash'), ...HOLDER })

/** Frees a hash of the old phone. It is a value of the write, not a row, so that a cluster can route the statement. */
const freePhonePart = (name: string, column: string): LinkedWrite => ({
  name,
  columns: null,
  text: `delete from user_phones p
      using changed join calls c using (n)
      where p.phone_hash = c.${column} and p.user_id = c.user_id`,
  single: `delete from user_phones p using changed where p.phone_hash = :${column} and p.user_id = :user_id`,
})

/** Frees a phone of a user that a row names. */
export const LINKED_FREE_PHONE = linkedWrite(
  { hash: bytes('phone_hash'), userId: text('user_id') },
  {
    name: 'freed_phone',
    text: `delete from user_phones p
      using r join changed using (n)
      where p.phone_hash = r.phone_hash and p.user_id = r.user_id`,
  },
)

/** The parts of a change of phone, whose rows `toNewPhoneRows` returns. */
const NEW_PHONE_PARTS = [
  LINKED_PHONES,
  freePhonePart('freed_phone', 'old_phone_hash'),
  freePhonePart('freed_other_phone', 'old_other_phone_hash'),
  LINKED_REVOKE_PHONES,
  ...LOCK_OUT_PARTS,
]

/**
 * Inserts a user with its lookup rows. Aborts when the phone, id proof or id is taken; the next attempt finds its
 * owner.
 */
export const INSERT_USER = recordedWrite({
  name: 'users_insert',
  values: {
    id: text('user_id'),
    platformId: text('platform_id'),
    dataKey: text('data_key'),
    sealed: text('sealed'),
    profileDigest: bytes('profile_digest'),
    phoneHash: bytes('phone_hash'),
    otherPhoneHash: nullable(bytes('other_phone_hash')),
    idProofHash: nullable(bytes('id_proof_hash')),
    idProofLast4: nullable(text('id_proof_last4')),
    at: time('at'),
  },
  insert: 'users',
  columns: `user_id, platform_id, data_key, sealed, profile_digest, phone_hash, other_phone_hash, id_proof_hash,
    id_proof_last4, created_at = :at, last_modified_at = :at`,
  batchKey: 'user_id',
  linked: [LINKED_PHONES, LINKED_ID_PROOFS],
})

/**
 * What an update of a user writes. `previous_phone_hash` is the one that was read: a rotation of the hash key changes only
 * the hash. A token request also has the digest of its fields and an id proof, otherwise null.
 */
const UPDATED_USER = {
  id: text('user_id'),
  revision: integer('revision'),
  sealed: text('sealed'),
  profileDigest: nullable(bytes('profile_digest')),
  phoneHash: bytes('phone_hash'),
  otherPhoneHash: nullable(bytes('other_phone_hash')),
  idProofHash: nullable(bytes('id_proof_hash')),
  idProofLast4: nullable(text('id_proof_last4')),
  previousPhoneHash: bytes('previous_phone_hash'),
  oldPhoneHash: nullable(bytes('old_phone_hash')),
  oldOtherPhoneHash: nullable(bytes('old_other_phone_hash')),
  at: time('at'),
}
export type UpdatedUser = RowWith<typeof UPDATED_USER>

/** How a user changes, with the SQL of the new `profile_digest`. */
const changeShape = (profileDigest: string) => ({
  update: 'users u',
  set: `sealed = :sealed, profile_digest = ${profileDigest}, phone_hash = :phone_hash,
             other_phone_hash = :other_phone_hash, id_proof_hash = coalesce(:id_proof_hash, u.id_proof_hash),
             id_proof_last4 = coalesce(:id_proof_last4, u.id_proof_last4), revision = u.revision + 1,
             last_modified_at = :at`,
  key: 'u.user_id = :user_id',
  guard: 'u.revision = :revision and u.phone_hash = :previous_phone_hash',
})

export const UPDATE_PROFILE = recordedWrite({
  name: 'users_update_profile',
  values: UPDATED_USER,
  ...changeShape('coalesce(:profile_digest, u.profile_digest)'),
  batched: true,
  linked: [...NEW_PHONE_PARTS, LINKED_ID_PROOFS],
})

/** Adds what a change of the member's details needs: a concurrent enrolment changes `cover_revision`. */
const withLinked = <S extends { set: string; guard: string }>(change: S, guard: string) => ({
  ...change,
  set: `${change.set}, cover_revision = u.cover_revision + 1`,
  guard: `${change.guard} and u.cover_revision = :cover_revision and ${guard}`,
})
const FOLLOWED = { coverRevision: integer('cover_revision'), seen: text('seen') }

export type UpdateStatements = ReturnType<typeof updateStatements>

/** Builds the read and the write of a user together with its linked records; called once, when the app is built. */
export const updateStatements = ({ read, guard, linked, propagate }: LinkedRecords) => ({
  propagate,
  find: namedStatement(
    'users_find_to_update',
    SCOPE_NAMES,
    `select ${USERS.list}, ${read.columns}
       from users u
       left join ${read.from} on true
      where u.user_id = :user_id and ${USER_IS_IN_SCOPE}`,
  ),
  // Without a digest, the next token request compares its fields.
  write: recordedWrite({
    name: 'users_update',
    values: { ...UPDATED_USER, ...FOLLOWED },
    ...withLinked(changeShape(`coalesce(:profile_digest::bytea, '')`), guard),
    linked: [...NEW_PHONE_PARTS, LINKED_ID_PROOFS, ...linked],
    history: 'user',
  }),
})

/** The shape of the write that completes the profile, guarded by what was read and by the condition of the linked records. */
export const saveOnboarding = (guard: string) => ({
  values: {
    id: text('user_id'),
    revision: integer('revision'),
    ...FOLLOWED,
    sealed: text('sealed'),
    onboardingDigest: bytes('onboarding_digest'),
    at: time('at'),
  },
  update: 'users u',
  key: 'u.user_id = :user_id',
  ...withLinked(
    {
      set: `sealed = :sealed, onboarding_digest = :onboarding_digest, onboarded_at = :at, revision = u.revision + 1,
            last_modified_at = :at`,
      guard: 'u.revision = :revision',
    },
    guard,
  ),
})

type Target<Deps> = { deps: Deps; request: Parameters<typeof userScopeFrom>[0] }

/** Throws 404 `not_found` when the user in the path is not in the caller's scope. Decrypts nothing. */
export async function ensureUserInPath({ deps, request }: Target<{ db: Queryable }>): Promise<void> {
  foundRow(await deps.db.query(ENSURE_IN_SCOPE, scopeValues(userScopeFrom(request))))
}

/** Returns a user in the caller's scope. Throws 404 `not_found` when there is none. */
export async function findUser(db: Database, vault: Vault, scope: UserScope): Promise<User> {
  return decodeUser(foundRow(await FIND(db, scopeValues(scope))), vault)
}

export const userInPath = ({ deps, request }: Target<{ db: Database; vault: Vault }>): Promise<User> =>
  findUser(deps.db, deps.vault, userScopeFrom(request))

/** The same for the export: an unreadable profile is shown as unavailable. */
export async function findListedUser(
  db: Database,
  vault: Vault,
  scope: UserScope,
): Promise<ListedUser & { key: DataKey }> {
  const row = foundRow(await FIND(db, scopeValues(scope)))
  const { dataKey } = USERS.decode(row)
  return { ...decodeListed(row, vault), key: vault.unwrap(dataKey as string) }
}

type Context = { db: Queryable; vault: Vault }

/** Returns a page of a platform's users, or of all users when `platformId` is null, newest first. */
export async function findUsers(
  context: Context,
  { platformId }: Scope,
  { limit, offset }: Page,
): Promise<Paged<ListedUser>> {
  return platformId === null
    ? findPage(context, LIST, [limit, offset])
    : findPage(context, LIST_OWN, [platformId, limit, offset])
}

/** Returns the page of users that a list or a search finds. */
export async function findPage({ db, vault }: Context, list: Statement, values: unknown[]): Promise<Paged<ListedUser>> {
  const rows = await db.query<{ total: number }>(list, values)
  return decodePage(rows, 'user_id', (row) => decodeListed(row, vault))
}

const UNREADABLE_PROFILE: Profile = {
  phone_country_code: UNAVAILABLE,
  phone_number: UNAVAILABLE,
  first_name: UNAVAILABLE,
  last_name: UNAVAILABLE,
}

function decodeListed(row: object, vault: Vault): ListedUser {
  const { dataKey, sealed, onboardedAt: _, ...stored } = USERS.decode(row)
  const key = () => vault.unwrap(dataKey as string)
  return {
    ...stored,
    profile: unsealProfileTolerantly(key, stored, sealed),
    employeeNumber: () => unsealReferenceOr(key, stored, UNAVAILABLE),
  }
}

export const unsealProfileTolerantly: typeof PROFILE.unseal = (key, at, sealed) =>
  PROFILE.unsealOr(key, at, sealed, UNREADABLE_PROFILE)

/**
 * Returns a user with its linked records, one row each. Throws 404 `not_found` when the user is not in the caller's scope.
 */
export async function findToUpdate(
  { db, vault, find }: Context & Pick<UpdateStatements, 'find'>,
  scope: UserScope,
): Promise<{ user: User; linked: object[] }> {
  const rows = await db.query<object>(find, scopeValues(scope))
  return { user: decodeUser(foundRow(rows), vault), linked: rows }
}

export const PROFILE = sealedColumn<Profile, { id: string }>('users.sealed', { row: ({ id }) => `users:${id}` })

/** SQL: joins the user `u` of a row, who has not been erased. */
export const joinUserText = (row: string): string =>
  `join users u on u.user_id = ${row}.user_id and ${isNotErased('u')}`

/** SQL: the user of a write is not erased, and is not before it is done. What is held of an erased user is there, and nothing is sent about it. */
export const STAYS_THERE = `exists (select from users u where u.user_id = :user_id and ${isNotErased('u')} for share)`

/** The columns of `users u` that `decodeUser` reads, for joins in other domains. */
export const USER_COLUMNS = USERS.list

export function decodeUser(row: object, vault: Vault): User {
  const { dataKey, sealed, onboardedAt, ...stored } = USERS.decode(row)
  return { ...stored, isOnboarded: onboardedAt !== null, ...unsealProfile(vault, { id: stored.id, dataKey, sealed }) }
}

export function unsealProfile(vault: Vault, row: { id: string; dataKey: string | null; sealed: string }) {
  assert(row.dataKey !== null, 'a user that is served has a data key')
  const key = vault.unwrap(row.dataKey)
  return { key, profile: PROFILE.unseal(key, row, row.sealed) }
}
