import { rulesOf, useLimit } from '../../access/otp-limits.ts'
import { type Challenge, newChallenge } from '../../access/otp.ts'
import type { Deps } from '../../deps.ts'
import { type By, type Change, newEvent } from '../../record/index.ts'
import { phoneHashOf, trimPhone } from '../users/index.ts'
import { findAsking, REQUEST_CODE } from './store.ts'

/** `address` is what limits count by, see `networkOf`. */
type Input = { platform_id: string; phone_country_code: string; phone_number: string; address: string }

/**
 * Records a challenge; its event starts the sending of its code. Everything is done for an unknown phone too, so that neither
 * the response nor its time tells the two apart. Throws 429 beyond the limits.
 */
export async function requestOtp(
  { db, vault, limits }: Pick<Deps, 'db' | 'vault' | 'limits'>,
  input: Input,
  { at }: By,
): Promise<Change<Challenge>> {
  const { phone_country_code, phone_number } = trimPhone(input)
  const phone = phone_country_code + phone_number
  const platformId = input.platform_id
  const keys = {
    phoneKey: vault.blindIndex('otp_phone', phone),
    addressKey: vault.blindIndex('otp_address', input.address),
    phoneHash: phoneHashOf(vault, { platformId, phone }),
  }
  const asking = await findAsking(db, keys, at)
  const rules = rulesOf(limits)
  const { challenge, values } = newChallenge(vault, {
    userId: asking.userId,
    platformId,
    limits: [useLimit(asking.phone, rules.phone, at), useLimit(asking.address, rules.address, at)],
    pauseSeconds: limits.otpPauseSeconds,
    at,
  })
  return {
    result: challenge,
    write: REQUEST_CODE,
    values,
    events: [newEvent('one_time_code.requested', { platformId: null, data: { challenge_id: challenge.id } })],
  }
}
