import type { RecordOf } from '../../../kernel/db/columns.ts'
import { type Queryable, statement } from '../../../kernel/db/database.ts'
import type { Identity } from './identity-of.ts'
import { USERS } from './records.ts'

const ROWS_AT_ONCE = 500

/**
 * Inserts the newer row first, so that a server that inserts both waits for this one and not for the older one. Does
 * nothing for a user who has been erased since the older row was read.
 */
const REHASH_ID_PROOF = statement(
  'user_id_proofs_rehash',
  `with held as (
     select user_id from users where user_id = $1 and data_key is not null for no key update
   ), moved as (
     insert into user_id_proofs (id_proof_hash, user_id, hash_key)
     select $3, user_id, $4 from held
         on conflict (id_proof_hash) do nothing
     returning 1
   ), updated as (
     update users set id_proof_hash = $3 where user_id = $1 and id_proof_hash = $2 returning 1
   )
   delete from user_id_proofs p
    using (select count(*) from moved) m, (select count(*) from updated) u
    where p.id_proof_hash = $2 and p.user_id = $1`,
)

/** Lists lookup rows that are not under the newest key, `$2`, after the last one of the previous batch, `$1`. */
const listOlder = (table: string, hash: string) =>
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
      using held h, (select count(*) from moved) m
      where p.user_id = h.user_id and p.phone_hash = ${phone} and p.phone_hash <> $4`

/**
 * `$1` to `$3` are the user and the phone as they were read, `$4` and `$5` the phone under the newest key. Inserts the newer
 * row first, as above. The revision stays the same, because no visible field changes.
 */
const MOVE_PHONE = statement(
  'user_phones_move',
  `with held as (
     select user_id
       from users
      where user_id = $1 and phone_hash = $2 and other_phone_hash is not distinct from $3::bytea and data_key is not null
        for no key update skip locked
   ), moved as (
     insert into user_phones (phone_hash, user_id, hash_key)
     select $4, user_id, $5 from held
         on conflict (phone_hash) do nothing
     returning 1
   ), freed as (${freedText('$2')}), freed_other as (${freedText('$3::bytea')})
   update users u
      set phone_hash = $4, other_phone_hash = null,
          onboarding_digest = case when onboarding_digest = $6 then coalesce($7::bytea, $6) else onboarding_digest end
     from held h
    where u.user_id = $1
   returning 1 as n`,
)

const FIND_NEWER_ID_PROOFS = statement(
  'user_id_proofs_find_newer',
  'select id_proof_hash, user_id from user_id_proofs where user_id = any ($1) and hash_key = $2',
)

type SentIdProof = { userId: string; found: Buffer | null | undefined; identity: Identity }

/**
 * Rehashes an id proof with the newest key when it was found under an older one. Its number is not stored, so this is possible
 * only when a caller sends it.
 */
export async function rehashIdProof(db: Queryable, { userId, found, identity }: SentIdProof): Promise<void> {
  const { idProofHash, hashKey } = identity
  if (!found || !idProofHash || found.equals(idProofHash)) return
  await replaceIdProof(db, { userId, found, to: idProofHash, hashKey })
}

type IdProofReplacement = { userId: string; found: Buffer; to: Buffer; hashKey: string }

const replaceIdProof = (db: Queryable, { userId, found, to, hashKey }: IdProofReplacement): Promise<unknown> =>
  db.query(REHASH_ID_PROOF, [userId, found, to, hashKey])

type Batch = { after: Buffer; hashKey: string }

/** The user of a lookup row under an older key, as read. */
export type Holder = RecordOf<typeof USERS>

/** Returns a batch; `last` is undefined when there is none after it. */
export async function listOlderPhones(
  db: Queryable,
  { after, hashKey }: Batch,
): Promise<{ holders: Holder[]; last: Buffer | undefined }> {
  type Older = { phone_hash: Buffer; user_id: string }
  const older = await db.query<Older>(LIST_OLDER_PHONES, [after, hashKey])
  const rows = older.length === 0 ? [] : await db.query<object>(FIND_HOLDERS, [older.map(({ user_id }) => user_id)])
  return { holders: rows.map(USERS.decode), last: older.at(-1)?.phone_hash }
}

type Rehash = Pick<Holder, 'id' | 'phoneHash' | 'otherPhoneHash' | 'onboardingDigest'> & {
  to: Buffer
  hashKey: string
  onboardingDigestTo: Buffer | null
}

/** Returns 1, or 0 when the user has changed since or the row is locked. */
export async function rehashPhone(db: Queryable, rehash: Rehash): Promise<number> {
  const { id, phoneHash, otherPhoneHash, to, hashKey, onboardingDigest, onboardingDigestTo } = rehash
  const values = [id, phoneHash, otherPhoneHash, to, hashKey, onboardingDigest, onboardingDigestTo]
  return (await db.query(MOVE_PHONE, values)).length
}

/** Deletes the older row of every user whose id proof is also stored under the newest key. */
export async function deleteOlderIdProofs(db: Queryable, hashKey: string): Promise<void> {
  type Row = { id_proof_hash: Buffer; user_id: string }
  for (let after: Buffer = Buffer.alloc(0); ; ) {
    const older = await db.query<Row>(LIST_OLDER_ID_PROOFS, [after, hashKey])
    const last = older.at(-1)
    if (!last) return
    const newer = await db.query<Row>(FIND_NEWER_ID_PROOFS, [older.map(({ user_id }) => user_id), hashKey])
    const newest = new Map(newer.map(({ user_id, id_proof_hash }) => [user_id, id_proof_hash]))
    for (const { user_id: userId, id_proof_hash: found } of older) {
      const to = newest.get(userId)
      if (to) await replaceIdProof(db, { userId, found, to, hashKey })
    }
    after = last.id_proof_hash
  }
}
