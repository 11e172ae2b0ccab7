import { randomInt } from 'node:crypto'
import { Problem } from './problems.ts'
import { IDENTIFY, INSERT_USER, isUniqueViolation, type Query, UPDATE_USER } from './statements.ts'
import type { Claims } from './tokens.ts'
import type { Vault } from './vault.ts'

export type TokenInput = {
  id_proof?: { number: string }
  phone_country_code: string
  phone_number: string
  [field: string]: unknown
}

export type DependantInput = { first_name: string; last_name: string; date_of_birth: string }

/** Every field of a profile, also of its address: a digest has them in this order, whatever the order sent. */
const FIELDS =
  'phone_country_code phone_number first_name last_name email dob gender address line1 line2 city state country pincode raw'.split(
    ' ',
  )
const LAST_DIGITS = 4
const USER_NUMBERS = 100_000_000_000

/** The profile to seal, and the keyed hashes by which its user is found and compared. */
export function identityOf(vault: Vault, platformId: string, { id_proof, ...sent }: TokenInput) {
  const phone_country_code = sent.phone_country_code.trim()
  const phone_number = sent.phone_number.trim()
  const profile = { ...sent, phone_country_code, phone_number }
  const idProofHash = id_proof ? vault.blindIndex('id_proof', `${platformId}\0${id_proof.number}`) : null
  return {
    profile,
    digest: vault.blindIndex('profile', `${idProofHash}${JSON.stringify(profile, FIELDS)}`),
    phoneHash: vault.blindIndex('phone', `${platformId}\0${phone_country_code}${phone_number}`),
    idProofHash,
    idProofLast4: id_proof && id_proof.number.length > LAST_DIGITS ? id_proof.number.slice(-LAST_DIGITS) : null,
  }
}

/** What makes a dependant of a user the same one, as a keyed hash. */
export const dependantHash = (vault: Vault, userId: string, { date_of_birth, first_name, last_name }: DependantInput) =>
  vault.blindIndex(`dependant:${userId}`, JSON.stringify([date_of_birth, first_name, last_name]))

type KnownUser = { user_id: string; revision: number; data_key: string; sealed: string } & Record<
  'has_phone' | 'has_id_proof' | 'has_same_id_proof' | 'is_unchanged',
  boolean
>

type Context = { query: Query; vault: Vault }
type Call = { claims: Claims; requestId: string }

/** Finds the user of a token request by phone and id proof, creates or updates them; returns the id. */
export async function identifyUser(context: Context, call: Call, input: TokenInput): Promise<string> {
  const { query, vault } = context
  const { platform_id } = call.claims
  const { profile, digest, phoneHash, idProofHash, idProofLast4 } = identityOf(vault, platform_id, input)
  const [user, second] = await query<KnownUser>(IDENTIFY, [phoneHash, idProofHash, digest])
  if (user?.is_unchanged) return user.user_id
  if (second || (user?.has_id_proof && idProofHash !== null && !user.has_same_id_proof)) {
    const detail = 'The id proof and the phone number belong to different users.'
    throw new Problem('conflict', detail, { reason: 'already_exists' })
  }
  const userId = user?.user_id ?? newUserId()
  const row = `users:${userId}`
  const { wrapped, key } = user ? { wrapped: '', key: vault.unwrap(user.data_key) } : vault.newDataKey()
  const stored = user ? vault.unseal<object>(key, row, user.sealed) : {}
  const values = [vault.seal(key, row, { ...stored, ...profile }), digest, phoneHash, idProofHash, idProofLast4]
  const by = [`platform:${platform_id}`, call.requestId]
  const [made] = await (user
    ? query(UPDATE_USER, [userId, String(user.revision), ...values, ...by])
    : query(INSERT_USER, [userId, platform_id, wrapped, ...values, ...by])
  ).catch((error: unknown) => {
    if (isUniqueViolation(error)) return []
    throw error
  })
  return made ? userId : identifyUser(context, call, input) // another request was first
}

/** Never the number of an Aadhaar card, which begins with 2 to 9. */
const newUserId = () => `${randomInt(2)}${String(randomInt(USER_NUMBERS)).padStart(11, '0')}`
