import { type Queryable, statement } from '../../kernel/db/database.ts'
import type { Identity } from './identity-of.ts'

const ROWS_AT_ONCE = 500

/** The newer row first, so that a server which inserts both waits for it and not for the older one. */
const REHASH_ID_PROOF = statement(
  'user_id_proofs_rehash',
  `with moved as (
     insert into user_id_proofs (id_proof_hash, user_id, hash_key) values ($3, $1, $4)
         on conflict (id_proof_hash) do nothing
     returning 1
   ), updated as (
     update users set id_proof_hash = $3 where user_id = $1 and id_proof_hash = $2 returning 1
   )
   delete from user_id_proofs p
    using (select count(*) from moved) m, (select count(*) from updated) u
    where p.id_proof_hash = $2 and p.user_id = $1`,
)

/** `$1` is the last one of the batch before, `$2` the newest key. */
const LIST_OLDER_PHONES = statement(
  'user_phones_list_older',
  `select p.phone_hash as row_hash, u.user_id, u.platform_id, u.data_key, u.sealed, u.phone_hash, u.other_phone_hash,
          u.onboarding_digest
     from user_phones p
     join users u on u.user_id = p.user_id and u.data_key is not null
    where p.phone_hash > $1 and p.hash_key is distinct from $2
    order by p.phone_hash
    limit ${ROWS_AT_ONCE}`,
)

/**
 * `$1` to `$3` are the user and its phone as they were read, `$4` and `$5` the phone under the newest key. The newer row first, as
 * above; the revision stays, because nothing has changed that anybody can see.
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
   ), freed as (
     delete from user_phones p
      using held h, (select count(*) from moved) m
      where p.user_id = h.user_id and p.phone_hash in ($2, $3::bytea) and p.phone_hash <> $4
   )
   update users u
      set phone_hash = $4, other_phone_hash = null,
          onboarding_digest = case when onboarding_digest = $6 then coalesce($7::bytea, $6) else onboarding_digest end
     from held h
    where u.user_id = h.user_id
   returning 1 as n`,
)

/** Those of users whose id proof is found by the newest key `$1`. */
const FORGET_OLDER_ID_PROOFS = statement(
  'user_id_proofs_forget_older',
  `with older as (
     delete from user_id_proofs o
      using user_id_proofs n
      where n.user_id = o.user_id and n.hash_key = $1 and o.hash_key is distinct from $1
     returning o.user_id, n.id_proof_hash
   )
   update users u set id_proof_hash = o.id_proof_hash from older o where u.user_id = o.user_id`,
)

type ShownIdProof = { userId: string; found: Buffer | null | undefined; identity: Identity }

/**
 * Moves an id proof to the newest hash key when it was found by an older one. It is kept nowhere, so that this can be done only
 * when somebody shows it.
 */
export async function rehashIdProof(db: Queryable, { userId, found, identity }: ShownIdProof): Promise<void> {
  const { idProofHash, hashKey } = identity
  if (!found || !idProofHash || found.equals(idProofHash)) return
  await db.query(REHASH_ID_PROOF, [userId, found, idProofHash, hashKey])
}

/** A look-up row that is not of the newest key, and its user as they were read. */
export type OlderPhone = {
  rowHash: Buffer
  userId: string
  platformId: string
  dataKey: string
  sealed: string
  phoneHash: Buffer
  otherPhoneHash: Buffer | null
  onboardingDigest: Buffer | null
}

export async function listOlderPhones(
  db: Queryable,
  { after, hashKey }: { after: Buffer; hashKey: string },
): Promise<OlderPhone[]> {
  type Row = Record<'user_id' | 'platform_id' | 'data_key' | 'sealed', string> &
    Record<'row_hash' | 'phone_hash', Buffer> &
    Record<'other_phone_hash' | 'onboarding_digest', Buffer | null>
  return (await db.query<Row>(LIST_OLDER_PHONES, [after, hashKey])).map((row) => ({
    rowHash: row.row_hash,
    userId: row.user_id,
    platformId: row.platform_id,
    dataKey: row.data_key,
    sealed: row.sealed,
    phoneHash: row.phone_hash,
    otherPhoneHash: row.other_phone_hash,
    onboardingDigest: row.onboarding_digest,
  }))
}

type Move = Pick<OlderPhone, 'userId' | 'phoneHash' | 'otherPhoneHash' | 'onboardingDigest'> & {
  to: Buffer
  hashKey: string
  onboardingDigestTo: Buffer | null
}

/** Returns how many users were moved: none when theirs was changed or is held. */
export async function movePhone(db: Queryable, move: Move): Promise<number> {
  const { userId, phoneHash, otherPhoneHash, to, hashKey, onboardingDigest, onboardingDigestTo } = move
  const values = [userId, phoneHash, otherPhoneHash, to, hashKey, onboardingDigest, onboardingDigestTo]
  return (await db.query(MOVE_PHONE, values)).length
}

export const forgetOlderIdProofs = (db: Queryable, hashKey: string): Promise<unknown> =>
  db.query(FORGET_OLDER_ID_PROOFS, [hashKey])
