import { decodeUserId, type UserId } from '../../access/user-id.ts'
import type { DataKey, Vault } from '../../kernel/crypto/vault.ts'
import { type Database, onlyRow, type Queryable, type Statement, statement } from '../../kernel/db/database.ts'
import { sharedRead } from '../../kernel/db/shared-read.ts'
import type { Identity } from './identity-of.ts'
import { openProfile, type Profile } from './store.ts'

/** SQL: the user `u` may need an update, as most calls do not. */
const mayChange = (phone: string, digest: string) =>
  `(u.onboarded_at is null and u.profile_digest <> ${digest}) or u.phone_hash <> ${phone}`

const IDENTIFIED = 'u.user_id, u.onboarded_at, u.revision, u.phone_hash, u.id_proof_hash'

/** Returns the sealed profile only when the user may need an update. */
const IDENTIFY = sharedRead<IdentifiedRow>({
  name: 'users_identify',
  parameters: 'phone_hash bytea, id_proof_hash bytea, profile_digest bytea',
  text: (calls, phone, idProof, digest) =>
    `select c.n::int, i.user_id as by_id_proof, p.user_id as by_phone, ${IDENTIFIED}, x.data_key, x.sealed
     from ${calls}
     left join user_phones p on p.phone_hash = ${phone}
     left join user_id_proofs i on i.id_proof_hash = ${idProof}
     left join users u on u.user_id = coalesce(i.user_id, p.user_id)
     left join lateral (select u.data_key, u.sealed where ${mayChange(phone, digest)}) x on true`,
})

/** The same in steps, for a cluster: each look-up and the user may lie on different nodes. */
const FIND_BY_PHONE = statement('users_find_by_phone', 'select user_id from user_phones where phone_hash = $1')
const FIND_BY_ID_PROOF = statement(
  'users_find_by_id_proof',
  'select user_id from user_id_proofs where id_proof_hash = $1',
)
const IDENTIFY_FOUND = statement(
  'users_identify_found',
  `select ${IDENTIFIED}, x.data_key, x.sealed
     from users u
     left join lateral (select u.data_key, u.sealed where ${mayChange('$2', '$3')}) x on true
    where u.user_id = $1`,
)

const FIND_ACTIVE = statement(
  'users_find_active',
  `select u.user_id from users u join platforms l on l.platform_id = u.platform_id and l.status = 'ACTIVE' where u.user_id = $1`,
)

/** Returns SQL for the id of the user with a phone hash on an active platform, null when there is none. */
export const userIdByPhone = (phoneHash: string): string => `(
       select p.user_id
         from user_phones p
         join users u on u.user_id = p.user_id
         join platforms l on l.platform_id = u.platform_id and l.status = 'ACTIVE'
        where p.phone_hash = ${phoneHash})`

/** A user found by a token request (contract 4.1). `stored` is undefined when the request changes nothing. */
export type KnownUser = {
  id: UserId
  isOnboarded: boolean
  revision: number
  phoneHash: Buffer
  idProofHash: Buffer | null
  stored: { key: DataKey; profile: Profile } | undefined
}

/** The owners of the id proof and of the phone; `user` is the id proof's owner, else the phone's. */
export type Candidates = { byIdProof: string | null; byPhone: string | null; user: KnownUser | undefined }

type IdentityQuery = Identity & { profileDigest: Buffer }

type FoundUser = {
  user_id: string
  onboarded_at: string | null
  revision: number
  phone_hash: Buffer
  id_proof_hash: Buffer | null
  data_key: string | null
  sealed: string | null
}

type IdentifiedRow = { by_id_proof: string | null; by_phone: string | null } & ({ user_id: null } | FoundUser)

/** Looks up the users of a token request (contract 4.1). */
export async function findCandidates(
  { db, vault }: { db: Database; vault: Vault },
  query: IdentityQuery,
): Promise<Candidates> {
  const { phoneHash, idProofHash, profileDigest } = query
  const row = db.sharing
    ? onlyRow(await IDENTIFY(db, [phoneHash, idProofHash, profileDigest]))
    : await identifyInSteps(db, query)
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

async function identifyInSteps(db: Queryable, values: IdentityQuery): Promise<IdentifiedRow> {
  const { phoneHash, idProofHash, profileDigest } = values
  const [byPhone = null, byIdProof = null] = await Promise.all([
    findUserIdByPhone(db, phoneHash),
    idProofHash ? findUserId(db, FIND_BY_ID_PROOF, idProofHash) : undefined,
  ])
  const found = { by_id_proof: byIdProof, by_phone: byPhone }
  const userId = byIdProof ?? byPhone
  if (userId === null) return { ...found, user_id: null }
  const user = onlyRow(await db.query<FoundUser>(IDENTIFY_FOUND, [userId, phoneHash, profileDigest]))
  // The user has changed the phone between the steps, which was somebody's no more when the user was read.
  if (byIdProof === null && !user.phone_hash.equals(phoneHash)) return identifyInSteps(db, values)
  return { ...found, ...user }
}

/** Returns undefined when no user has the phone. */
export const findUserIdByPhone = (db: Queryable, phoneHash: Buffer): Promise<string | undefined> =>
  findUserId(db, FIND_BY_PHONE, phoneHash)

async function findUserId(db: Queryable, lookUp: Statement, value: unknown): Promise<string | undefined> {
  return (await db.query<{ user_id: string }>(lookUp, [value]))[0]?.user_id
}

/** Returns the user with a phone on an active platform, null when there is none; in two steps, whoever has the phone. */
export async function findActiveByPhone(db: Queryable, phoneHash: Buffer): Promise<string | null> {
  const userId = (await findUserIdByPhone(db, phoneHash)) ?? ''
  return (await findUserId(db, FIND_ACTIVE, userId)) ?? null
}
