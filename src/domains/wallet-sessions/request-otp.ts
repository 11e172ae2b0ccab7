import { type Challenge, newChallenge } from '../../access/otp.ts'
import type { Deps } from '../../deps.ts'
import { type By, type Change, newEvent } from '../../record/index.ts'
import { phoneHashOf, trimPhone } from '../users/index.ts'
import { findAsker, OPEN_CHALLENGE } from './store.ts'

type Form = { platform_id: string; phone_country_code: string; phone_number: string; address: string }

/**
 * Records a challenge, and with it that its code is to be sent. Everything is done for an unknown phone too, so that neither
 * the response nor its time tells the two apart. Throws 429 beyond the limits.
 */
export async function requestOtp(
  { db, vault }: Pick<Deps, 'db' | 'vault'>,
  form: Form,
  by: By,
): Promise<Change<Challenge>> {
  const { phone_country_code, phone_number } = trimPhone(form)
  const phone = phone_country_code + phone_number
  const platformId = form.platform_id
  const keys = {
    phoneKey: vault.blindIndex('otp_phone', phone),
    addressKey: vault.blindIndex('otp_address', form.address),
  }
  const found = await findAsker(
    db,
    { ...keys, phoneHash: phoneHashOf(vault, { platformId, phone }), platformId },
    by.at,
  )
  const { challenge, values } = newChallenge(vault, { ...keys, ...found, platformId }, by.at)
  const data = { challenge_id: challenge.id }
  return {
    result: challenge,
    write: OPEN_CHALLENGE,
    values,
    events: [newEvent('one_time_code.requested', { platformId: null, data })],
  }
}
