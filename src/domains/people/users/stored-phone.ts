import { toLockOutRows } from '../../../access/otp.ts'
import type { PerKey } from '../../../kernel/crypto/vault.ts'
import type { LinkedRows } from '../../../kernel/db/write-statement.ts'
import type { Identity } from './to-identity.ts'
import { LINKED_ID_PROOFS, LINKED_PHONES } from './store.ts'

/** The hashes of a phone as they are stored: there are two only while the hash key rotates. */
export type StoredPhone = { phoneHash: Buffer; otherPhoneHash: Buffer | null }

type HashedPhone = Pick<Identity, 'hashKey' | 'phoneHash'>

/** Returns how a phone is stored: under the newest hash key, and under the one alongside it. */
export const storedPhone = ([newest, other]: PerKey<HashedPhone>): StoredPhone => ({
  phoneHash: newest.phoneHash,
  otherPhoneHash: other?.phoneHash ?? null,
})

export const hasPhone = ({ phoneHash, otherPhoneHash }: StoredPhone, phones: PerKey<HashedPhone>): boolean =>
  phones.some((phone) => phone.phoneHash.equals(phoneHash) || otherPhoneHash?.equals(phone.phoneHash))

/** Returns the lookup rows of a phone. Under two keys, so that servers of which each makes hashes with another see a phone taken. */
export const toPhoneRows = (userId: string, [newest, other]: PerKey<HashedPhone>): LinkedRows =>
  LINKED_PHONES.rows(
    [newest, ...(other ? [other] : [])].map(({ phoneHash, hashKey }) => ({
      phone_hash: phoneHash,
      user_id: userId,
      hash_key: hashKey,
    })),
  )

/**
 * Returns the lookup rows of an id proof, as those of a phone; none when there is no id proof. One is as it was sent, because
 * nodes of 0.2.0 look for that.
 */
export const toIdProofRows = (userId: string, [newest, other]: PerKey<Identity>): LinkedRows =>
  LINKED_ID_PROOFS.rows(
    [newest, ...(other ? [other] : [])].flatMap(({ idProofHash, idProofHashAsSent, hashKey }) =>
      [idProofHash, idProofHashAsSent]
        .filter((hash) => hash !== null)
        .map((hash) => ({ id_proof_hash: hash, user_id: userId, hash_key: hashKey })),
    ),
  )

type NewPhone = { userId: string; from: StoredPhone; to: PerKey<HashedPhone>; at: Date }

/**
 * Returns the rows of a change of phone, none when it is the same. The sessions that were started with the old one end, and the
 * codes that were sent to it are void.
 */
export const toNewPhoneRows = ({ userId, from, to, at }: NewPhone): LinkedRows =>
  hasPhone(from, to) ? {} : { ...toPhoneRows(userId, to), ...toLockOutRows({ userId, at }) }

/**
 * Returns the values of a write for the phone that was read: the hash that guards the write, and the hashes that a change
 * frees, nulls when it is the same. Its next holder must not receive this user's one-time codes.
 */
export const freedPhones = ({ from, to }: Pick<NewPhone, 'from' | 'to'>) => ({
  previous_phone_hash: from.phoneHash,
  ...(hasPhone(from, to)
    ? { old_phone_hash: null, old_other_phone_hash: null }
    : { old_phone_hash: from.phoneHash, old_other_phone_hash: from.otherPhoneHash }),
})

/** A change of the phone as a write has it: what is stored, the values and the rows. */
export type PhoneChange = { stored: StoredPhone; values: ReturnType<typeof freedPhones>; rows: LinkedRows }

export const changePhone = ({ userId, from, to, at }: NewPhone): PhoneChange => ({
  stored: hasPhone(from, to) ? from : storedPhone(to),
  values: freedPhones({ from, to }),
  rows: toNewPhoneRows({ userId, from, to, at }),
})

/** Keeps what is stored, also of a user without a phone, under whichever hash key. */
export const keepPhone = (from: StoredPhone): PhoneChange => ({
  stored: from,
  values: { previous_phone_hash: from.phoneHash, old_phone_hash: null, old_other_phone_hash: null },
  rows: {},
})

/**
 * Sets the number free: its lookup rows go, its sessions end and its codes are void. `noPhone` is the hash of no number, which has no
 * lookup row: users of one platform share it, and nobody is found by it.
 */
export const setPhoneFree = ({
  userId,
  from,
  noPhone,
  at,
}: Omit<NewPhone, 'to'> & { noPhone: Buffer }): PhoneChange => ({
  stored: { phoneHash: noPhone, otherPhoneHash: null },
  values: {
    previous_phone_hash: from.phoneHash,
    old_phone_hash: from.phoneHash,
    old_other_phone_hash: from.otherPhoneHash,
  },
  rows: toLockOutRows({ userId, at }),
})
