import { serviceOf } from '../../access/caller.ts'
import { revocationOf } from '../../access/revocations.ts'
import type { Queryable } from '../../kernel/db/database.ts'
import { type Decision, newEvent, unchanged } from '../../record/index.ts'
import { aboutCredential } from './create-credential.ts'
import { type CredentialOwner, DELETE_CREDENTIAL, findSlots } from './store.ts'

type Revocation = { owner: CredentialOwner; credentialId: string; keepsUserTokens: boolean }

/**
 * Revokes a credential and, within a second, every token that came from it, or all but those of users. The result is false when
 * there was none (contract 4.13). Throws 404.
 */
export async function revokeCredential(
  db: Queryable,
  { owner, credentialId, keepsUserTokens }: Revocation,
): Promise<Decision<boolean>> {
  if (!(await findSlots(db, owner)).has(credentialId)) return unchanged(false)
  return {
    result: true,
    write: DELETE_CREDENTIAL,
    values: [credentialId, owner.id],
    rows: {
      into_revocations: [revocationOf(keepsUserTokens ? serviceOf(credentialId) : `credential:${credentialId}`)],
    },
    events: [newEvent('credential.revoked', aboutCredential(owner, credentialId))],
  }
}
