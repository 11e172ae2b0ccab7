import { conflict } from '../../../kernel/problem-error.ts'
import type { Deps } from '../../../record/index.ts'
import { statement } from '../../../kernel/db/database.ts'
import { linkedDelete, type LinkedWrite, type LinkedRows } from '../../../kernel/db/write-statement.ts'
import { LINKED_FREE_REFERENCES } from './reference-store.ts'
import type { StoredPhone } from './stored-phone.ts'
import { LINKED_FREE_PHONE } from './store.ts'

/**
 * SQL: erases the user `:user_id`, guarded by `:revision` and `:cover_revision`. The row stays without any personal data,
 * because the ledger and the policy numbers refer to it. The text can be continued with `and`.
 */
export const ERASE_USER = `update users
   set data_key = null, sealed = '', profile_digest = '', reference_sealed = null, phone_hash = '', other_phone_hash = null, id_proof_hash = null, id_proof_last4 = null,
       onboarding_digest = null, onboarded_at = null, revision = revision + 1, cover_revision = cover_revision + 1,
       last_modified_at = :at
 where user_id = :user_id and revision = :revision and cover_revision = :cover_revision and data_key is not null`

const LINKED_FREE_ID_PROOF = linkedDelete('freed_id_proof', 'user_id_proofs', 'user_id')

/** Parts of erasing a user: nobody finds them by phone, id proof or employee number any more. */
export const ERASE_LOOKUPS_PARTS: readonly LinkedWrite[] = [
  LINKED_FREE_PHONE,
  LINKED_FREE_ID_PROOF,
  LINKED_FREE_REFERENCES,
]

/** Deletes what a rotation of the hash key has added while the user was erased. */
export const ERASE_ID_PROOFS = statement('user_id_proofs_erase', 'delete from user_id_proofs where user_id = $1')

/** Returns the rows of `ERASE_LOOKUPS_PARTS`. While the hash key rotates, an id proof has a row that its user does not name. */
export const toLookupRows = ({ userId, phoneHash, otherPhoneHash }: Lookups): LinkedRows => ({
  ...LINKED_FREE_PHONE.rows(
    [phoneHash, ...(otherPhoneHash ? [otherPhoneHash] : [])].map((phone_hash) => ({ phone_hash, user_id: userId })),
  ),
  ...LINKED_FREE_ID_PROOF.rows([{ user_id: userId }]),
  ...LINKED_FREE_REFERENCES.rows([{ user_id: userId }]),
})

type Lookups = { userId: string } & StoredPhone

const FIND_SCHEDULED = statement(
  'users_find_erasing',
  'select 1 from erasures where user_id = $1 and erased_at is null',
)

/**
 * Throws 409 `conflict` `erasure_scheduled` for what would put a promised erasure off without a word. Where no notice is given, none is
 * scheduled, and nothing is read.
 */
export async function refuseWhileErasing({ db, erasure }: Pick<Deps, 'db' | 'erasure'>, userId: string): Promise<void> {
  if (erasure.noticeHours === 0) return
  const isScheduled = (await db.query(FIND_SCHEDULED, [userId])).length > 0
  if (isScheduled)
    throw conflict('The erasure of the user is scheduled. Cancel it first.', { reason: 'erasure_scheduled' })
}
