import type { Deps } from '../../deps.ts'
import type { Job, RunnableJob } from '../../kernel/jobs/queue.ts'
import { sendOtp } from './request-otp.ts'
import type { Sms } from './sms.ts'

type Data = { challenge_id: string }

/** Not worth much longer than the code is valid. */
export const SEND_OTP: Job<Data> = { name: 'send-otp', retryLimit: 6, retryDelayMaxSeconds: 30 }

export function walletSessionJobs(deps: Deps, sms: Sms): RunnableJob[] {
  return [{ job: SEND_OTP, run: ({ challenge_id }: Data) => sendOtp(deps, sms, challenge_id) }]
}
