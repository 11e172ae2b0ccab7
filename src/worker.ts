import type { Deps } from './deps.ts'
import { accountJobs, type Bank, OPEN_ACCOUNT } from './domains/accounts/index.ts'
import { SEND_OTP, type Sms, walletSessionJobs } from './domains/wallet-sessions/index.ts'
import { type Operator, PROVISION_WALLET, walletJobs } from './domains/wallets/index.ts'
import { newId } from './kernel/id.ts'
import { startPeriodic } from './kernel/jobs/periodic.ts'
import type { Job, RunnableJob } from './kernel/jobs/queue.ts'
import type { Log } from './kernel/log.ts'
import { schedule } from './schedule.ts'

/** Every queue there is; `migrate` creates them. */
export const JOBS: Job<object>[] = [OPEN_ACCOUNT, SEND_OTP, PROVISION_WALLET]

/** The companies outside that jobs talk to. */
export type Outside = { bank: Bank; sms: Sms; operator: Operator; operatorCallbackUrl: string }

const runnableJobs = (deps: Deps, { bank, sms, operator, operatorCallbackUrl }: Outside): RunnableJob[] => [
  ...accountJobs(deps, bank),
  ...walletSessionJobs(deps, sms),
  ...walletJobs({ ...deps, operator, callbackUrl: operatorCallbackUrl }),
]

/** Starts running jobs and the schedule; the returned function lets the running ones end and stops. */
export async function startWorker(deps: Deps, settings: { outside: Outside; log: Log }): Promise<() => Promise<void>> {
  await deps.queue.work(runnableJobs(deps, settings.outside))
  const stopPeriodic = startPeriodic(schedule(deps, newId('wrk')), settings.log)
  return async () => {
    await Promise.all([deps.queue.stop(), stopPeriodic()])
  }
}
