import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import type { Caller } from '../../access/caller.ts'
import { seal, type Vault } from '../../kernel/crypto/vault.ts'
import type { Database } from '../../kernel/db/database.ts'
import { conflict } from '../../kernel/problem-error.ts'
import { type By, type Change, type Decision, newEvent, unchanged } from '../../record/index.ts'
import { type Identity, identityOf } from './identity-of.ts'
import type { IssueTokenInput } from './schemas.ts'
import {
  type Candidates,
  findCandidates,
  INSERT_USER,
  type KnownUser,
  type Profile,
  rowOfUser,
  rowsOfNewPhone,
  UPDATE_PROFILE,
} from './store.ts'
import { trimPhone } from './trim-phone.ts'

type Platform = Extract<Caller, { kind: 'platform' }>

/** What a call of 4.1 asks for, prepared once: whom it is about, and the fields that came with it. */
export type Request = { platform: Platform; identity: Identity; profile: Profile; profileDigest: Buffer }

export function requestOf(vault: Vault, platform: Platform, input: IssueTokenInput): Request {
  const { id_proof: _, ...profile } = { ...input, ...trimPhone(input) }
  const identity = identityOf(vault, platform.platformId, { ...input, ...profile })
  const profileDigest = vault.digest('profile', { ...profile, id_proof: identity.idProofHash?.toString('base64') })
  return { platform, identity, profile, profileDigest }
}

type Context = { db: Database; vault: Vault }

/**
 * The user whom a token is for (contract 4.1): found by id proof, else by phone, and created when there is none. Until
 * onboarding is finished the fields sent update the profile; afterwards only a new phone does, shown by the id proof.
 * Throws 409 `conflict` when id proof and phone belong to different users.
 */
export async function identifyUser(context: Context, request: Request, by: By): Promise<Decision<string>> {
  const { identity, profileDigest } = request
  const user = agreedUser(identity, await findCandidates(context, { ...identity, profileDigest }))
  if (!user) return newUser(context.vault, request, by)
  return user.stored ? updatedUser(user, request, by) : unchanged(user.id)
}

/** The user whom id proof and phone agree on, undefined when there is none. Throws 409 when they contradict each other. */
export function agreedUser(identity: Identity, { byIdProof, byPhone, user }: Candidates): KnownUser | undefined {
  if (byIdProof !== null && byPhone !== null && byIdProof !== byPhone) throw contradiction(byIdProof, byPhone)
  // Numbers get reassigned: a known phone with another id proof is another person.
  const byPhoneAlone = identity.idProofHash !== null && byIdProof === null
  if (user && byPhoneAlone && user.idProofHash !== null) throw contradiction(user.id)
  return user
}

const contradiction = (...existing_ids: string[]) =>
  conflict('The id proof and the phone number belong to different users.', { reason: 'already_exists', existing_ids })

function newUser(vault: Vault, { platform, identity, profile, profileDigest }: Request, by: By): Change<string> {
  const { platformId } = platform
  const { phoneHash, idProofHash, idProofLast4 } = identity
  const userId = newUserId()
  const { wrapped, key } = vault.newDataKey()
  const sealed = seal(key, rowOfUser(userId), profile)
  return {
    result: userId,
    write: INSERT_USER,
    values: [userId, platformId, wrapped, sealed, profileDigest, phoneHash, idProofHash, idProofLast4, by.at],
    rows: {
      into_user_phones: [{ phone_hash: phoneHash, user_id: userId }],
      into_user_id_proofs: idProofHash ? [{ id_proof_hash: idProofHash, user_id: userId }] : [],
    },
    events: [newEvent('user.created', { platformId, data: { user_id: userId } })],
  }
}

/** The fields that came, in the place of those that were there. */
function updatedUser(
  user: KnownUser,
  { platform, identity, profile: sent, profileDigest }: Request,
  by: By,
): Change<string> {
  assert(user.stored, 'what is to be changed was read')
  const { platformId } = platform
  const { key, profile } = user.stored
  const { phone_country_code, phone_number } = sent
  const updated = user.isOnboarded ? { ...profile, phone_country_code, phone_number } : { ...profile, ...sent }
  const hasNewProof = user.idProofHash === null && identity.idProofHash !== null
  const values = [
    user.id,
    user.revision,
    seal(key, rowOfUser(user.id), updated),
    user.isOnboarded ? null : profileDigest,
    identity.phoneHash,
    user.idProofHash ?? identity.idProofHash,
    hasNewProof ? identity.idProofLast4 : null,
    by.at,
  ]
  return {
    result: user.id,
    write: UPDATE_PROFILE,
    values,
    rows: {
      ...(hasNewProof && { into_user_id_proofs: [{ id_proof_hash: identity.idProofHash, user_id: user.id }] }),
      ...rowsOfNewPhone({ userId: user.id, from: user.phoneHash, to: identity.phoneHash, at: by.at }),
    },
    events: [newEvent('user.updated', { platformId, data: { user_id: user.id } })],
  }
}

const USER_ID_DIGITS_AFTER_FIRST = 11

/** 12 random digits of which the first is 0 or 1, so that it can never be a valid Aadhaar number. */
function newUserId(): string {
  return `${randomInt(2)}${String(randomInt(10 ** USER_ID_DIGITS_AFTER_FIRST)).padStart(USER_ID_DIGITS_AFTER_FIRST, '0')}`
}
