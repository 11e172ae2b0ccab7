import type { AuditHeads } from './access/audit-heads.ts'
import type { Deps } from './deps.ts'
import { accountJobs, type AccountProviderClient, OPEN_ACCOUNT } from './domains/accounts/index.ts'
import { SEND_OTP, type Sms, walletSessionJobs } from './domains/wallet-sessions/index.ts'
import { type Operator, PROVISION_WALLET, walletJobs } from './domains/wallets/index.ts'
import { startDelivering } from './domains/webhooks/index.ts'
import { newId } from './kernel/id.ts'
import { startPeriodic } from './kernel/jobs/periodic.ts'
import type { Job, Queue, RunnableJob } from './kernel/jobs/queue.ts'
import type { Log } from './kernel/log.ts'
import { openPoster } from './kernel/outbound/post-outside.ts'
import { type StartedJob, startRelay } from './record/relay.ts'
import { schedule, type ScheduleDeps } from './schedule.ts'

export type WorkerDeps = Deps & { queue: Queue }

/** All queues; `migrate` creates them. */
export const JOBS: Job<object>[] = [OPEN_ACCOUNT, SEND_OTP, PROVISION_WALLET]

/** The clients of the external companies that jobs call. */
export type ExternalCompanies = {
  accountProvider: AccountProviderClient
  sms: Sms
  operator: Operator
  operatorCallbackUrl: string
}

const runnableJobs = (deps: ScheduleDeps, { accountProvider, sms }: ExternalCompanies): RunnableJob[] => [
  ...accountJobs(deps, accountProvider),
  ...walletSessionJobs(deps, sms),
  ...walletJobs(deps),
]

/**
 * Starts the jobs, the relay that queues jobs of events, the sender of webhooks, and the schedule. The returned
 * function lets running ones finish and stops.
 */
export async function startWorker(
  workerDeps: WorkerDeps,
  { url, companies, log, auditHeads }: { url: string; companies: ExternalCompanies; log: Log; auditHeads: AuditHeads },
): Promise<() => Promise<void>> {
  const deps = {
    ...workerDeps,
    operator: companies.operator,
    callbackUrl: companies.operatorCallbackUrl,
    auditHeads,
    log,
  }
  const { db, queue } = deps
  await queue.work(runnableJobs(deps, companies))
  const relay = startRelay({ db, url, log, start: startJobs(queue) })
  const delivering = startDelivering(deps, { url, log, poster: openPoster(deps.targets) })
  const stopPeriodic = startPeriodic(schedule(deps, newId('wrk')), log)
  return async () => {
    await relay.stop()
    await Promise.all([queue.stop(), stopPeriodic(), delivering.stop()])
  }
}

/** Returns the function that queues the jobs of events, once per event. */
export const startJobs =
  (queue: Queue) =>
  (jobs: StartedJob[]): Promise<void> =>
    queue.send(jobs.map(({ job, eventId, data }) => ({ job, data, once: eventId })))
