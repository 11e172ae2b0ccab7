import { hashSecret, newSecret } from '../../kernel/crypto/secrets.ts'
import type { Tx } from '../../kernel/db/database.ts'
import { newId } from '../../kernel/id.ts'
import { conflict } from '../../kernel/refusal.ts'
import { lockBenefitProvider } from '../benefit-providers/index.ts'
import { emit } from '../events/index.ts'
import { lockPlatform } from '../platforms/index.ts'
import { countCredentials, type CredentialOwner, insertCredential } from './store.ts'

/** Live credentials an owner may have (completion 3). */
const CREDENTIALS_MAX = 20

/** How a leaked secret is recognised in a log or a repository. */
export const SECRET_PREFIX = 'byn_sec'

/**
 * Makes a credential and returns its secret, the only time it is ever seen (contract 4.12).
 * The owner is locked, so that parallel calls cannot pass the limit together. 404, 409 `conflict` at the limit.
 */
export async function createCredential(
  tx: Tx,
  owner: CredentialOwner,
): Promise<{ basic_token: string; credential_id: string }> {
  await (owner.kind === 'platform' ? lockPlatform(tx, owner.id) : lockBenefitProvider(tx, owner.id))
  if ((await countCredentials(tx, owner.id)) >= CREDENTIALS_MAX) {
    throw conflict(`There are ${CREDENTIALS_MAX} live credentials already; revoke one first.`)
  }
  const id = newId('crd')
  const secret = newSecret(SECRET_PREFIX)
  await insertCredential(tx, { id, owner, secretHash: hashSecret(secret) })
  await emit(tx, 'credential.created', eventOf(owner, id))
  return { basic_token: Buffer.from(`${id}:${secret}`).toString('base64'), credential_id: id }
}

export const eventOf = (owner: CredentialOwner, credentialId: string) => ({
  platformId: owner.kind === 'platform' ? owner.id : null,
  subject: credentialId,
  data: { credential_id: credentialId, owner_kind: owner.kind, owner_id: owner.id },
})
