import { hash } from 'node:crypto'
import { PgBoss } from 'pg-boss'
import { type Queryable, statement } from '../db/database.ts'
import { sessionConfig, UNHURRIED } from '../db/session.ts'
import type { Log } from '../log.ts'
import { StartError } from '../start-error.ts'
import type { Metrics } from '../metrics.ts'
import { describe } from '../http/problems.ts'
import { inSpan, errorKind } from '../tracing.ts'

/** A kind of job: its name and its retry policy. Data holds ids only, never personal data. */
export type Job<Data extends object, Name extends string = string> = {
  name: Name
  retryLimit: number
  retryDelayMaxSeconds: number
  /** For types only: the data `run` gets. */
  readonly data?: Data
}

export type DataOf<J> = J extends Job<infer Data> ? Data : never

/**
 * A job to queue. `once` names its cause: a job is queued once per cause, however often it is sent. `traceparent` is the
 * trace it continues.
 */
type NewJob = { job: string; data: object; once?: string; traceparent?: string | undefined }

/** A job with its handler. */
export type RunnableJob = { job: Job<object>; run: (data: never) => Promise<void> }

type FetchedJob = { id: string; data: object & { traceparent?: string }; retryCount: number }

export type Queue = Awaited<ReturnType<typeof startQueue>>

type QueueSettings = {
  url: string
  log: Log
  metrics: Metrics
  /** How often a worker looks for jobs of dead workers; shorter in tests. */
  monitor_s?: number
}

const CONNECTIONS_MAX = 3
const POLLING_SECONDS = 0.5
const BATCH_SIZE = 10
/** pg-boss itself only retries jobs of dead workers; for failed jobs we set the delay ourselves. */
const ORPHAN_DELAY_SECONDS = 1
const STOP_TIMEOUT_MS = 5_000
/** A job of a dead worker is found after these two together, and runs again. */
const EXPIRE_SECONDS = 45
export const MONITOR_SECONDS = 15
/** This many consecutive failures of one kind of job count as an outage; fewer may be caused by a single job. */
const OUTAGE_FAILURES = 5

/** Creates or upgrades the tables of the queue and the queues themselves; part of `migrate`. */
export async function migrateQueue(
  ownerUrl: string,
  jobs: readonly Job<object>[],
  appRole: string | null,
): Promise<void> {
  const boss = new PgBoss({ ...sessionConfig(ownerUrl, UNHURRIED), max: 1, supervise: false, schedule: false })
  boss.on('error', () => {}) // start and createQueue reject on their own
  await boss.start()
  try {
    for (const job of jobs) {
      const options = {
        retryLimit: job.retryLimit,
        retryDelay: ORPHAN_DELAY_SECONDS,
        retryBackoff: false,
        expireInSeconds: EXPIRE_SECONDS,
      }
      if (await boss.getQueue(job.name)) await boss.updateQueue(job.name, options)
      else await boss.createQueue(job.name, options)
    }
    if (appRole) await boss.getDb().executeSql(grantsFor(appRole))
  } finally {
    await boss.stop({ graceful: false })
  }
}

/** Returns an id derived from job and cause; the queue ignores a job whose id exists. */
function toJobId({ job, once }: NewJob): { id?: string } {
  if (once === undefined) return {}
  const hex = hash('sha256', `${job}\0${once}`)
  return { id: [8, 12, 16, 20, 32].map((end, index, ends) => hex.slice(ends[index - 1] ?? 0, end)).join('-') }
}

const toJobData = ({ data, traceparent }: NewJob): object =>
  traceparent === undefined ? data : { ...data, traceparent }

/**
 * Doubles with each failure, up to the job's maximum; random, so that jobs that failed together do not retry together.
 */
function backoffSeconds({ retryDelayMaxSeconds }: Job<object>, failures: number): number {
  return Math.min(retryDelayMaxSeconds, 2 ** (failures - 1) * (1 + Math.random()))
}

/** Runs a job as a part of the trace that queued it. */
const tryOnce = ({ job, run }: RunnableJob, { data }: FetchedJob, log: Log): Promise<'completed' | 'failed'> =>
  inSpan({ name: `job ${job.name}`, kind: 'consumer', parent: data.traceparent }, (span) =>
    run(data as never).then(
      () => 'completed' as const,
      (error: unknown) => {
        log.warn({ job: job.name, error: describe(error) }, 'job failed; retrying')
        span?.fail(errorKind(error))
        return 'failed' as const
      },
    ),
  )

/** The columns that a running queue writes, of a queue and of the clock that all processes share; not the names of queue and table. */
const QUEUE_COLUMNS = `deferred_count, queued_count, ready_count, active_count, failed_count, total_count, created_delta,
  completed_delta, failed_delta, delta_on, delta_seconds, ready_history, singletons_active, monitor_claim_on, monitor_on,
  maintain_on`
const CLOCK_COLUMNS = 'flow_on, monitor_backoff_on'

/**
 * The role may not write the names of tables and the commands that pg-boss keeps in tables: it runs them as the owner when it
 * migrates.
 */
function grantsFor(role: string): string {
  return `grant usage on schema pgboss to ${role};
    revoke all on all tables in schema pgboss from ${role};
    grant select on all tables in schema pgboss to ${role};
    grant insert, update, delete on pgboss.job, pgboss.job_common, pgboss.job_dependency to ${role};
    grant update (${QUEUE_COLUMNS}) on pgboss.queue to ${role};
    grant update (${CLOCK_COLUMNS}) on pgboss.version to ${role};
    grant execute on all functions in schema pgboss to ${role}`
}

/** Connects to the queue, to send, run and supervise jobs. */
export async function startQueue({ url, log, metrics, monitor_s = MONITOR_SECONDS }: QueueSettings) {
  const boss = new PgBoss({
    ...sessionConfig(url, UNHURRIED),
    max: CONNECTIONS_MAX,
    migrate: false,
    createSchema: false,
    supervise: true,
    schedule: false,
    reindex: false,
    superviseIntervalSeconds: monitor_s,
    monitorIntervalSeconds: monitor_s,
  })
  boss.on('error', (error) => log.warn({ error: describe(error) }, 'job queue error'))
  boss.on('warning', (warning) => log.warn({ warning: describe(warning) }, 'job queue warning'))
  await boss.start().catch(async (error: Error) => {
    await boss.stop({ graceful: false })
    throw /not installed|requires migrations/.test(error.message)
      ? new StartError('The job queue tables are not at the version of this program. Run `migrate` first.')
      : error
  })
  const workers = new Map<string, string>() // by the job's name
  const failures = new Map<string, number>() // consecutive, by the job's name
  let stopping: Promise<void> | undefined // both its opener and the worker may stop it

  /** Counts consecutive failures, and retries all failed jobs at once when an outage is over. */
  async function trackOutage(name: string, outcome: 'completed' | 'failed'): Promise<void> {
    const previous = failures.get(name) ?? 0
    failures.set(name, outcome === 'failed' ? previous + 1 : 0)
    if (outcome === 'failed' || previous < OUTAGE_FAILURES) return
    await retryNow(name).catch((error: unknown) =>
      log.warn({ job: name, error: describe(error) }, 'delayed jobs could not be released'),
    )
  }

  /** All jobs of a kind have its name as their singleton key, because pg-boss finds pending jobs by it. */
  async function retryNow(name: string): Promise<void> {
    await boss.update(name, undefined, { singletonKey: name, match: 'all', startAfter: 0 })
  }

  /** Schedules a retry of a failed job; when that cannot be written, the job is retried like those of dead workers. */
  async function scheduleRetry(job: Job<object>, { id, retryCount }: FetchedJob): Promise<void> {
    try {
      await boss.fail(job.name, [{ id, retryCount }])
      await boss.update(job.name, undefined, { id, startAfter: backoffSeconds(job, retryCount + 1) })
    } catch (error) {
      log.warn({ job: job.name, error: describe(error) }, 'a failed job could not be rescheduled')
    }
  }

  async function runOne(runnable: RunnableJob, fetched: FetchedJob): Promise<'completed' | 'failed'> {
    const started = performance.now()
    const { job } = runnable
    const outcome = await tryOnce(runnable, fetched, log)
    metrics.jobDone({ queue: job.name, outcome, duration_ms: performance.now() - started })
    if (outcome === 'failed') await scheduleRetry(job, fetched)
    await trackOutage(job.name, outcome)
    return outcome
  }

  return {
    async send(jobs: readonly NewJob[]): Promise<void> {
      for (const name of new Set(jobs.map(({ job }) => job))) {
        const jobsOfName = jobs.filter(({ job }) => job === name)
        await boss.insert(
          name,
          jobsOfName.map((one) => ({ ...toJobId(one), data: toJobData(one), singletonKey: name })),
        )
        const worker = workers.get(name)
        if (worker !== undefined) boss.notifyWorker(worker)
      }
    },
    async work(jobs: RunnableJob[]): Promise<void> {
      for (const runnable of jobs) {
        const options = {
          batchSize: BATCH_SIZE,
          burstWhenBatchFull: true,
          pollingIntervalSeconds: POLLING_SECONDS,
          perJobResults: true as const,
          includeMetadata: true as const,
        }
        const { name } = runnable.job
        const worker = await boss.work<object, unknown, typeof options>(name, options, (batch) =>
          Promise.all(batch.map(async (fetched) => ({ id: fetched.id, status: await runOne(runnable, fetched) }))),
        )
        workers.set(name, worker)
      }
    },
    /** Runs all jobs of one kind that await a retry now, oldest first, with the usual concurrency. */
    retryNow,
    stop: (): Promise<void> => (stopping ??= boss.stop({ graceful: true, timeout: STOP_TIMEOUT_MS })),
  }
}

const COUNTED_MAX = 100_000

/** A job that was just queued, and one whose retry delay is over, are ready. */
const FIND = statement(
  'jobs_backlog',
  `select q.queue, coalesce(j.ready, 0)::int as ready, coalesce(j.delayed, 0)::int as delayed,
          coalesce(extract(epoch from now() - j.oldest), 0)::float8 as age_s
     from unnest($1::text[]) as q (queue)
    cross join lateral (
          select count(*) filter (where w.start_after <= now()) as ready,
                 count(*) filter (where w.start_after > now()) as delayed,
                 min(w.start_after) filter (where w.start_after <= now()) as oldest
            from (select start_after from pgboss.job
                   where name = q.queue and state < 'active' and not blocked
                   limit ${COUNTED_MAX}) w) j`,
)

/** Returns how many jobs of each queue are ready and delayed, and for how long the oldest ready one has waited. */
export const findBacklog = (db: Queryable, queues: readonly string[]) =>
  db.query<{ queue: string; ready: number; delayed: number; age_s: number }>(FIND, [queues])
