import type { Vault } from '../../kernel/crypto/vault.ts'
import type { IssueTokenInput } from './schemas.ts'

/** What a user can be found by, as keyed hashes inside one platform. */
export type Identity = { phoneHash: Buffer; idProofHash: Buffer | null; idProofLast4: string | null }

/** The identity in a form. Of the id proof only a hash and four digits remain. */
export function identityOf(vault: Vault, platformId: string, input: IssueTokenInput): Identity {
  const number = input.id_proof?.number
  return {
    phoneHash: phoneHashOf(vault, { platformId, phone: input.phone_country_code + input.phone_number }),
    idProofHash: number === undefined ? null : idProofHashOf(vault, { platformId, number }),
    idProofLast4: number === undefined ? null : lastFourOf(number),
  }
}

/** The blind index of a phone in E.164 form inside a platform. */
export const phoneHashOf = (vault: Vault, { platformId, phone }: { platformId: string; phone: string }): Buffer =>
  vault.blindIndex('phone', `${platformId}\0${phone}`)

/** The blind index of the number of an id proof inside a platform. */
export const idProofHashOf = (vault: Vault, { platformId, number }: { platformId: string; number: string }): Buffer =>
  vault.blindIndex('id_proof', `${platformId}\0${number}`)

/** Of a number that has no more than these, none are kept: they would be the whole of it. */
function lastFourOf(number: string): string | null {
  const characters = Array.from(number)
  return characters.length > 4 ? characters.slice(-4).join('') : null
}
