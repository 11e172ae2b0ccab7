import assert from 'node:assert/strict'
import { END_SESSIONS_PARTS } from '../../access/refresh-families.ts'
import { isOwn, type Scope, SCOPE_PARAMETERS, scopeValues, userIsInScope, type UserScope } from '../../access/scope.ts'
import { type DataKey, unseal, type Vault } from '../../kernel/crypto/vault.ts'
import { bytes, decoded, integer, nullable, type RecordOf, text, time } from '../../kernel/db/columns.ts'
import {
  type Database,
  foundRow,
  onlyRow,
  type Queryable,
  type Statement,
  statement,
} from '../../kernel/db/database.ts'
import { decodeUserId, type UserId } from '../../kernel/db/decode.ts'
import { decodePage, type Page, type Paged } from '../../kernel/db/page.ts'
import { sharedRead } from '../../kernel/db/shared-read.ts'
import { table } from '../../kernel/db/table.ts'
import { VERSION } from '../../kernel/db/version.ts'
import { insertPart, type Part, type PartRow } from '../../kernel/db/write-statement.ts'
import { notFound } from '../../kernel/problem-error.ts'
import { recordedWrite, type RecordedWrite } from '../../record/index.ts'
import type { Followers } from './followers.ts'
import type { Identity } from './identity-of.ts'
import type { IssueTokenInput } from './schemas.ts'

/** What is sealed of a user. */
export type Profile = Omit<IssueTokenInput, 'id_proof'> & {
  title?: string
  bank_details?: { account_number: string; ifsc_code: string }
}

const STORED = table('users u', {
  id: decoded('user_id', decodeUserId),
  platformId: text('platform_id'),
  dataKey: nullable(text('data_key')),
  sealed: text('sealed'),
  phoneHash: bytes('phone_hash'),
  idProofHash: nullable(bytes('id_proof_hash')),
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

const IN_SCOPE = userIsInScope({ platform: '$2', provider: '$3' })

const REACH = statement('users_reach', `select u.user_id from users u where u.user_id = $1 and ${IN_SCOPE}`)

const FIND = sharedRead<object>({
  name: 'users_find',
  parameters: SCOPE_PARAMETERS,
  text: (calls, user, platform, provider) => `select c.n::int, ${STORED.list}
     from ${calls}
     join users u on u.user_id = ${user} and ${userIsInScope({ user, platform, provider })}`,
})

/** Two statements: one for both would be planned for the largest platform and read all users for the smallest. */
const LIST = statement('users_list', STORED.newest({ limit: '$1', offset: '$2' }))
const LIST_OWN = statement('users_list_own', STORED.newest({ where: 'u.platform_id = $1', limit: '$2', offset: '$3' }))

const PHONES_PART = insertPart('user_phones', 'phone_hash bytea, user_id text')
const ID_PROOFS_PART = insertPart('user_id_proofs', 'id_proof_hash bytea, user_id text')

const FREE_PHONE_PART: Part = {
  name: 'freed_phone',
  columns: 'phone_hash bytea, user_id text',
  text: 'delete from user_phones p using r join changed using (n) where p.phone_hash = r.phone_hash and p.user_id = r.user_id',
}

/** What a phone that takes the place of another changes; its rows are those of `rowsOfNewPhone`. */
const NEW_PHONE_PARTS = [PHONES_PART, FREE_PHONE_PART, ...END_SESSIONS_PARTS]

type NewPhone = { userId: string; from: Buffer; to: Buffer; at: Date }

/**
 * A new phone takes the place of the old one, whose next holder must not get this user's one-time codes, and ends the sessions
 * that began with it. No rows when it is the same.
 */
export const rowsOfNewPhone = ({ userId, from, to, at }: NewPhone): Record<string, PartRow[]> =>
  to.equals(from)
    ? {}
    : {
        into_user_phones: [{ phone_hash: to, user_id: userId }],
        freed_phone: [{ phone_hash: from, user_id: userId }],
        ended: [{ user_id: userId, at }],
      }

/** A new user with its look-up rows. A phone, id proof or id that somebody else has taken aborts it: the next reading finds whose. */
export const INSERT_USER = recordedWrite({
  name: 'users_insert',
  one: `insert into users (user_id, platform_id, data_key, sealed, profile_digest, phone_hash, id_proof_hash, id_proof_last4,
               created_at, last_modified_at)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)
        returning 1 as n`,
  many: {
    columns: `user_id text, platform_id text, data_key text, sealed text, profile_digest bytea, phone_hash bytea,
      id_proof_hash bytea, id_proof_last4 text, at timestamptz`,
    text: `inserted as (
       insert into users (user_id, platform_id, data_key, sealed, profile_digest, phone_hash, id_proof_hash, id_proof_last4,
              created_at, last_modified_at)
       select user_id, platform_id, data_key, sealed, profile_digest, phone_hash, id_proof_hash, id_proof_last4, at, at
         from calls
        order by user_id
       returning user_id
     ), changed as (select n from calls join inserted using (user_id))`,
  },
  parts: [PHONES_PART, ID_PROOFS_PART],
})

/** `$3` to `$8`: the profile of a known user, guarded by the revision that was read. */
export const UPDATE_PROFILE = recordedWrite({
  name: 'users_update_profile',
  one: `update users
           set sealed = $3, profile_digest = coalesce($4, profile_digest), phone_hash = $5, id_proof_hash = $6,
               id_proof_last4 = coalesce($7, id_proof_last4), revision = revision + 1, last_modified_at = $8
         where user_id = $1 and revision = $2
        returning 1 as n`,
  many: {
    columns: `user_id text, revision int, sealed text, profile_digest bytea, phone_hash bytea, id_proof_hash bytea,
      id_proof_last4 text, at timestamptz`,
    text: `held as (
       select c.n, u.user_id
         from calls c
         join users u on u.user_id = c.user_id and u.revision = c.revision
          for no key update of u skip locked
     ), changed as (
       update users u
          set sealed = c.sealed, profile_digest = coalesce(c.profile_digest, u.profile_digest), phone_hash = c.phone_hash,
              id_proof_hash = c.id_proof_hash, id_proof_last4 = coalesce(c.id_proof_last4, u.id_proof_last4),
              revision = u.revision + 1, last_modified_at = c.at
         from calls c
         join held h on h.n = c.n
        where u.user_id = h.user_id
       returning c.n)`,
  },
  parts: [...NEW_PHONE_PARTS, ID_PROOFS_PART],
})

/** How a user is read for an update, and written, together with what follows it. Made when the routes are mounted. */
export type UpdateStatements = { find: Statement; write: RecordedWrite }

export const updating = ({ read, guard, parts }: Followers): UpdateStatements => ({
  find: statement(
    'users_find_to_update',
    `select ${STORED.list}, ${read.columns}
       from users u
       left join ${read.from} on true
      where u.user_id = $1 and ${IN_SCOPE}`,
  ),
  // An enrolment of the same moment changes `cover_revision`. Without a digest, what 4.1 sends next is always looked at.
  write: recordedWrite({
    name: 'users_update',
    one: `update users
             set sealed = $5, profile_digest = '', phone_hash = $6, revision = revision + 1,
                 cover_revision = cover_revision + 1, last_modified_at = $7
           where user_id = $1 and revision = $2 and cover_revision = $4 and ${guard}
          returning 1 as n`,
    parts: [...NEW_PHONE_PARTS, ...parts],
    history: 'user',
  }),
})

/** `$3` to `$5`: the finished profile, guarded by the revision that was read. Onboarding carries the account along. */
export const SAVE_ONBOARDING = `update users
    set sealed = $3, onboarding_digest = $4, onboarded_at = $5, revision = revision + 1, last_modified_at = $5
  where user_id = $1 and revision = $2
 returning 1 as n`

/** From now on the benefit provider can see the user. */
export const PROVIDERS_PART = insertPart(
  'user_providers',
  'user_id text, benefit_provider_id text',
  'on conflict do nothing',
)

/** The sealed profile only for a user who may have to be changed: most calls find nothing to change. */
const IDENTIFY = sharedRead<IdentifiedRow>({
  name: 'users_identify',
  parameters: 'phone_hash bytea, id_proof_hash bytea, profile_digest bytea',
  text: (calls, phone, idProof, digest) =>
    `select c.n::int, i.user_id as by_id_proof, p.user_id as by_phone, u.user_id, u.onboarded_at, u.revision, u.phone_hash,
          u.id_proof_hash, x.data_key, x.sealed
     from ${calls}
     left join user_phones p on p.phone_hash = ${phone}
     left join user_id_proofs i on i.id_proof_hash = ${idProof}
     left join users u on u.user_id = coalesce(i.user_id, p.user_id)
     left join lateral (
       select u.data_key, u.sealed
        where (u.onboarded_at is null and u.profile_digest <> ${digest}) or u.phone_hash <> ${phone}) x on true`,
})

const FIND_BY_PHONE = statement('users_find_by_phone', 'select user_id from user_phones where phone_hash = $1')

/** `$1` is what `found` looks up, `$2` the platform. Found first and sorted then: never all users in their order. */
const search = (name: string, found: string) =>
  statement(
    name,
    `with found as materialized (
       select ${STORED.list}
         from (${found}) k
         join users u on u.user_id = k.user_id and ${isOwn('$2', 'u.platform_id')}
     ) ${STORED.newest({ from: 'found u', limit: '$3', offset: '$4' })}`,
  )

/** The ways in which users are searched. Made when the routes are mounted, for policies stand above users. */
export type Searches = Record<'byPhone' | 'byIdProof' | 'byPolicy', Statement>

/** `holdersOf` is SQL: the users who hold a policy of the number that an expression names. */
export const searchesWith = ({ holdersOf }: { holdersOf: (number: string) => string }): Searches => ({
  byPhone: search('users_search_by_phone', 'select user_id from user_phones where phone_hash = any ($1)'),
  byIdProof: search('users_search_by_id_proof', 'select user_id from user_id_proofs where id_proof_hash = any ($1)'),
  byPolicy: search('users_search_by_policy', holdersOf('$1')),
})

/** SQL: the user of an active platform behind a phone's hash, null when there is none. */
export const userIdByPhone = (phoneHash: string): string => `(
       select p.user_id
         from user_phones p
         join users u on u.user_id = p.user_id
         join platforms l on l.platform_id = u.platform_id and l.status = 'ACTIVE'
        where p.phone_hash = ${phoneHash})`

/** Throws 404 `not_found` when the user is not in the caller's scope; opens nothing. */
export async function ensureUserInScope(db: Queryable, scope: UserScope): Promise<void> {
  if ((await db.query(REACH, scopeValues(scope))).length === 0) throw notFound()
}

/** Throws 404 `not_found` when the user is not in the caller's scope. */
export async function findUser(db: Database, vault: Vault, scope: UserScope): Promise<User> {
  const [row] = await FIND(db, scopeValues(scope))
  if (!row) throw notFound()
  return decodeUser(row, vault)
}

type Context = { db: Queryable; vault: Vault }

/** A page of a platform's users, or of all when `platformId` is null, newest first. */
export async function listUsers(
  context: Context,
  { platformId }: Scope,
  { limit, offset }: Page,
): Promise<Paged<User>> {
  return platformId === null
    ? openPage(context, LIST, [limit, offset])
    : openPage(context, LIST_OWN, [platformId, limit, offset])
}

type PageQuery = { value: unknown; platformId: string | null; page: Page }

/** A page of what a search finds, newest first. */
export const findPage = (
  context: Context,
  step: Statement,
  { value, platformId, page }: PageQuery,
): Promise<Paged<User>> => openPage(context, step, [value, platformId, page.limit, page.offset])

async function openPage({ db, vault }: Context, step: Statement, values: unknown[]): Promise<Paged<User>> {
  const rows = await db.query<{ total: number }>(step, values)
  return decodePage(rows, 'user_id', (row) => decodeUser(row, vault))
}

/** Returns a user with what follows an update, a row each. Throws 404 `not_found` as `findUser` does. */
export async function findToUpdate(
  { db, vault, find }: Context & Pick<UpdateStatements, 'find'>,
  scope: UserScope,
): Promise<{ user: User; followers: object[] }> {
  const rows = await db.query<object>(find, scopeValues(scope))
  return { user: decodeUser(foundRow(rows), vault), followers: rows }
}

/** Undefined when nobody has the phone. */
export async function findUserIdByPhone(db: Queryable, phoneHash: Buffer): Promise<string | undefined> {
  return (await db.query<{ user_id: string }>(FIND_BY_PHONE, [phoneHash]))[0]?.user_id
}

/** A user as 4.1 knows it. `profile` is there when the call may have to change it. */
export type KnownUser = {
  id: UserId
  isOnboarded: boolean
  revision: number
  phoneHash: Buffer
  idProofHash: Buffer | null
  stored: { key: DataKey; profile: Profile } | undefined
}

/** Whom the id proof and the phone lead to; `user` is the id proof's, else the phone's. */
export type Candidates = { byIdProof: string | null; byPhone: string | null; user: KnownUser | undefined }

type IdentityQuery = Identity & { profileDigest: Buffer }

type IdentifiedRow = { by_id_proof: string | null; by_phone: string | null } & (
  | { user_id: null }
  | {
      user_id: string
      onboarded_at: string | null
      revision: number
      phone_hash: Buffer
      id_proof_hash: Buffer | null
      data_key: string | null
      sealed: string | null
    }
)

/** The look-up of 4.1. */
export async function findCandidates(
  { db, vault }: { db: Database; vault: Vault },
  { phoneHash, idProofHash, profileDigest }: IdentityQuery,
): Promise<Candidates> {
  const row = onlyRow(await IDENTIFY(db, [phoneHash, idProofHash, profileDigest]))
  const found = { byIdProof: row.by_id_proof, byPhone: row.by_phone }
  if (row.user_id === null) return { ...found, user: undefined }
  const id = decodeUserId(row.user_id)
  const user = {
    id,
    isOnboarded: row.onboarded_at !== null,
    revision: row.revision,
    phoneHash: row.phone_hash,
    idProofHash: row.id_proof_hash,
    stored: row.sealed === null ? undefined : openProfile(vault, { id, dataKey: row.data_key, sealed: row.sealed }),
  }
  return { ...found, user }
}

/** What a sealed profile is bound to. */
export const rowOfUser = (userId: string) => `users:${userId}`

/** The columns of `users u` that `decodeUser` wants, for reads of several tables in one statement. */
export const USER_COLUMNS = STORED.list

export function decodeUser(row: object, vault: Vault): User {
  const { dataKey, sealed, onboardedAt, ...stored } = STORED.decode(row)
  return { ...stored, isOnboarded: onboardedAt !== null, ...openProfile(vault, { id: stored.id, dataKey, sealed }) }
}

function openProfile(vault: Vault, row: { id: string; dataKey: string | null; sealed: string }) {
  assert(row.dataKey !== null, 'a user that is served has a data key')
  const key = vault.open(row.dataKey)
  return { key, profile: unseal<Profile>(key, rowOfUser(row.id), row.sealed) }
}
