import { noteFailed, noteSent } from '../../../access/otp-outcomes.ts'
import { codeToSend } from '../../../access/otp.ts'
import type { UserId } from '../../../access/user-id.ts'
import type { Log } from '../../../kernel/log.ts'
import type { Deps, JobHandlers } from '../../../record/index.ts'
import type { SmsAutofill } from '../../../settings/read-sms.ts'
import { findUser, phoneOf } from '../../people/users/index.ts'
import type { Sms } from './sms.ts'

type JobDeps = Pick<Deps, 'db' | 'vault' | 'clock'> & { log: Log; autofill?: SmsAutofill | null }

export const walletSessionJobs = (deps: JobDeps, sms: Sms): Pick<JobHandlers, 'send-otp'> => ({
  'send-otp': ({ challenge_id }) => sendOtp(deps, sms, challenge_id),
})

/** Sends the code of a challenge, unless its phone is unknown or the code can no longer be used; logs when it is too late. */
async function sendOtp(
  { db, vault, clock, log, autofill = null }: JobDeps,
  sms: Sms,
  challengeId: string,
): Promise<void> {
  const challenge = await codeToSend(db, vault, challengeId)
  if (!challenge) return
  if (challenge.isOver) {
    await noteFailed(db, challengeId, clock.now())
    return log.warn({ challenge_id: challengeId }, 'a one-time code expired before it could be sent')
  }
  const scope = { userId: challenge.userId as UserId, platformId: null, providerId: null }
  const phone = phoneOf((await findUser(db, vault, scope)).profile)
  if (phone === null) return // the number was set free, which made the code void
  try {
    await sms.send({
      to: phone,
      key: challengeId,
      text: [
        `${challenge.code} is your one-time code. It is valid for 5 minutes. Do not share it with anyone.`,
        ...autofillLines(challenge.code, autofill),
      ].join('\n\n'),
    })
  } catch (error) {
    await noteFailed(db, challengeId, clock.now())
    throw error // the queue tries again
  }
  await noteSent(db, challengeId, clock.now())
}

/** The last line of a message, as the SMS Retriever API of Android and the origin-bound codes of browsers want it. */
function autofillLines(code: string, autofill: SmsAutofill | null): string[] {
  if (autofill === null) return []
  return ['appHash' in autofill ? autofill.appHash : `@${autofill.domain} #${code}`]
}
