import { toServiceSubject, wholeCredential } from '../../../access/caller.ts'
import { revocationRows } from '../../../access/revocations.ts'
import type { Queryable } from '../../../kernel/db/database.ts'
import { checkFreshTag, createEtag } from '../../../kernel/http/conditional.ts'
import { foundOrUndefined } from '../../../kernel/problem-error.ts'
import { type Decision, newEvent, unchanged } from '../../../record/index.ts'
import { credentialEvent, type CredentialOwner, versionOf } from './records.ts'
import { DELETE_CREDENTIAL, END_USER_TOKENS, findOwnCredential, findSlots, keepsUserTokens } from './store.ts'

type RevocationRequest = {
  owner: CredentialOwner
  credentialId: string
  keepsUserTokens: boolean
  ifMatch: string | undefined
}

/** The result is false when the credential does not exist. Throws 404 when its owner does not. */
export async function decideRevocation(db: Queryable, revocation: RevocationRequest): Promise<Decision<boolean>> {
  const { owner, credentialId, ifMatch } = revocation
  if (ifMatch !== undefined) {
    const credential = await foundOrUndefined(findOwnCredential(db, owner, credentialId))
    checkFreshTag(ifMatch, credential && createEtag(versionOf(credential)))
  }
  const slots = await findSlots(db, owner)
  if (!slots.some((used) => used.credentialId === credentialId)) return endUserTokens(db, revocation)
  return {
    result: true,
    ...DELETE_CREDENTIAL.with({ credential_id: credentialId, owner_id: owner.id }),
    rows: revocationRows((revocation.keepsUserTokens ? toServiceSubject : wholeCredential)(credentialId)),
    events: [newEvent('credential.revoked', credentialEvent(owner, credentialId))],
  }
}

/** Decides what a repeated revocation does: without `keepsUserTokens`, it ends the tokens that the first one kept. */
async function endUserTokens(
  db: Queryable,
  { owner, credentialId, keepsUserTokens: keeps }: RevocationRequest,
): Promise<Decision<boolean>> {
  if (keeps || !(await keepsUserTokens(db, owner, credentialId))) return unchanged(false)
  return { result: false, ...END_USER_TOKENS.with({}), rows: revocationRows(wholeCredential(credentialId)) }
}
