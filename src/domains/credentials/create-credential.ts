import { hashSecret, newSecret } from '../../kernel/crypto/secrets.ts'
import type { Queryable } from '../../kernel/db/database.ts'
import { newId } from '../../kernel/id.ts'
import { conflict } from '../../kernel/problem-error.ts'
import { type By, type Change, newEvent } from '../../record/index.ts'
import { type CredentialOwner, findSlots, INSERT_CREDENTIAL } from './store.ts'

/** Live credentials an owner may have (completion 3); a check of the table says so too. */
const CREDENTIALS_MAX = 20

/** How a leaked secret is recognised in a log or a repository. */
export const SECRET_PREFIX = 'byn_sec'

/** Until when, and from which networks, it is to be good; null for ever, and from everywhere. */
export type CredentialInput = { expiresAt: Date | null; ipAllowList: string[] | null }

type Created = { basic_token: string; credential_id: string }

/**
 * Makes a credential; its result has the secret, the only time it is ever seen (contract 4.12). Each takes a slot of its
 * owner, so that parallel calls cannot pass the limit together. Throws 404, 409 `conflict` at the limit.
 */
export async function createCredential(
  db: Queryable,
  { owner, input }: { owner: CredentialOwner; input: CredentialInput },
  by: By,
): Promise<Change<Created>> {
  const taken = new Set((await findSlots(db, owner)).values())
  const slot = Array.from({ length: CREDENTIALS_MAX }, (_, index) => index + 1).find((one) => !taken.has(one))
  if (slot === undefined) {
    throw conflict(`There are ${CREDENTIALS_MAX} live credentials already; revoke one first.`, {
      reason: 'limit_reached',
    })
  }
  const id = newId('crd')
  const secret = newSecret(SECRET_PREFIX)
  return {
    result: { basic_token: Buffer.from(`${id}:${secret}`).toString('base64'), credential_id: id },
    write: INSERT_CREDENTIAL,
    values: [id, owner.kind, owner.id, slot, hashSecret(secret), by.at, input.expiresAt, input.ipAllowList],
    events: [newEvent('credential.created', aboutCredential(owner, id))],
  }
}

/** What an event says of a credential. */
export const aboutCredential = ({ kind, id }: CredentialOwner, credentialId: string) => ({
  platformId: kind === 'platform' ? id : null,
  data: { credential_id: credentialId, owner_kind: kind, owner_id: id },
})
