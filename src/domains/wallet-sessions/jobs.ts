import { codeToSend } from '../../access/otp.ts'
import type { Deps } from '../../deps.ts'
import type { UserId } from '../../access/user-id.ts'
import type { DataOf, RunnableJob } from '../../kernel/jobs/queue.ts'
import { SEND_OTP } from '../../record/index.ts'
import { findUser } from '../users/index.ts'
import type { Sms } from './sms.ts'

export function walletSessionJobs(deps: Deps, sms: Sms): RunnableJob[] {
  return [{ job: SEND_OTP, run: ({ challenge_id }: DataOf<typeof SEND_OTP>) => sendOtp(deps, sms, challenge_id) }]
}

/** Sends the code of a challenge, unless its phone is unknown or the code can no longer be used. */
async function sendOtp({ db, vault, clock }: Deps, sms: Sms, challengeId: string): Promise<void> {
  const found = await codeToSend(db, vault, { challengeId, now: clock.now() })
  if (!found) return
  const scope = { userId: found.userId as UserId, platformId: null, providerId: null }
  const { phone_country_code, phone_number } = (await findUser(db, vault, scope)).profile
  await sms.send({
    to: `${phone_country_code}${phone_number}`,
    text: `${found.code} is your one-time code. It is valid for 5 minutes. Do not share it with anyone.`,
  })
}
