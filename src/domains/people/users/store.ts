import assert from 'node:assert/strict'
import { LOCK_OUT_PARTS } from '../../../access/otp.ts'
import {
  isNotErased,
  type Scope,
  SCOPE_PARAMETERS,
  scopeValues,
  userIsInScope,
  type UserScope,
} from '../../../access/scope.ts'
import { sealedColumn, UNAVAILABLE } from '../../../kernel/crypto/sealed-column.ts'
import type { DataKey, Vault } from '../../../kernel/crypto/vault.ts'
import { bytes, decoded, integer, nullable, type RecordOf, text, time } from '../../../kernel/db/columns.ts'
import { type Database, foundRow, type Queryable, type Statement, statement } from '../../../kernel/db/database.ts'
import { decodeUserId } from '../../../access/user-id.ts'
import { decodePage, type Page, type Paged } from '../../../kernel/db/page.ts'
import { sharedRead } from '../../../kernel/batching/shared-read.ts'
import { table } from '../../../kernel/db/table.ts'
import { VERSION } from '../../../kernel/db/version.ts'
import { insertPart, type Part, partWith } from '../../../kernel/db/write-statement.ts'
import { recordedWrite, type RecordedWrite } from '../../../record/index.ts'
import type { Followers } from './followers.ts'
import type { IssueTokenInput } from './schemas.ts'
import type { StoredPhone } from './stored-phone.ts'

/** The encrypted part of a user. */
export type Profile = Omit<IssueTokenInput, 'id_proof'> & {
  title?: string
  bank_details?: { account_number: string; ifsc_code: string }
}

export const STORED = table('users u', {
  id: decoded('user_id', decodeUserId),
  platformId: text('platform_id'),
  dataKey: nullable(text('data_key')),
  sealed: text('sealed'),
  phoneHash: bytes('phone_hash'),
  otherPhoneHash: nullable(bytes('other_phone_hash')),
  idProofHash: nullable(bytes('id_proof_hash')),
  idProofLast4: nullable(text('id_proof_last4')),
  onboardingDigest: nullable(bytes('onboarding_digest')),
  onboardedAt: nullable(time('onboarded_at')),
  coverRevision: integer('cover_revision'),
  ...VERSION,
})

export type User = Omit<RecordOf<typeof STORED>, 'dataKey' | 'sealed' | 'onboardedAt'> & {
  key: DataKey
  profile: Profile
  isOnboarded: boolean
}

const IN_SCOPE = userIsInScope({ user: '$1', platform: '$2', provider: '$3' })

const ENSURE_IN_SCOPE = statement(
  'users_ensure_in_scope',
  `select u.user_id from users u where u.user_id = $1 and ${IN_SCOPE}`,
)

const FIND = sharedRead<object>({
  name: 'users_find',
  parameters: SCOPE_PARAMETERS,
  text: (calls, user, platform, provider) => `select c.n::int, ${STORED.list}
     from ${calls}
     join users u on u.user_id = ${user} and ${userIsInScope({ user, platform, provider })}`,
})

/** Two statements: a shared one would get the plan of the largest platform and scan all users for the smallest. */
const LIST = statement('users_list', STORED.newest({ where: isNotErased('u'), limit: '$1', offset: '$2' }))
const LIST_OWN = statement(
  'users_list_own',
  STORED.newest({ where: `u.platform_id = $1 and ${isNotErased('u')}`, limit: '$2', offset: '$3' }),
)

/** The user of a look-up row, and the hash key of its hash. */
const HOLDER = { userId: text('user_id'), hashKey: text('hash_key') }
export const PHONES_PART = insertPart('user_phones', { hash: bytes('phone_hash'), ...HOLDER })
export const ID_PROOFS_PART = insertPart('user_id_proofs', { hash: bytes('id_proof_hash'), ...HOLDER })

/** Frees a hash of the old phone. It is a value of the write, not a row, so that a cluster can route the statement. */
const freePhonePart = (name: string, { column, value }: { column: string; value: string }): Part => ({
  name,
  columns: null,
  text: `delete from user_phones p
      using changed join calls c using (n)
      where p.phone_hash = c.${column} and p.user_id = c.user_id`,
  one: `delete from user_phones p using changed where p.phone_hash = ${value} and p.user_id = $1`,
})

/** Frees a phone of a user that a row names. */
export const FREE_PHONE_PART = partWith(
  { hash: bytes('phone_hash'), userId: text('user_id') },
  {
    name: 'freed_phone',
    text: `delete from user_phones p
      using r join changed using (n)
      where p.phone_hash = r.phone_hash and p.user_id = r.user_id`,
  },
)

/** The parts of a change of phone; `rowsOfNewPhone` returns their rows, and `freedPhones` the values named here. */
const newPhoneParts = (phone: string, otherPhone: string): Part[] => [
  PHONES_PART,
  freePhonePart('freed_phone', { column: 'old_phone_hash', value: phone }),
  freePhonePart('freed_other_phone', { column: 'old_other_phone_hash', value: otherPhone }),
  ...LOCK_OUT_PARTS,
]

/**
 * Inserts a user with its lookup rows. Aborts when the phone, id proof or id is taken; the next attempt finds its
 * owner.
 */
export const INSERT_USER = recordedWrite({
  name: 'users_insert',
  one: `insert into users (user_id, platform_id, data_key, sealed, profile_digest, phone_hash, id_proof_hash,
               id_proof_last4, created_at, last_modified_at, other_phone_hash)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, $10)
        returning 1 as n`,
  many: {
    columns: `user_id text, platform_id text, data_key text, sealed text, profile_digest bytea, phone_hash bytea,
      id_proof_hash bytea, id_proof_last4 text, at timestamptz, other_phone_hash bytea`,
    text: `inserted as (
       insert into users (user_id, platform_id, data_key, sealed, profile_digest, phone_hash, id_proof_hash,
              id_proof_last4, created_at, last_modified_at, other_phone_hash)
       select user_id, platform_id, data_key, sealed, profile_digest, phone_hash, id_proof_hash, id_proof_last4, at, at,
              other_phone_hash
         from calls
        order by user_id
       returning user_id
     ), changed as (select n from calls join inserted using (user_id))`,
  },
  parts: [PHONES_PART, ID_PROOFS_PART],
})

/** `$3` to `$12`: the new profile, guarded by the revision and the hash that were read: a rotation of the hash key changes only the hash. */
export const UPDATE_PROFILE = recordedWrite({
  name: 'users_update_profile',
  one: `update users
           set sealed = $3, profile_digest = coalesce($4, profile_digest), phone_hash = $5, id_proof_hash = $6,
               id_proof_last4 = coalesce($7, id_proof_last4), revision = revision + 1, last_modified_at = $8,
               other_phone_hash = $9
         where user_id = $1 and revision = $2 and phone_hash = $10
        returning 1 as n`,
  many: {
    columns: `user_id text, revision int, sealed text, profile_digest bytea, phone_hash bytea, id_proof_hash bytea,
      id_proof_last4 text, at timestamptz, other_phone_hash bytea, previous_phone_hash bytea, old_phone_hash bytea,
      old_other_phone_hash bytea`,
    text: `held as (
       select c.n, u.user_id
         from calls c
         join users u on u.user_id = c.user_id and u.revision = c.revision and u.phone_hash = c.previous_phone_hash
          for no key update of u skip locked
     ), changed as (
       update users u
          set sealed = c.sealed, profile_digest = coalesce(c.profile_digest, u.profile_digest),
              phone_hash = c.phone_hash, id_proof_hash = c.id_proof_hash, id_proof_last4 = coalesce(c.id_proof_last4, u.id_proof_last4),
              revision = u.revision + 1, last_modified_at = c.at, other_phone_hash = c.other_phone_hash
         from calls c
         join held h on h.n = c.n
        where u.user_id = h.user_id
       returning c.n)`,
  },
  parts: [...newPhoneParts('$11', '$12'), ID_PROOFS_PART],
})

/** Read and write a user together with its followers. */
export type UpdateStatements = { find: Statement; write: RecordedWrite }

/** Builds the statements of an update; called once, when the routes are mounted. */
export const updateStatements = ({ read, guard, parts }: Followers): UpdateStatements => ({
  find: statement(
    'users_find_to_update',
    `select ${STORED.list}, ${read.columns}
       from users u
       left join ${read.from} on true
      where u.user_id = $1 and ${IN_SCOPE}`,
  ),
  // A concurrent enrolment changes `cover_revision`. `$12` to `$14` come from token requests (4.1); without a digest the
  // next one compares its fields.
  write: recordedWrite({
    name: 'users_update',
    one: `update users
             set sealed = $5, profile_digest = coalesce($12::bytea, ''), phone_hash = $6, revision = revision + 1,
                 cover_revision = cover_revision + 1, last_modified_at = $7, other_phone_hash = $8,
                 id_proof_hash = coalesce($13, id_proof_hash), id_proof_last4 = coalesce($14, id_proof_last4)
           where user_id = $1 and revision = $2 and phone_hash = $9 and cover_revision = $4 and ${guard}
          returning 1 as n`,
    parts: [...newPhoneParts('$10', '$11'), ID_PROOFS_PART, ...parts],
    history: 'user',
  }),
})

/**
 * What an update writes. `freed`: the hash of the phone that was read, and those that the update frees. Only a token request has the
 * digest of its fields and an id proof.
 */
export type WrittenUser = {
  sealed: string
  phone: StoredPhone
  freed: readonly (Buffer | null)[]
  digest?: Buffer | null
  idProofHash?: Buffer | null
  idProofLast4?: string | null
}

/** Returns the values of the write, by the revisions that were read; `seen` comes from `follow`. */
export const valuesOfUpdate = (
  { id, revision, coverRevision }: Pick<User, 'id' | 'revision' | 'coverRevision'>,
  { sealed, phone, freed, digest = null, idProofHash = null, idProofLast4 = null }: WrittenUser,
  { seen, at }: { seen: string; at: Date },
) => [
  id,
  revision,
  seen,
  coverRevision,
  sealed,
  phone.phoneHash,
  at,
  phone.otherPhoneHash,
  ...freed,
  digest,
  idProofHash,
  idProofLast4,
]

/**
 * Returns SQL that completes the profile, to `$5` to `$7`. Guarded by the revisions of the user and the cover that were
 * read, and by the followers' condition.
 */
export const saveOnboarding = (guard: string): string => `update users
    set sealed = $5, onboarding_digest = $6, onboarded_at = $7, revision = revision + 1,
        cover_revision = cover_revision + 1, last_modified_at = $7
  where user_id = $1 and revision = $2 and cover_revision = $4 and ${guard}
 returning 1 as n`

/** Throws 404 `not_found` when the user is not in the caller's scope. Decrypts nothing. */
export async function ensureUserInScope(db: Queryable, scope: UserScope): Promise<void> {
  foundRow(await db.query(ENSURE_IN_SCOPE, scopeValues(scope)))
}

/** Returns a user in the caller's scope. Throws 404 `not_found` when there is none. */
export async function findUser(db: Database, vault: Vault, scope: UserScope): Promise<User> {
  return decodeUser(foundRow(await FIND(db, scopeValues(scope))), vault)
}

/** The same for the export: an unreadable profile is shown as unavailable. */
export async function findShownUser(
  db: Database,
  vault: Vault,
  scope: UserScope,
): Promise<ShownUser & { key: DataKey }> {
  const row = foundRow(await FIND(db, scopeValues(scope)))
  const { dataKey } = STORED.decode(row)
  return { ...decodeShown(row, vault), key: vault.open(dataKey as string) }
}

type Context = { db: Queryable; vault: Vault }

/** Returns a page of a platform's users, or of all users when `platformId` is null, newest first. */
export async function listUsers(
  context: Context,
  { platformId }: Scope,
  { limit, offset }: Page,
): Promise<Paged<ShownUser>> {
  return platformId === null
    ? queryPage(context, LIST, [limit, offset])
    : queryPage(context, LIST_OWN, [platformId, limit, offset])
}

type PageQuery = { value: unknown; platformId: string | null; page: Page }

/** Returns a page of the users a search statement finds, newest first. */
export const findPage = (
  context: Context,
  search: Statement,
  { value, platformId, page }: PageQuery,
): Promise<Paged<ShownUser>> => queryPage(context, search, [value, platformId, page.limit, page.offset])

async function queryPage({ db, vault }: Context, list: Statement, values: unknown[]): Promise<Paged<ShownUser>> {
  const rows = await db.query<{ total: number }>(list, values)
  return decodePage(rows, 'user_id', (row) => decodeShown(row, vault))
}

/** A user as a list shows it: an unreadable profile, or key, is shown as unavailable. */
export type ShownUser = Omit<User, 'key' | 'isOnboarded'>

const UNREADABLE_PROFILE: Profile = {
  phone_country_code: UNAVAILABLE,
  phone_number: UNAVAILABLE,
  first_name: UNAVAILABLE,
  last_name: UNAVAILABLE,
}

function decodeShown(row: object, vault: Vault): ShownUser {
  const { dataKey, sealed, onboardedAt: _, ...stored } = STORED.decode(row)
  return { ...stored, profile: openShownProfile(() => vault.open(dataKey as string), stored, sealed) }
}

export const openShownProfile: typeof PROFILE.open = (key, at, sealed) =>
  PROFILE.openOr(key, at, sealed, UNREADABLE_PROFILE)

/**
 * Returns a user with its followers, one row each. Throws 404 `not_found` when the user is not in the caller's scope.
 */
export async function findToUpdate(
  { db, vault, find }: Context & Pick<UpdateStatements, 'find'>,
  scope: UserScope,
): Promise<{ user: User; followers: object[] }> {
  const rows = await db.query<object>(find, scopeValues(scope))
  return { user: decodeUser(foundRow(rows), vault), followers: rows }
}

export const PROFILE = sealedColumn<Profile, { id: string }>('users.sealed', { row: ({ id }) => `users:${id}` })

/** The columns of `users u` that `decodeUser` reads, for joins in other domains. */
export const USER_COLUMNS = STORED.list

export function decodeUser(row: object, vault: Vault): User {
  const { dataKey, sealed, onboardedAt, ...stored } = STORED.decode(row)
  return { ...stored, isOnboarded: onboardedAt !== null, ...openProfile(vault, { id: stored.id, dataKey, sealed }) }
}

export function openProfile(vault: Vault, row: { id: string; dataKey: string | null; sealed: string }) {
  assert(row.dataKey !== null, 'a user that is served has a data key')
  const key = vault.open(row.dataKey)
  return { key, profile: PROFILE.open(key, row, row.sealed) }
}
