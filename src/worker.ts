import type { AuditHeads } from './access/audit-heads.ts'
import { createSingleCalls, type Deps, mount, type SingleCalls } from './record/index.ts'
import type { SmsAutofill } from './settings/read-sms.ts'
import { findColleagues, findPersons } from './domains/administration/administrators/index.ts'
import { endorsementOperations } from './domains/cover/endorsements/index.ts'
import { holdersOfPolicy, policyOperations } from './domains/cover/policies/index.ts'
import { LINKED_TO_DEPENDANT, LINKED_TO_USER } from './domains/cover/policy-propagation/index.ts'
import { accountJobs, type AccountProviderClient, takenReporter } from './domains/money/accounts/index.ts'
import { type Sms, walletSessionJobs } from './domains/money/wallet-sessions/index.ts'
import { contradictionReporter, type Operator, walletJobs } from './domains/money/wallets/index.ts'
import { countFailedWallets } from './domains/administration/statistics/index.ts'
import { dependantOperations } from './domains/people/dependants/index.ts'
import { userOperations } from './domains/people/users/index.ts'
import { startDelivering } from './domains/integration/webhooks/index.ts'
import { erasureDeps } from './data-map/erase.ts'
import type { Routes } from './kernel/http/router.ts'
import { createLeadership } from './kernel/db/leadership.ts'
import { findArchiveOverdue } from './record/audit-archives-store.ts'
import { findHeldBack } from './record/log-positions.ts'
import { newId } from './kernel/id.ts'
import { startPeriodic } from './kernel/jobs/periodic.ts'
import { ProblemError } from './kernel/problem-error.ts'
import { findBacklog, type Queue, type RunnableJob } from './kernel/jobs/queue.ts'
import type { Log } from './kernel/log.ts'
import type { Metrics } from './kernel/metrics.ts'
import type { Storage } from './kernel/storage/storage.ts'
import { createPoster } from './kernel/outbound/post-outside.ts'
import { type JobHandlers, JOBS } from './record/jobs.ts'
import { EVENTS_CHANNEL, findLag, type StartedJob, startRelay } from './record/relay.ts'
import { schedule, type ScheduleDeps } from './schedule.ts'

export type WorkerDeps = Deps & { queue: Queue }

export type ExternalCompanies = {
  accountProvider: AccountProviderClient
  sms: Sms
  smsAutofill?: SmsAutofill | null
  operator: Operator
  operatorCallbackUrl: string
}

/** What the rows of imports call: the operations that `src/app.ts` mounts too, without a server. */
export const createImportedOperations = (deps: Deps): SingleCalls =>
  createSingleCalls(mountImported, deps, deps.calendar)

function mountImported(routes: Routes, deps: Deps): void {
  mount(routes, deps, userOperations({ linked: LINKED_TO_USER, holdersOf: holdersOfPolicy }))
  mount(routes, deps, dependantOperations(LINKED_TO_DEPENDANT))
  mount(routes, deps, policyOperations({ findPersons, findColleagues }))
  mount(routes, deps, endorsementOperations)
}

const createHandlers = (
  deps: ScheduleDeps,
  { accountProvider, sms, smsAutofill: autofill = null }: ExternalCompanies,
): JobHandlers => ({
  ...accountJobs(deps, accountProvider),
  ...walletSessionJobs({ ...deps, autofill }, sms),
  ...walletJobs(deps),
})

const runnableJobs = (handlers: JobHandlers): RunnableJob[] =>
  JOBS.map((job) => unlessGone({ job, run: handlers[job.name] }))

/** A job about a user who was erased since then has nothing left to do. */
function unlessGone({ job, run }: RunnableJob): RunnableJob {
  const isGone = (error: unknown) => error instanceof ProblemError && error.code === 'not_found'
  return {
    job,
    run: (data) => run(data).catch((error: unknown) => (isGone(error) ? undefined : Promise.reject(error))),
  }
}

type WorkerSettings = {
  url: string
  companies: ExternalCompanies
  log: Log
  metrics: Metrics
  auditHeads: AuditHeads
  /** After how many whole days sealed batches of the audit are archived; null: they are not. */
  auditArchiveDays?: number | null
  /** Where the list for restores is; null: it is not kept. */
  restoreList?: Pick<Storage, 'get' | 'put'> | null
  /** Within how many hours the operator is asked for every wallet; a day unless set. */
  statusHours?: number
  /** Days before the end of a term on which its renewal is due. */
  noticeDays?: readonly number[]
}

const STATUS_HOURS = 24
const NOTICE_DAYS = [30, 7, 1]

/**
 * Starts the jobs, the relay that queues jobs of events, the sender of webhooks, and the schedule. The returned
 * function lets running ones finish and stops.
 */
export async function startWorker(
  workerDeps: WorkerDeps,
  { url, companies, log, metrics, auditHeads, ...settings }: WorkerSettings,
): Promise<() => Promise<void>> {
  const { auditArchiveDays = null, restoreList = null, statusHours = STATUS_HOURS, noticeDays = NOTICE_DAYS } = settings
  const leadership = createLeadership({ url, channel: EVENTS_CHANNEL, log })
  const deps = {
    ...workerDeps,
    ...erasureDeps(workerDeps),
    singleCalls: createImportedOperations(workerDeps),
    operator: companies.operator,
    callbackUrl: companies.operatorCallbackUrl,
    auditHeads,
    auditArchiveDays,
    restoreList,
    statusHours,
    noticeDays,
    leadership,
    log,
    reportTaken: takenReporter({ metrics, log }),
    reportContradiction: contradictionReporter({ metrics, log }),
  }
  const { db, queue } = deps
  await queue.work(runnableJobs(createHandlers(deps, companies)))
  const relay = startRelay({ db, leadership, log, start: startJobs(queue) })
  const delivering = startDelivering(deps, { leadership, log, metrics, poster: createPoster(deps.targets) })
  const stopPeriodic = startPeriodic(schedule(deps, newId('wrk')), log)
  const unwatch = watchBacklogs(metrics, deps)
  let stopping: Promise<void> | undefined // also before the process ends, when it is too old for the database
  const stop = async () => {
    unwatch()
    await relay.stop()
    await Promise.all([queue.stop(), Promise.all([stopPeriodic(), delivering.stop()]).then(leadership.close)])
  }
  return () => (stopping ??= stop())
}

/** Returns the function that queues the jobs of events, once per event. */
export const startJobs =
  (queue: Queue) =>
  (jobs: StartedJob[]): Promise<void> =>
    queue.send(jobs.map(({ job, eventId, data, traceparent }) => ({ job, data, once: eventId, traceparent })))

export const BACKLOG_GAUGES = {
  job_queue_depth: { help: 'Jobs that are ready, or delayed until their next attempt', labels: ['queue', 'state'] },
  job_queue_age_seconds: { help: 'For how long the oldest ready job has waited for a worker', labels: ['queue'] },
  outbox_events_waiting: {
    help:
      'Events that a relay has not processed yet, counted up to 10000; ' +
      'the relay jobs starts jobs, the relay webhooks creates deliveries',
    labels: ['relay'],
  },
  outbox_lag_seconds: { help: 'Age of the oldest of them', labels: ['relay'] },
  log_held_back_seconds: {
    help:
      'For how long a running transaction of the database server has hidden entries of a log from its readers: ' +
      'events is /v1/events, audit is /v1/audit_log',
    labels: ['log'],
  },
  wallets_failed: {
    help: 'Wallets that are FAILED: the operator rejected them, or gave no definite response; at most a minute old',
  },
  audit_archive_overdue_seconds: {
    help:
      'For how long the oldest batch of the audit that is in no archive has been older than AUDIT_ARCHIVE_DAYS; ' +
      'up to a day is usual, because whole days are archived',
  },
}
export const CIRCUIT_GAUGES = {
  circuit_state: { help: '1 for the current state of the circuit to a company', labels: ['company', 'state'] },
}

/** Watches the backlogs in the database, which are the same for all workers, and the circuit of this worker. */
function watchBacklogs(metrics: Metrics, { db, operator, auditArchiveDays: days }: ScheduleDeps): () => void {
  const queues = JOBS.map(({ name }) => name)
  const unwatch = metrics.watch(BACKLOG_GAUGES, async () => {
    const [jobs, relays, logs, overdue, failed] = await Promise.all([
      findBacklog(db, queues),
      findLag(db),
      findHeldBack(db),
      days === null ? [] : findArchiveOverdue(db, days),
      countFailedWallets(db),
    ])
    return {
      job_queue_depth: jobs.flatMap(({ queue, ready, delayed }) => [
        { labels: { queue, state: 'ready' }, value: ready },
        { labels: { queue, state: 'delayed' }, value: delayed },
      ]),
      job_queue_age_seconds: jobs.map(({ queue, age_s }) => ({ labels: { queue }, value: age_s })),
      outbox_events_waiting: relays.map(({ relay, waiting }) => ({ labels: { relay }, value: waiting })),
      outbox_lag_seconds: relays.map(({ relay, lag_s }) => ({ labels: { relay }, value: lag_s })),
      log_held_back_seconds: logs.map(({ log, held_s }) => ({ labels: { log }, value: held_s })),
      audit_archive_overdue_seconds: overdue,
      wallets_failed: failed,
    }
  })
  const unwatchCircuit = metrics.watch(CIRCUIT_GAUGES, () => {
    const current = operator.isCircuitOpen() ? 'open' : operator.isHalfOpen() ? 'half_open' : 'closed'
    const states = ['closed', 'half_open', 'open']
    const toValue = (state: string) => ({ labels: { company: 'operator', state }, value: Number(state === current) })
    return { circuit_state: states.map(toValue) }
  })
  return () => {
    unwatch()
    unwatchCircuit()
  }
}
