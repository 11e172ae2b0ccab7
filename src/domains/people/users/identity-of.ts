import type { Hasher } from '../../../kernel/crypto/vault.ts'
import type { IssueTokenInput } from './records.ts'

/** What a user is looked up by: keyed hashes, valid within one platform. */
export type Identity = {
  hashKey: string
  phoneHash: Buffer
  idProofHash: Buffer | null
  idProofLast4: string | null
}

/** Returns the identity in a request body. Only a hash and the last four characters of the id proof are kept. */
export function identityOf(hasher: Hasher, platformId: string, input: IssueTokenInput): Identity {
  const number = input.id_proof?.number
  return {
    hashKey: hasher.hashKey,
    phoneHash: phoneHashOf(hasher, { platformId, phone: input.phone_country_code + input.phone_number }),
    idProofHash: number === undefined ? null : idProofHashOf(hasher, { platformId, number }),
    idProofLast4: number === undefined ? null : lastFourOf(number),
  }
}

/** Returns the blind index of an E.164 phone number within a platform. */
export const phoneHashOf = (hasher: Hasher, { platformId, phone }: { platformId: string; phone: string }): Buffer =>
  hasher.blindIndex('phone', `${platformId}\0${phone}`)

/** Returns the blind index of an id proof number within a platform. */
export const idProofHashOf = (hasher: Hasher, { platformId, number }: { platformId: string; number: string }): Buffer =>
  hasher.blindIndex('id_proof', `${platformId}\0${number}`)

/** Returns null for a number of four characters or fewer, which would otherwise be kept in full. */
function lastFourOf(number: string): string | null {
  const characters = Array.from(number)
  return characters.length > 4 ? characters.slice(-4).join('') : null
}
