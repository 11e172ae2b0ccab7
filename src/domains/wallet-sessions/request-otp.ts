import { type Challenge, openChallenge } from '../../access/otp.ts'
import type { Deps } from '../../deps.ts'
import { emit } from '../events/index.ts'
import { findUserIdByPhone, trimPhone } from '../users/index.ts'
import { networkOf } from './network-of.ts'

type Form = { platform_id: string; phone_country_code: string; phone_number: string }

/**
 * Records a challenge and queues the sending of its code. Everything is done for an unknown phone too, so that neither
 * the answer nor its time tells the two apart. 429 beyond the limits.
 */
export async function requestOtp({ db, vault, clock }: Deps, form: Form & { address: string }): Promise<Challenge> {
  const { phone_country_code, phone_number } = trimPhone(form)
  const phone = phone_country_code + phone_number
  return db.transaction(async (tx) => {
    const challenge = await openChallenge(tx, vault, {
      phoneKey: vault.blindIndex('otp_phone', phone),
      addressKey: vault.blindIndex('otp_address', networkOf(form.address)),
      userId: (await findUserIdByPhone(tx, vault, { platformId: form.platform_id, phone })) ?? null,
      platformId: form.platform_id,
      now: clock.now(),
    })
    const data = { challenge_id: challenge.id }
    await emit(tx, 'one_time_code.requested', { platformId: null, subject: challenge.id, data })
    return challenge
  })
}
