import type { DataOf, Job } from '../kernel/jobs/queue.ts'

/** Retries for about twelve hours; `requeuePendingAccounts` queues accounts that are still PENDING then. */
export const OPEN_ACCOUNT: Job<{ user_id: string; account_id: string }, 'open-account'> = {
  name: 'open-account',
  retryLimit: 60,
  retryDelayMaxSeconds: 900,
}

/** Retries end soon after the code has expired. */
export const SEND_OTP: Job<{ challenge_id: string }, 'send-otp'> = {
  name: 'send-otp',
  retryLimit: 6,
  retryDelayMaxSeconds: 30,
}

/** The retry limit exceeds a wallet's tries, which count only calls that reached the operator. */
export const PROVISION_WALLET: Job<{ user_id: string }, 'provision-wallet'> = {
  name: 'provision-wallet',
  retryLimit: 1_000,
  retryDelayMaxSeconds: 600,
}

/** All jobs that events start; `migrate` creates their queues, so they are declared apart from their handlers. */
export const JOBS = [OPEN_ACCOUNT, SEND_OTP, PROVISION_WALLET] as const

type StartableJob = (typeof JOBS)[number]
export type JobName = StartableJob['name']

/** The handler of every job: without one of them the worker does not compile. */
export type JobHandlers = {
  readonly [One in StartableJob as One['name']]: (data: DataOf<One>) => Promise<void>
}
