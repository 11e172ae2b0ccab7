import type { Hasher } from '../../../kernel/crypto/vault.ts'
import type { IssueTokenInput } from './records.ts'

type Phone = { phone_country_code: string; phone_number: string }

/** What a user is looked up by: keyed hashes, valid within one platform. */
export type Identity = {
  hashKey: string
  phoneHash: Buffer
  idProofHash: Buffer | null
  /** Of the id proof as it was sent, which is what 0.2.0 hashed; null when that is the normalized one. */
  idProofHashAsSent: Buffer | null
  idProofLast4: string | null
}

/** Returns the identity in a request body. Only a hash and the last four characters of the id proof are kept. */
export function toIdentity(hasher: Hasher, platformId: string, input: IssueTokenInput): Identity {
  const number = input.id_proof?.number
  const [idProofHash = null, idProofHashAsSent = null] =
    number === undefined ? [] : hashIdProof(hasher, { platformId, number })
  return {
    hashKey: hasher.hashKey,
    phoneHash: hashPhone(hasher, { platformId, phone: input.phone_country_code + input.phone_number }),
    idProofHash,
    idProofHashAsSent,
    idProofLast4: number === undefined ? null : takeLastFour(normalized(number)),
  }
}

/** Returns the E.164 phone number of a user; null for one whose number was set free, which is stored as empty texts. */
export const phoneOf = ({ phone_country_code, phone_number }: Phone): string | null =>
  phone_number === '' ? null : phone_country_code + phone_number

/** Returns the blind index of an E.164 phone number within a platform. */
export const hashPhone = (hasher: Hasher, { platformId, phone }: { platformId: string; phone: string }): Buffer =>
  hasher.blindIndex('phone', `${platformId}\0${phone}`)

/** Returns the blind indexes of an id proof number within a platform: normalized, then as sent where that differs. */
export const hashIdProof = (hasher: Hasher, { platformId, number }: { platformId: string; number: string }) =>
  [...new Set([normalized(number), number])].map((text) => hasher.blindIndex('id_proof', `${platformId}\0${text}`))

/** One number has one hash, however it is typed: with blanks around it, in lower case, in full-width digits. */
const normalized = (number: string): string => number.normalize('NFKC').trim().toUpperCase()

/** Returns null for a number of four characters or fewer, which would otherwise be kept in full. */
function takeLastFour(number: string): string | null {
  const characters = Array.from(number)
  return characters.length > 4 ? characters.slice(-4).join('') : null
}
