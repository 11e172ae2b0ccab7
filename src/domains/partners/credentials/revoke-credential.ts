import { wholeCredential, serviceOf } from '../../../access/caller.ts'
import { revocationOf } from '../../../access/revocations.ts'
import type { Queryable } from '../../../kernel/db/database.ts'
import { checkFreshTag, etagOf } from '../../../kernel/http/conditional.ts'
import { foundOrUndefined } from '../../../kernel/problem-error.ts'
import { type Decision, newEvent, unchanged } from '../../../record/index.ts'
import { credentialEvent } from './create-credential.ts'
import { versionOf } from './present.ts'
import {
  type CredentialOwner,
  DELETE_CREDENTIAL,
  END_USER_TOKENS,
  findSlots,
  keepsUserTokens,
  readCredential,
} from './store.ts'

type Revocation = {
  owner: CredentialOwner
  credentialId: string
  keepsUserTokens: boolean
  ifMatch: string | undefined
}

/**
 * Decides the revocation of a credential and, within a second, of every token issued through it, except user tokens
 * when `keepsUserTokens` is set; repeated without it, it ends those too. The result is false when the credential does not
 * exist (contract 4.13). Throws 404, 412 when `ifMatch` is stale.
 */
export async function revokeCredential(db: Queryable, revocation: Revocation): Promise<Decision<boolean>> {
  const { owner, credentialId, ifMatch } = revocation
  if (ifMatch !== undefined) {
    const credential = await foundOrUndefined(readCredential(db, owner, credentialId))
    checkFreshTag(ifMatch, credential && etagOf(versionOf(credential)))
  }
  const slots = await findSlots(db, owner)
  if (!slots.some((used) => used.credentialId === credentialId)) return endUserTokens(db, revocation)
  return {
    result: true,
    write: DELETE_CREDENTIAL,
    values: [credentialId, owner.id],
    rows: revocationOf((revocation.keepsUserTokens ? serviceOf : wholeCredential)(credentialId)),
    events: [newEvent('credential.revoked', credentialEvent(owner, credentialId))],
  }
}

/** Decides what a repeated revocation does: without `keepsUserTokens`, it ends the tokens that the first one kept. */
async function endUserTokens(
  db: Queryable,
  { owner, credentialId, keepsUserTokens: keeps }: Revocation,
): Promise<Decision<boolean>> {
  if (keeps || !(await keepsUserTokens(db, owner, credentialId))) return unchanged(false)
  return {
    result: false,
    write: END_USER_TOKENS,
    values: [credentialId],
    rows: revocationOf(wholeCredential(credentialId)),
  }
}
