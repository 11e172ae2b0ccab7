import { type Challenge, codeToSend, openChallenge } from '../../access/otp.ts'
import type { Deps } from '../../deps.ts'
import type { UserId } from '../../kernel/db/decode.ts'
import { findUser, findUserIdByPhone } from '../users/index.ts'
import { SEND_OTP } from './jobs.ts'
import type { Sms } from './sms.ts'

type Form = { platform_id: string; phone_country_code: string; phone_number: string }

/**
 * Records a challenge and queues the sending of its code. Everything is done for an unknown phone too, so that neither
 * the answer nor its time tells the two apart. 429 beyond the limits.
 */
export async function requestOtp(
  { db, vault, queue, clock }: Deps,
  form: Form & { address: string },
): Promise<Challenge> {
  const phone = form.phone_country_code.trim() + form.phone_number.trim()
  return db.transaction(async (tx) => {
    const challenge = await openChallenge(tx, vault, {
      phoneKey: vault.blindIndex('otp_phone', phone),
      addressKey: vault.blindIndex('otp_address', form.address),
      userId: (await findUserIdByPhone(tx, vault, { platformId: form.platform_id, phone })) ?? null,
      platformId: form.platform_id,
      now: clock.now(),
    })
    await queue.send(tx, SEND_OTP, { challenge_id: challenge.id })
    return challenge
  })
}

/** Sends the code of a challenge, if it is somebody's and still of use. */
export async function sendOtp({ db, vault, clock }: Deps, sms: Sms, challengeId: string): Promise<void> {
  const found = await codeToSend(db, vault, { challengeId, now: clock.now() })
  if (!found) return
  const scope = { userId: found.userId as UserId, platformId: null, providerId: null }
  const { phone_country_code, phone_number } = (await findUser(db, vault, scope)).profile
  await sms.send({
    to: `${phone_country_code}${phone_number}`,
    text: `${found.code} is your one-time code. It is valid for 5 minutes. Do not share it with anybody.`,
  })
}
