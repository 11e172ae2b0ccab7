import type { Hasher, Vault } from '../../../kernel/crypto/vault.ts'
import type { RecordOf } from '../../../kernel/db/columns.ts'
import { type Queryable, statement } from '../../../kernel/db/database.ts'
import { type Identity, hashPhone, phoneOf } from './to-identity.ts'
import { type Profile, USERS } from './records.ts'
import { PROFILE } from './store.ts'

const ROWS_AT_ONCE = 500

/**
 * Inserts the newer row first, so that a server that inserts both waits for this one and not for the older one. Does
 * nothing for a user who has been erased since the older row was read. A row of the same key stays: it is of the number as it
 * was sent, which nodes of 0.2.0 look for.
 */
const REHASH_ID_PROOF = statement(
  'user_id_proofs_rehash',
  `with locked as (
     select user_id from users where user_id = $1 and data_key is not null for no key update
   ), moved as (
     insert into user_id_proofs (id_proof_hash, user_id, hash_key)
     select $3, user_id, $4 from locked
         on conflict (id_proof_hash) do nothing
     returning 1
   ), updated as (
     update users set id_proof_hash = $3 from (select count(*) from moved) m
      where user_id = $1 and id_proof_hash = $2 returning 1
   )
   delete from user_id_proofs p
    using (select count(*) from updated) u
    where p.id_proof_hash = $2 and p.user_id = $1 and p.hash_key is distinct from $4`,
)

/** Lists lookup rows that are not under the newest key, `$2`, after the last one of the previous batch, `$1`. */
export const listOlder = (table: string, hash: string) =>
  statement(
    `${table}_list_older`,
    `select ${hash}, user_id
     from ${table}
    where ${hash} > $1 and hash_key is distinct from $2
    order by ${hash}
    limit ${ROWS_AT_ONCE}`,
  )

const LIST_OLDER_PHONES = listOlder('user_phones', 'phone_hash')
const LIST_OLDER_ID_PROOFS = listOlder('user_id_proofs', 'id_proof_hash')

/** A separate statement, because on a cluster users are on other shards than lookup rows. */
const FIND_HOLDERS = statement(
  'users_find_holders',
  `${USERS.select} where u.user_id = any ($1) and u.data_key is not null`,
)

const freedText = (phone: string) => `
     delete from user_phones p
      using locked h, (select count(*) from moved) m
      where p.user_id = h.user_id and p.phone_hash = ${phone} and p.phone_hash <> $4`

/**
 * `$1` to `$3` are the user and the phone as they were read, `$4` and `$5` the phone under the newest key. Inserts the newer
 * row first, as above. The revision stays the same, because no visible field changes.
 */
const MOVE_PHONE = statement(
  'user_phones_move',
  `with locked as (
     select user_id
       from users
      where user_id = $1 and phone_hash = $2 and other_phone_hash is not distinct from $3::bytea and data_key is not null
        for no key update skip locked
   ), moved as (
     insert into user_phones (phone_hash, user_id, hash_key)
     select $4, user_id, $5 from locked
         on conflict (phone_hash) do nothing
     returning 1
   ), freed as (${freedText('$2')}), freed_other as (${freedText('$3::bytea')})
   update users u
      set phone_hash = $4, other_phone_hash = null,
          onboarding_digest = case when onboarding_digest = $6 then coalesce($7::bytea, $6) else onboarding_digest end
     from locked h
    where u.user_id = $1
   returning 1 as n`,
)

const FIND_NEWER_ID_PROOFS = statement(
  'user_id_proofs_find_newer',
  'select id_proof_hash, user_id from user_id_proofs where user_id = any ($1) and hash_key = $2',
)

type SentIdProof = {
  user: { id: string; idProofHash: Buffer | null }
  storedHash: Buffer | null | undefined
  identity: Identity
}

/**
 * Rehashes an id proof when it was found under an older key, or as it was sent and not normalized. Its number is not stored, so
 * this is possible only when a caller sends it.
 */
export async function rehashIdProof(db: Queryable, { user, storedHash, identity }: SentIdProof): Promise<void> {
  const { idProofHash, idProofHashAsSent, hashKey } = identity
  if (!storedHash || !idProofHash || storedHash.equals(idProofHash)) return
  const isDone = idProofHashAsSent?.equals(storedHash) && user.idProofHash?.equals(idProofHash)
  if (!isDone) await replaceIdProof(db, { userId: user.id, storedHash, to: idProofHash, hashKey })
}

type IdProofReplacement = { userId: string; storedHash: Buffer; to: Buffer; hashKey: string }

const replaceIdProof = (db: Queryable, { userId, storedHash, to, hashKey }: IdProofReplacement): Promise<unknown> =>
  db.query(REHASH_ID_PROOF, [userId, storedHash, to, hashKey])

/** The user of a lookup row under an older key, as read. */
type Holder = RecordOf<typeof USERS>

type Context = {
  db: Queryable
  vault: Vault
  /** Injected, because onboarding depends on users: the digests that the onboarding of a profile can have. */
  onboardingDigests: (hasher: Hasher, userId: string, profile: Profile) => Buffer[]
}

/**
 * Moves phones to the newest hash key, in batches, while the service keeps writing: a user that is locked, or whose phone
 * has changed since it was read, is left for the next call. Also deletes older rows of id proofs that have a newer one.
 */
export async function rehashPhones(context: Context, onProgress: (done: number) => void): Promise<void> {
  const { db, vault } = context
  let done = 0
  for (let after: Buffer = Buffer.alloc(0); ; ) {
    type Older = { phone_hash: Buffer; user_id: string }
    const older = await db.query<Older>(LIST_OLDER_PHONES, [after, vault.hashKey])
    const last = older.at(-1)
    if (!last) break
    const holders = await db.query<object>(FIND_HOLDERS, [older.map(({ user_id }) => user_id)])
    for (const holder of holders) done += await rehashPhone(context, USERS.decode(holder))
    onProgress(done)
    after = last.phone_hash
  }
  await deleteOlderIdProofs(db, vault.hashKey)
}

/** Returns 1; 0 when the user has changed since or the row is locked, and when an unreadable profile keeps the older key needed. */
async function rehashPhone({ db, vault, onboardingDigests }: Context, holder: Holder): Promise<number> {
  const { id, platformId, phoneHash, otherPhoneHash, onboardingDigest } = holder
  const profile = PROFILE.unsealOr(() => vault.unwrap(holder.dataKey as string), holder, holder.sealed, undefined)
  if (!profile) return 0
  const phone = phoneOf(profile)
  if (phone === null) return 0 // set free since the row was read
  const to = hashPhone(vault, { platformId, phone })
  const newer =
    onboardingDigest && newerDigest(vault, onboardingDigest, (hasher) => onboardingDigests(hasher, id, profile))
  const values = [id, phoneHash, otherPhoneHash, to, vault.hashKey, onboardingDigest, newer]
  return (await db.query(MOVE_PHONE, values)).length
}

/** Returns the same digest under the newest key; null when it is of this key already, or of a profile that is no more. */
function newerDigest({ hashers }: Vault, digest: Buffer, candidatesOf: (hasher: Hasher) => Buffer[]): Buffer | null {
  const [newest, ...older] = hashers
  for (const hasher of older) {
    const position = candidatesOf(hasher).findIndex((candidate) => candidate.equals(digest))
    if (position >= 0) return candidatesOf(newest)[position] ?? null
  }
  return null
}

/** Deletes the older row of every user whose id proof is also stored under the newest key. */
async function deleteOlderIdProofs(db: Queryable, hashKey: string): Promise<void> {
  type Row = { id_proof_hash: Buffer; user_id: string }
  for (let after: Buffer = Buffer.alloc(0); ; ) {
    const older = await db.query<Row>(LIST_OLDER_ID_PROOFS, [after, hashKey])
    const last = older.at(-1)
    if (!last) return
    const newer = await db.query<Row>(FIND_NEWER_ID_PROOFS, [older.map(({ user_id }) => user_id), hashKey])
    const newest = new Map(newer.map(({ user_id, id_proof_hash }) => [user_id, id_proof_hash]))
    for (const { user_id: userId, id_proof_hash: storedHash } of older) {
      const to = newest.get(userId)
      if (to) await replaceIdProof(db, { userId, storedHash, to, hashKey })
    }
    after = last.id_proof_hash
  }
}
