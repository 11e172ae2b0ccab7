import type { Queryable } from '../../../kernel/db/database.ts'
import { conflict, foundOrUndefined } from '../../../kernel/problem-error.ts'
import { type CredentialOwner, readCredential } from './store.ts'

const REVOKED =
  'The credential that this request created has been revoked. Send a new Idempotency-Key to create another one.'

/** Throws 409 `conflict` for a revoked credential: a repeated request must not show its secret again. */
export async function ensureLive(db: Queryable, owner: CredentialOwner, id: string): Promise<void> {
  const found = await foundOrUndefined(readCredential(db, owner, id))
  if (!found) throw conflict(REVOKED, { reason: 'inactive' })
}
