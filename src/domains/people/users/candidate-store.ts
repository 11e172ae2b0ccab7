import { setTimeout as sleep } from 'node:timers/promises'
import { decodeUserId, type UserId } from '../../../access/user-id.ts'
import type { DataKey, PerKey, Vault } from '../../../kernel/crypto/vault.ts'
import { type Database, onlyRow, type Queryable, type Statement, statement } from '../../../kernel/db/database.ts'
import { batchedRead } from '../../../kernel/batching/batched-read.ts'
import { unavailable } from '../../../kernel/problem-error.ts'
import type { Identity } from './to-identity.ts'
import type { Profile } from './records.ts'
import { unsealProfile } from './store.ts'
import { hasPhone } from './stored-phone.ts'

const USER = 'u.user_id, u.onboarded_at, u.revision, u.phone_hash, u.other_phone_hash, u.id_proof_hash, u.session_epoch'
const IDENTIFIED = `i.user_id as by_id_proof, i.id_proof_hash as found_id_proof_hash, p.user_id as by_phone, ${USER},
          x.data_key, x.sealed`

/** Returns the sealed profile only when it may be updated, or compared with what was sent: most calls change nothing. */
const IDENTIFY = batchedRead<IdentifiedRow>({
  name: 'users_identify',
  parameters: 'phone_hash bytea, id_proof_hash bytea, profile_digest bytea, compares boolean',
  text: (calls, phone, idProof, digest, compares) =>
    `select c.n::int, ${IDENTIFIED}
     from ${calls}
     left join user_phones p on p.phone_hash = ${phone}
     left join user_id_proofs i on i.id_proof_hash = ${idProof}
     left join users u on u.user_id = coalesce(i.user_id, p.user_id)
     left join lateral (
       select u.data_key, u.sealed
        where (u.onboarded_at is null and u.profile_digest <> ${digest})
           or (u.id_proof_hash is null and ${idProof} is not null)
           or (${compares} and i.user_id is null and u.onboarded_at is not null)
           or ${phone} not in (u.phone_hash, coalesce(u.other_phone_hash, u.phone_hash))) x on true`,
})

type Lists = { phones: string; idProofs: string; digests: string; compares: string }

/** SQL: the sealed profile of `u` as `x`, when it is compared, or none of the hashes in these lists says that nothing changes. */
const withSealed = ({ phones, idProofs, digests, compares }: Lists) => `
     left join lateral (
       select u.data_key, u.sealed
        where (u.onboarded_at is null and u.profile_digest <> all (${digests}::bytea[]))
           or (u.id_proof_hash is null and (${idProofs}::bytea[])[1] is not null)
           or (${compares} and u.onboarded_at is not null)
           or (u.phone_hash <> all (${phones}::bytea[]) and coalesce(u.other_phone_hash <> all (${phones}), true))) x on true`

/** The same while the hash key rotates, or for an id proof that is not normalized: `$1` to `$3` are lists, in order. */
const IDENTIFY_BY_ANY = statement(
  'users_identify_by_any',
  `select 1 as n, ${IDENTIFIED}
     from (select 1) one
     left join lateral (
       select user_id from user_phones where phone_hash = any ($1::bytea[]) limit 1) p on true
     left join lateral (
       select user_id, id_proof_hash from user_id_proofs where id_proof_hash = any ($2::bytea[])
        order by array_position($2::bytea[], id_proof_hash) limit 1) i on true
     left join users u on u.user_id = coalesce(i.user_id, p.user_id)${withSealed({ phones: '$1', idProofs: '$2', digests: '$3', compares: '$4::boolean and i.user_id is null' })}`,
)

/** The same in steps, for a cluster: each lookup and the user may lie on different nodes. */
const FIND_BY_PHONE = statement('users_find_by_phone', 'select user_id from user_phones where phone_hash = any ($1)')
const FIND_BY_ID_PROOF = statement(
  'users_find_by_id_proof',
  `select user_id, id_proof_hash from user_id_proofs where id_proof_hash = any ($1::bytea[])
    order by array_position($1::bytea[], id_proof_hash) limit 1`,
)
const IDENTIFY_FOUND = statement(
  'users_identify_found',
  `select ${USER}, x.data_key, x.sealed
     from users u${withSealed({ phones: '$2', idProofs: '$4', digests: '$3', compares: '$5::boolean' })}
    where u.user_id = $1 and u.data_key is not null`,
)

const FIND_ACTIVE = statement(
  'users_find_active',
  `select u.user_id from users u join platforms l on l.platform_id = u.platform_id and l.status = 'ACTIVE' where u.user_id = $1`,
)

/** Returns SQL for the id of the user with one of a list of phone hashes on an active platform, null when there is none. */
export const userIdByPhone = (phoneHashes: string): string => `(
       select p.user_id
         from user_phones p
         join users u on u.user_id = p.user_id
         join platforms l on l.platform_id = u.platform_id and l.status = 'ACTIVE'
        where p.phone_hash = any (${phoneHashes})
        limit 1)`

/** A user found by a token request. `stored` is undefined when the request neither changes nor compares anything. */
export type KnownUser = {
  id: UserId
  isOnboarded: boolean
  revision: number
  phoneHash: Buffer
  otherPhoneHash: Buffer | null
  idProofHash: Buffer | null
  sessionEpoch: number
  stored: { key: DataKey; profile: Profile } | undefined
}

/** The owners of the id proof and of the phone; `user` is the id proof's owner, else the phone's. */
export type Candidates = {
  byIdProof: string | null
  byPhone: string | null
  user: KnownUser | undefined
  /** The hash under which the id proof was found. */
  foundIdProofHash?: Buffer | null
}

/** The identity in a token request under each hash key, with the digest of the fields that were sent. */
export type RequestedIdentities = PerKey<Identity & { profileDigest: Buffer }>

type FoundUser = {
  user_id: string
  onboarded_at: string | null
  revision: number
  phone_hash: Buffer
  other_phone_hash: Buffer | null
  id_proof_hash: Buffer | null
  session_epoch: number
  data_key: string | null
  sealed: string | null
}

type Found = { by_id_proof: string | null; by_phone: string | null; found_id_proof_hash: Buffer | null }
type IdentifiedRow = Found & ({ user_id: null } | FoundUser)

/** What a token request sends; `compares` when the profile of an onboarded user found by phone is wanted in any case. */
type Wanted = { identities: RequestedIdentities; compares: boolean }

/** Looks up the users of a token request. */
export async function findCandidates(
  { db, vault }: { db: Database; vault: Vault },
  wanted: Wanted,
): Promise<Candidates> {
  const row = db.batching ? onlyRow(await identify(db, wanted)) : await identifyInSteps(db, wanted)
  const candidates = { byIdProof: row.by_id_proof, byPhone: row.by_phone, foundIdProofHash: row.found_id_proof_hash }
  if (row.user_id === null) return { ...candidates, user: undefined }
  const id = decodeUserId(row.user_id)
  const user = {
    id,
    isOnboarded: row.onboarded_at !== null,
    revision: row.revision,
    phoneHash: row.phone_hash,
    otherPhoneHash: row.other_phone_hash,
    idProofHash: row.id_proof_hash,
    sessionEpoch: row.session_epoch,
    stored: row.sealed === null ? undefined : unsealProfile(vault, { id, dataKey: row.data_key, sealed: row.sealed }),
  }
  return { ...candidates, user }
}

const pluck = <K extends keyof RequestedIdentities[0]>(identities: RequestedIdentities, name: K) =>
  identities.map((identity) => identity[name])

/**
 * Returns the hashes that an id proof is looked up by. As it was sent comes first: 0.2.0 could make two users whose id proofs
 * differ in case alone, and each is found by their own.
 */
const listIdProofHashes = (identities: RequestedIdentities): (Buffer | null)[] => [
  ...pluck(identities, 'idProofHashAsSent').filter((hash) => hash !== null),
  ...pluck(identities, 'idProofHash'),
]

function identify(db: Database, { identities, compares }: Wanted): Promise<IdentifiedRow[]> {
  const [{ phoneHash, idProofHash, idProofHashAsSent, profileDigest }, ...older] = identities
  if (older.length === 0 && idProofHashAsSent === null)
    return IDENTIFY(db, [phoneHash, idProofHash, profileDigest, compares])
  return db.query<IdentifiedRow>(IDENTIFY_BY_ANY, [
    pluck(identities, 'phoneHash'),
    listIdProofHashes(identities),
    pluck(identities, 'profileDigest'),
    compares,
  ])
}

/** A commit arrives at one node some milliseconds before another; after a crash in between, a minute or more. */
const ATTEMPTS_MAX = 5
const PAUSE_MS = 10

/**
 * Reads again while lookups and user do not match, because another call has written between the steps, or has committed on one
 * node and not yet on another. A lasting mismatch is accepted, as by the joined statement. Throws 503 `unavailable` when the user of a
 * lookup stays missing.
 */
async function identifyInSteps(db: Queryable, { identities, compares }: Wanted): Promise<IdentifiedRow> {
  for (let attempt = 1; ; attempt++) {
    const candidates = await lookUp(db, identities)
    const userId = candidates.by_id_proof ?? candidates.by_phone
    if (userId === null) return { ...candidates, user_id: null }
    const lists = (['phoneHash', 'profileDigest', 'idProofHash'] as const).map((name) => pluck(identities, name))
    const values = [userId, ...lists, compares && candidates.by_id_proof === null]
    const [user] = await db.query<FoundUser>(IDENTIFY_FOUND, values)
    if (user && (attempt === ATTEMPTS_MAX || isWhole(candidates, user, identities))) return { ...candidates, ...user }
    if (attempt === ATTEMPTS_MAX) throw unavailable(new Error('a lookup names a user that is missing'))
    await sleep(PAUSE_MS * attempt)
  }
}

async function lookUp(db: Queryable, identities: RequestedIdentities): Promise<Found> {
  const [byPhone, byIdProof] = await Promise.all([
    findUserIdByPhone(db, pluck(identities, 'phoneHash')),
    identities[0].idProofHash ? findByIdProof(db, listIdProofHashes(identities)) : undefined,
  ])
  return {
    by_id_proof: byIdProof?.user_id ?? null,
    by_phone: byPhone ?? null,
    found_id_proof_hash: byIdProof?.id_proof_hash ?? null,
  }
}

/** False for what can be seen of a user in the middle of a commit; also for an identity that belongs to two users. */
function isWhole({ by_id_proof, by_phone }: Found, user: FoundUser, identities: RequestedIdentities): boolean {
  if (by_phone === null) return true
  if (by_id_proof !== null && by_id_proof !== by_phone) return false
  const phone = { phoneHash: user.phone_hash, otherPhoneHash: user.other_phone_hash }
  const lacksIdProof = by_id_proof === null && identities[0].idProofHash !== null && user.id_proof_hash !== null
  return hasPhone(phone, identities) && !lacksIdProof
}

/** Returns undefined when no user has the phone, under any of its hashes. */
export const findUserIdByPhone = (db: Queryable, phoneHashes: readonly Buffer[]): Promise<string | undefined> =>
  findUserId(db, FIND_BY_PHONE, phoneHashes)

const findByIdProof = async (db: Queryable, hashes: readonly (Buffer | null)[]) =>
  (await db.query<{ user_id: string; id_proof_hash: Buffer }>(FIND_BY_ID_PROOF, [hashes]))[0]

async function findUserId(db: Queryable, lookUp: Statement, value: unknown): Promise<string | undefined> {
  return (await db.query<{ user_id: string }>(lookUp, [value]))[0]?.user_id
}

/** Returns the user with a phone on an active platform, else null; in two steps, whether or not the phone is known. */
export async function findActiveByPhone(db: Queryable, phoneHashes: readonly Buffer[]): Promise<string | null> {
  const userId = (await findUserIdByPhone(db, phoneHashes)) ?? ''
  return (await findUserId(db, FIND_ACTIVE, userId)) ?? null
}
