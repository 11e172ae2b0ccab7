import type { SealedRows, StoredKey } from '../../../access/sealed-rows.ts'
import type { Queryable } from '../../../kernel/db/database.ts'
import { findHold } from './hold-store.ts'

/** The first line of what is held of a person: for whose private key, and until when. */
export type HeldPerson = {
  user_id: string
  erased_at: string
  held_until: string
  key_id: string
  wrapped_key: string
  id_proof_last4: string | null
}

/** A line for each sealed value. */
export type HeldValue = { column: string; key: StoredKey; sealed: string }

type Columns = Pick<SealedRows, 'column' | 'ofUser'>

/** Passes on what is held of an erased user, wrapped and sealed. Returns false when nothing is. */
export async function listHeld(
  db: Queryable,
  { columns, userId }: { columns: readonly Columns[]; userId: string },
  each: (line: HeldPerson | HeldValue) => void,
): Promise<boolean> {
  const hold = await findHold(db, userId)
  if (hold === undefined) return false
  const { keyId, wrappedKey, idProofLast4, erasedAt, until, profile, reference } = hold
  each({
    user_id: userId,
    erased_at: erasedAt,
    held_until: until,
    key_id: keyId,
    wrapped_key: wrappedKey,
    id_proof_last4: idProofLast4,
  })
  const key = { user_id: userId }
  each({ column: 'users.sealed', key, sealed: profile })
  if (reference !== null) each({ column: 'users.reference_sealed', key, sealed: reference })
  for (const { column, ofUser } of columns) {
    if (ofUser === null) continue
    for (const { sealed = '', ...rowKey } of await db.query<Record<string, string>>(ofUser, [userId]))
      each({ column, key: rowKey, sealed })
  }
  return true
}
