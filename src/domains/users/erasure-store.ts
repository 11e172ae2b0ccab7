import type { Part, PartRow } from '../../kernel/db/write-statement.ts'
import { FREE_PHONE_PART } from './store.ts'

/**
 * `$1`, `$2`, `$4` and `$5`: the user, the two revisions that were read and the time. The row stays, because the ledger and
 * the policies' numbers belong to it, with nothing of the person in it; to be continued with `and`.
 */
export const ERASE_USER = `update users
   set data_key = null, sealed = '', profile_digest = '', phone_hash = '', id_proof_hash = null, id_proof_last4 = null,
       onboarding_digest = null, onboarded_at = null, revision = revision + 1, cover_revision = cover_revision + 1,
       last_modified_at = $5
 where user_id = $1 and revision = $2 and cover_revision = $4 and data_key is not null`

/** Part of erasing the user `$1`: nobody finds them by phone or id proof any more. */
export const FORGET_LOOK_UPS_PARTS: Part[] = [
  FREE_PHONE_PART,
  {
    name: 'freed_id_proof',
    columns: 'id_proof_hash bytea, user_id text',
    text: `delete from user_id_proofs p
      using r join changed using (n)
      where p.id_proof_hash = r.id_proof_hash and p.user_id = r.user_id`,
  },
]

/** Returns the rows of `FORGET_LOOK_UPS_PARTS`. */
export const rowsOfLookUps = ({ userId, phoneHash, idProofHash }: LookUps): Record<string, PartRow[]> => ({
  freed_phone: [{ phone_hash: phoneHash, user_id: userId }],
  ...(idProofHash && { freed_id_proof: [{ id_proof_hash: idProofHash, user_id: userId }] }),
})

type LookUps = { userId: string; phoneHash: Buffer; idProofHash: Buffer | null }
