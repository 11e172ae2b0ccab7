import type { Deps } from './deps.ts'
import { accountJobs, type AccountProviderClient, OPEN_ACCOUNT } from './domains/accounts/index.ts'
import { SEND_OTP, type Sms, walletSessionJobs } from './domains/wallet-sessions/index.ts'
import { type Operator, PROVISION_WALLET, walletJobs } from './domains/wallets/index.ts'
import { newId } from './kernel/id.ts'
import { startPeriodic } from './kernel/jobs/periodic.ts'
import type { Job, Queue, RunnableJob } from './kernel/jobs/queue.ts'
import type { Log } from './kernel/log.ts'
import { type StartedJob, startRelay } from './record/relay.ts'
import { schedule } from './schedule.ts'

export type WorkerDeps = Deps & { queue: Queue }

/** Every queue there is; `migrate` creates them. */
export const JOBS: Job<object>[] = [OPEN_ACCOUNT, SEND_OTP, PROVISION_WALLET]

/** The companies outside that jobs talk to. */
export type Outside = {
  accountProvider: AccountProviderClient
  sms: Sms
  operator: Operator
  operatorCallbackUrl: string
}

const runnableJobs = (deps: Deps, { accountProvider, sms, operator, operatorCallbackUrl }: Outside): RunnableJob[] => [
  ...accountJobs(deps, accountProvider),
  ...walletSessionJobs(deps, sms),
  ...walletJobs({ ...deps, operator, callbackUrl: operatorCallbackUrl }),
]

/**
 * Starts running jobs, the relay that queues what events start, and the schedule. The returned function lets the running ones
 * end and stops.
 */
export async function startWorker(
  deps: WorkerDeps,
  { url, outside, log }: { url: string; outside: Outside; log: Log },
): Promise<() => Promise<void>> {
  const { db, queue } = deps
  await queue.work(runnableJobs(deps, outside))
  const relay = startRelay({ db, url, log, start: startJobs(queue) })
  const stopPeriodic = startPeriodic(schedule(deps, newId('wrk')), log)
  return async () => {
    await relay.stop()
    await Promise.all([queue.stop(), stopPeriodic()])
  }
}

/** Queues the jobs that events start, each once for its event. */
export const startJobs =
  (queue: Queue) =>
  (jobs: StartedJob[]): Promise<void> =>
    queue.send(jobs.map(({ job, eventId, data }) => ({ job, data, once: eventId })))
