import { hashSecret, newSecret } from '../../../kernel/crypto/secrets.ts'
import type { Queryable } from '../../../kernel/db/database.ts'
import { newId } from '../../../kernel/id.ts'
import { limitReached } from '../../../kernel/problem-error.ts'
import { type By, type Change, newEvent } from '../../../record/index.ts'
import { type CredentialOwner, findSlots, INSERT_CREDENTIAL, type UsedSlot } from './store.ts'

/** Credentials an owner may have at a time (completion 3); a check constraint enforces it too. */
const CREDENTIALS_MAX = 20

/** Makes a leaked secret recognisable in logs and repositories. */
export const SECRET_PREFIX = 'byn_sec'

/** Expiry and allowed networks; null means no limit. */
export type CredentialInput = { expiresAt: Date | null; ipAllowList: string[] | null }

type NewCredential = { basic_token: string; credential_id: string }

/**
 * Decides a new credential. The result has the secret, which is never returned again (contract 4.12). Each credential
 * takes a numbered slot of its owner, so concurrent calls cannot exceed the limit, and an expired one gives its slot up
 * when no other is free. Throws 404, 409 `conflict` at the limit.
 */
export async function createCredential(
  db: Queryable,
  { owner, input }: { owner: CredentialOwner; input: CredentialInput },
  by: By,
): Promise<Change<NewCredential>> {
  const slot = slotBeside(await findSlots(db, owner), by.at)
  if (slot === undefined) {
    throw limitReached(`There are already ${CREDENTIALS_MAX} live credentials. Revoke one first.`)
  }
  const id = newId('crd')
  const secret = newSecret(SECRET_PREFIX)
  return {
    result: { basic_token: Buffer.from(`${id}:${secret}`).toString('base64'), credential_id: id },
    write: INSERT_CREDENTIAL,
    values: [id, owner.kind, owner.id, slot, hashSecret(secret), by.at, input.expiresAt, input.ipAllowList],
    events: [newEvent('credential.created', credentialEvent(owner, id))],
  }
}

const SLOTS = Array.from({ length: CREDENTIALS_MAX }, (_, index) => index + 1)

/** Returns a free slot, else the first of the `used` ones, which are in the order of expiry; undefined when all are live. */
function slotBeside(used: readonly UsedSlot[], at: Date): number | undefined {
  const free = SLOTS.find((slot) => !used.some((one) => one.slot === slot))
  if (free !== undefined) return free
  const [first] = used
  return first?.expiresAt && first.expiresAt <= at ? first.slot : undefined
}

/** Returns the platform and payload of a credential's events. */
export const credentialEvent = ({ kind, id }: CredentialOwner, credentialId: string) => ({
  platformId: kind === 'platform' ? id : null,
  data: { credential_id: credentialId, owner_kind: kind, owner_id: id },
})
