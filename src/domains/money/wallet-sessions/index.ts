import { listOneTimeCodes } from './list-one-time-codes.ts'
import { logOutOfWallet } from './log-out-of-wallet.ts'
import { refreshWalletToken } from './refresh-wallet-token.ts'
import { requestOtp } from './request-otp.ts'
import { verifyOtp } from './verify-otp.ts'

export { createSandboxSms } from './adapters/sandbox-sms.ts'
export { createTwilioSms } from './adapters/twilio-sms.ts'
export { walletSessionJobs } from './jobs.ts'
export type { Sms } from './sms.ts'

/** Of platforms and administrators, under `{base_url}`. */
export const oneTimeCodeOperations = [listOneTimeCodes]

/** Of wallet users, under `{wallet_base_url}`. */
export const walletSessionOperations = [requestOtp, verifyOtp, refreshWalletToken, logOutOfWallet]
