import { revoke } from '../../access/revocations.ts'
import type { Tx } from '../../kernel/db/database.ts'
import { emit } from '../events/index.ts'
import { eventOf } from './create-credential.ts'
import { type CredentialOwner, deleteCredential } from './store.ts'

/** Revokes a credential and, within a second, every token that came from it. Says false when there was none (contract 4.13). */
export async function revokeCredential(
  tx: Tx,
  { owner, credentialId }: { owner: CredentialOwner; credentialId: string },
): Promise<boolean> {
  const revoked = await deleteCredential(tx, { id: credentialId, ownerId: owner.id })
  if (!revoked) return false
  await revoke(tx, `credential:${credentialId}`)
  await emit(tx, 'credential.revoked', eventOf(owner, credentialId))
  return true
}
