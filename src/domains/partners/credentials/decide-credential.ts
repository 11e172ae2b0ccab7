import { type Static, Type } from 'typebox'
import { timeFrom } from '../../../kernel/clock.ts'
import { hashSecret, newSecret } from '../../../kernel/crypto/secrets.ts'
import type { Queryable } from '../../../kernel/db/database.ts'
import { createLocation } from '../../../kernel/http/param.ts'
import { record } from '../../../kernel/http/schemas.ts'
import { newId } from '../../../kernel/id.ts'
import { conflict, foundOrUndefined, limitReached } from '../../../kernel/problem-error.ts'
import { type Author, type Change, newEvent, responding } from '../../../record/index.ts'
import { credentialEvent, type CredentialOwner, type UsedSlot } from './records.ts'
import { findOwnCredential, findSlots, INSERT_CREDENTIAL } from './store.ts'
import type { CredentialInput } from './validate-limits.ts'

export const NewCredential = record(
  'NewCredential',
  {
    basic_token: Type.String({ description: 'Send it unchanged as `Authorization: Basic`. Never returned again.' }),
    credential_id: Type.String(),
  },
  {
    description: 'A credential with its secret',
    examples: [
      { basic_token: 'Y3JkXzA2Ym52M20yLi4uOmJ5bl9zZWNfLi4u', credential_id: 'crd_06bnv3m2r8f1s4k7q9t3v6w0y2' },
    ],
  },
)

export type NewCredential = Static<typeof NewCredential>

/** Credentials an owner may have at a time; a check constraint enforces it too. */
const CREDENTIALS_MAX = 20

/** Makes a leaked secret recognisable in logs and repositories. */
export const SECRET_PREFIX = 'byn_sec'

/**
 * The result has the secret, which is never returned again. Each credential takes a numbered slot of its owner, so
 * concurrent calls cannot exceed the limit, and an expired one gives its slot up when no other is free.
 */
export async function decideCredential(
  db: Queryable,
  owner: CredentialOwner,
  limits: CredentialInput | undefined,
  { at }: Author,
): Promise<Change<NewCredential>> {
  const slot = slotBeside(await findSlots(db, owner), at)
  if (slot === undefined) {
    throw limitReached(`There are already ${CREDENTIALS_MAX} live credentials. Revoke one first.`)
  }
  const id = newId('crd')
  const secret = newSecret(SECRET_PREFIX)
  return {
    result: { basic_token: Buffer.from(`${id}:${secret}`).toString('base64'), credential_id: id },
    ...INSERT_CREDENTIAL.with({
      credential_id: id,
      owner_kind: owner.kind,
      owner_id: owner.id,
      slot,
      secret_hash: hashSecret(secret),
      at,
      expires_at: timeFrom(limits?.expires_at),
      ip_allow_list: limits?.ip_allow_list,
    }),
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

type Exchange = { request: Parameters<typeof createLocation>[0] }

export function presentNew(credential: NewCredential, { request }: Exchange) {
  return { ...responding(credential, 201), headers: { location: createLocation(request, credential.credential_id) } }
}

const REVOKED =
  'The credential that this request created has been revoked. Send a new Idempotency-Key to create another one.'

/** Throws 409 `conflict` for a revoked credential: a repeated request must not show its secret again. */
export async function ensureLive(db: Queryable, owner: CredentialOwner, body: NewCredential): Promise<NewCredential> {
  const existing = await foundOrUndefined(findOwnCredential(db, owner, body.credential_id))
  if (!existing) throw conflict(REVOKED, { reason: 'inactive' })
  return body
}
