import assert from 'node:assert/strict'
import { userIsInScope, type UserScope } from '../../access/scope.ts'
import { type DataKey, seal, unseal, type Vault, type WrappedKey } from '../../kernel/crypto/vault.ts'
import {
  type Database,
  onlyRow,
  type Queryable,
  statement,
  type Tx,
  violates,
  type WireTime,
} from '../../kernel/db/database.ts'
import { decodeUserId, type UserId } from '../../kernel/db/decode.ts'
import { shareStatement } from '../../kernel/db/shared-statement.ts'
import { notFound } from '../../kernel/refusal.ts'
import { phoneHashOf } from './identify-user.ts'
import type { IssueTokenForm } from './schemas.ts'

/** What is sealed of a user. */
export type Profile = Omit<IssueTokenForm, 'id_proof'> & {
  title?: string
  bank_details?: { account_number: string; ifsc_code: string }
}

export type User = {
  id: UserId
  platformId: string
  key: DataKey
  profile: Profile
  phoneHash: Buffer
  idProofHash: Buffer | null
  onboardingDigest: Buffer | null
  isOnboarded: boolean
  revision: number
  createdAt: WireTime
  lastModifiedAt: WireTime
}

type Row = {
  user_id: string
  platform_id: string
  data_key: WrappedKey | null
  sealed: string
  phone_hash: Buffer
  id_proof_hash: Buffer | null
  onboarding_digest: Buffer | null
  onboarded_at: WireTime | null
  revision: number
  created_at: WireTime
  last_modified_at: WireTime
}

const COLUMNS = `u.user_id, u.platform_id, u.data_key, u.sealed, u.phone_hash, u.id_proof_hash, u.onboarding_digest,
  u.onboarded_at, u.revision, u.created_at, u.last_modified_at`

const IN_SCOPE = userIsInScope({ platform: '$2', provider: '$3' })

const REACH = statement('users_reach', `select u.user_id from users u where u.user_id = $1 and ${IN_SCOPE}`)

const FIND = statement('users_find', `select ${COLUMNS} from users u where u.user_id = $1 and ${IN_SCOPE}`)

const LOCK = statement(
  'users_lock',
  `select ${COLUMNS} from users u where u.user_id = $1 and ${IN_SCOPE} for no key update of u`,
)

const INSERT = statement(
  'users_insert',
  `insert into users (user_id, platform_id, data_key, sealed, profile_digest, phone_hash, id_proof_hash, id_proof_last4)
   values ($1, $2, $3, $4, $5, $6, $7, $8)`,
)

const INSERT_PHONE = statement(
  'user_phones_insert',
  'insert into user_phones (phone_hash, user_id) values ($1, $2) on conflict do nothing returning user_id',
)

const DELETE_PHONE = statement('user_phones_delete', 'delete from user_phones where phone_hash = $1 and user_id = $2')

const INSERT_ID_PROOF = statement(
  'user_id_proofs_insert',
  'insert into user_id_proofs (id_proof_hash, user_id) values ($1, $2) on conflict do nothing returning user_id',
)

const UPDATE_PROFILE = statement(
  'users_update_profile',
  `update users
      set sealed = $2, profile_digest = $3, phone_hash = $4, id_proof_hash = $5, id_proof_last4 = coalesce($6, id_proof_last4),
          revision = revision + 1, last_modified_at = now()
    where user_id = $1`,
)

const SAVE_ONBOARDING = statement(
  'users_save_onboarding',
  `update users u
      set sealed = $2, onboarding_digest = $3, onboarded_at = now(), revision = revision + 1, last_modified_at = now()
    where user_id = $1
   returning ${COLUMNS}`,
)

const LINK_PROVIDER = statement(
  'user_providers_insert',
  'insert into user_providers (user_id, benefit_provider_id) values ($1, $2) on conflict do nothing',
)

const IDENTIFY = statement(
  'users_identify',
  `select c.n::int, i.user_id as by_id_proof, p.user_id as by_phone,
          u.user_id, u.onboarded_at, u.profile_digest, u.id_proof_hash
     from unnest($1::bytea[], $2::bytea[]) with ordinality as c (phone_hash, id_proof_hash, n)
     left join user_phones p on p.phone_hash = c.phone_hash
     left join user_id_proofs i on i.id_proof_hash = c.id_proof_hash
     left join users u on u.user_id = coalesce(i.user_id, p.user_id)`,
)

/** Of active platforms only. */
const FIND_BY_PHONE = statement(
  'user_phones_find',
  `select p.user_id
     from user_phones p
     join users u on u.user_id = p.user_id
     join platforms l on l.platform_id = u.platform_id and l.status = 'ACTIVE'
    where p.phone_hash = $1`,
)

const scopeValues = ({ userId, platformId, providerId }: UserScope) => [userId, platformId, providerId]

/** Refuses with 404 when the user is not in the caller's scope; opens nothing. */
export async function reachUser(db: Queryable, scope: UserScope): Promise<void> {
  if ((await db.query(REACH, scopeValues(scope))).length === 0) throw notFound()
}

/** Refuses with 404 when the user is not in the caller's scope. */
export async function findUser(db: Queryable, vault: Vault, scope: UserScope): Promise<User> {
  return decodeFound(await db.query<Row>(FIND, scopeValues(scope)), vault)
}

/** Reads the user and holds it until the transaction ends; 404 when it is not in the caller's scope. */
export async function lockUser(tx: Tx, vault: Vault, scope: UserScope): Promise<User> {
  return decodeFound(await tx.query<Row>(LOCK, scopeValues(scope)), vault)
}

export type Identity = { phoneHash: Buffer; idProofHash: Buffer | null; idProofLast4: string | null }

export type KnownUser = { id: UserId; isOnboarded: boolean; hasIdProof: boolean; profileDigest: Buffer }

/** Whom the id proof and the phone lead to; `user` is the id proof's, else the phone's. */
export type Candidates = { byIdProof: string | null; byPhone: string | null; user: KnownUser | undefined }

/** The look-up of 4.1, shared by concurrent calls. */
export function openIdentification(db: Database): (identity: Identity) => Promise<Candidates> {
  type Found = { n: number; by_id_proof: string | null; by_phone: string | null; user_id: string | null } & Pick<
    Row,
    'onboarded_at' | 'id_proof_hash'
  > & {
      profile_digest: Buffer
    }
  const find = shareStatement<Identity, Found>(db, IDENTIFY, ({ phoneHash, idProofHash }) => [phoneHash, idProofHash])
  return async (identity) => {
    const row = onlyRow(await find(identity))
    const user =
      row.user_id === null
        ? undefined
        : {
            id: decodeUserId(row.user_id),
            isOnboarded: row.onboarded_at !== null,
            hasIdProof: row.id_proof_hash !== null,
            profileDigest: row.profile_digest,
          }
    return { byIdProof: row.by_id_proof, byPhone: row.by_phone, user }
  }
}

type NewUser = { id: string; platformId: string; profile: Profile; profileDigest: Buffer; identity: Identity }

/** False when another transaction took the phone, the id proof or the id first; the caller must roll back. */
export async function insertUser(
  tx: Tx,
  vault: Vault,
  { id, platformId, profile, profileDigest, identity }: NewUser,
): Promise<boolean> {
  if (!(await claimIdentity(tx, id, identity))) return false
  const { wrapped, key } = vault.newDataKey()
  const sealed = seal(key, rowOfUser(id), profile)
  const { phoneHash, idProofHash, idProofLast4 } = identity
  try {
    await tx.query(INSERT, [id, platformId, wrapped, sealed, profileDigest, phoneHash, idProofHash, idProofLast4])
    return true
  } catch (error) {
    if (violates(error, 'users_pkey')) return false
    throw error
  }
}

/** Takes the phone and the id proof for this user; false when one of them is another's. Equal calls wait here for each other. */
async function claimIdentity(tx: Tx, userId: string, { phoneHash, idProofHash }: Identity): Promise<boolean> {
  if (idProofHash && (await tx.query(INSERT_ID_PROOF, [idProofHash, userId])).length === 0) return false
  return (await tx.query(INSERT_PHONE, [phoneHash, userId])).length > 0
}

type NewProfile = { user: User; profile: Profile; profileDigest: Buffer; identity: Identity }

/** Replaces the profile and moves phone and id proof along; false when one of them is another's. */
export async function updateProfile(tx: Tx, { user, profile, profileDigest, identity }: NewProfile): Promise<boolean> {
  const idProofHash = user.idProofHash ?? identity.idProofHash
  if (!user.idProofHash && idProofHash && (await tx.query(INSERT_ID_PROOF, [idProofHash, user.id])).length === 0)
    return false
  if (!identity.phoneHash.equals(user.phoneHash)) {
    if ((await tx.query(INSERT_PHONE, [identity.phoneHash, user.id])).length === 0) return false
    await tx.query(DELETE_PHONE, [user.phoneHash, user.id])
  }
  const sealed = seal(user.key, rowOfUser(user.id), profile)
  await tx.query(UPDATE_PROFILE, [
    user.id,
    sealed,
    profileDigest,
    identity.phoneHash,
    idProofHash,
    identity.idProofLast4,
  ])
  return true
}

/** Seals the finished profile and marks the user as onboarded. */
export async function saveOnboarding(
  tx: Tx,
  vault: Vault,
  form: { user: User; profile: Profile; digest: Buffer },
): Promise<User> {
  const sealed = seal(form.user.key, rowOfUser(form.user.id), form.profile)
  return decode(onlyRow(await tx.query<Row>(SAVE_ONBOARDING, [form.user.id, sealed, form.digest])), vault)
}

/** The user of an active platform who has this phone (E.164), undefined when nobody has. */
export async function findUserIdByPhone(
  db: Queryable,
  vault: Vault,
  phone: { platformId: string; phone: string },
): Promise<UserId | undefined> {
  const [row] = await db.query<{ user_id: string }>(FIND_BY_PHONE, [phoneHashOf(vault, phone)])
  return row && decodeUserId(row.user_id)
}

/** From now on the benefit provider can see this user. */
export async function linkProvider(tx: Tx, link: { userId: string; benefitProviderId: string }): Promise<void> {
  await tx.query(LINK_PROVIDER, [link.userId, link.benefitProviderId])
}

/** What a sealed profile is bound to. */
export const rowOfUser = (userId: string) => `users:${userId}`

function decodeFound(rows: Row[], vault: Vault): User {
  const [row] = rows
  if (!row) throw notFound()
  return decode(row, vault)
}

function decode(row: Row, vault: Vault): User {
  const id = decodeUserId(row.user_id)
  assert(row.data_key, 'a user that is served has a data key')
  const key = vault.open(row.data_key)
  return {
    id,
    platformId: row.platform_id,
    key,
    profile: unseal<Profile>(key, rowOfUser(id), row.sealed),
    phoneHash: row.phone_hash,
    idProofHash: row.id_proof_hash,
    onboardingDigest: row.onboarding_digest,
    isOnboarded: row.onboarded_at !== null,
    revision: row.revision,
    createdAt: row.created_at,
    lastModifiedAt: row.last_modified_at,
  }
}
