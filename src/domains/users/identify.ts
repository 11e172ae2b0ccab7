import type { Vault } from '../../kernel/crypto/vault.ts'
import { conflict, invalid } from '../../kernel/refusal.ts'
import type { IssueTokenForm } from './schemas.ts'
import type { Candidates, Identity, KnownUser } from './store.ts'

const E164_DIGITS_MAX = 15

type Phone = { phone_country_code: string; phone_number: string }

/** Dial code and number without blanks around them; refuses with 422 what together is longer than an E.164 number. */
export function trimPhone({ phone_country_code, phone_number }: Phone): Phone {
  const phone = { phone_country_code: phone_country_code.trim(), phone_number: phone_number.trim() }
  if (phone.phone_country_code.length - 1 + phone.phone_number.length <= E164_DIGITS_MAX) return phone
  const detail = `Must have, with the dial code, at most ${E164_DIGITS_MAX} digits.`
  throw invalid([{ pointer: '/phone_number', code: 'too_long', detail }])
}

/** What a user can be found by, as keyed hashes inside one platform. Of the id proof only these and four digits remain. */
export function identityOf(vault: Vault, platformId: string, form: IssueTokenForm): Identity {
  const number = form.id_proof?.number
  return {
    phoneHash: phoneHashOf(vault, { platformId, phone: form.phone_country_code + form.phone_number }),
    idProofHash: number === undefined ? null : vault.blindIndex('id_proof', `${platformId}\0${number}`),
    idProofLast4: number === undefined ? null : number.slice(-4),
  }
}

/** The blind index of a phone in E.164 form inside a platform. */
export const phoneHashOf = (vault: Vault, { platformId, phone }: { platformId: string; phone: string }): Buffer =>
  vault.blindIndex('phone', `${platformId}\0${phone}`)

/** The user whom id proof and phone agree on, undefined when there is none. Refuses with 409 when they contradict each other. */
export function agree(identity: Identity, { byIdProof, byPhone, user }: Candidates): KnownUser | undefined {
  if (byIdProof !== null && byPhone !== null && byIdProof !== byPhone) throw contradiction()
  // Numbers get reassigned: a known phone with another id proof is another person.
  const byPhoneAlone = identity.idProofHash !== null && byIdProof === null
  if (user && byPhoneAlone && user.hasIdProof) throw contradiction()
  return user
}

const contradiction = () => conflict('The id proof and the phone number belong to different users.')
