import { hash } from 'node:crypto'
import { PgBoss } from 'pg-boss'
import type { Log } from '../log.ts'
import { StartError } from '../start-error.ts'
import type { Metrics } from '../metrics.ts'
import { type Queryable, statement } from '../db/database.ts'
import { describe } from '../http/problems.ts'

/** A kind of job: its name and how it is tried again. Data holds ids only, never personal data. */
export type Job<Data extends object> = {
  name: string
  retryLimit: number
  retryDelayMaxSeconds: number
  /** Only for the compiler: what `run` gets. */
  readonly data?: Data
}

/** A job to be queued. `once` names its cause: for one cause a job is queued once, however often it is sent. */
export type NewJob = { job: string; data: object; once?: string }

/** A job together with what it does; the list of these is the worker. */
export type RunnableJob = { job: Job<object>; run: (data: never) => Promise<void> }

export type Queue = {
  send(jobs: readonly NewJob[]): Promise<void>
  work(jobs: RunnableJob[]): Promise<void>
  stop(): Promise<void>
}

type QueueSettings = {
  url: string
  log: Log
  metrics: Metrics
  /** How often a worker looks for jobs whose worker died; tests do not wait as long. */
  monitor_s?: number
}

const CONNECTIONS_MAX = 3
const POLLING_SECONDS = 0.5
const BATCH_SIZE = 10
const RETRY_DELAY_SECONDS = 1
const STOP_TIMEOUT_MS = 5_000
/** A job whose worker died is found after these two together, and runs again when it is then hurried. */
const EXPIRE_SECONDS = 45
export const MONITOR_SECONDS = 15
/** So many failures in a row of one kind of job are an outage; fewer can be the fault of a job. */
const OUTAGE_FAILURES = 5

/** Jobs that wait for their next try run now; `blocked` is there for the index. */
const RETRY_WAITING_NOW = `update pgboss.job
    set start_after = now()
  where state = 'retry' and not blocked and start_after > now()`

/** pg-boss lets an orphan wait as long as a job that failed, after many tries for hours. */
const RETRY_NOW = statement('jobs_hurry', `${RETRY_WAITING_NOW} and output #>> '{value,message}' = 'job timed out'`)

/** Pauses have grown with the outage; the first job that is done after it shows that the others need not sit theirs out. */
const RETRY_ALL_NOW = `${RETRY_WAITING_NOW} and name = $1`

/** Lets jobs whose worker died run at once; part of the schedule. */
export async function retryOrphanedJobsNow(db: Queryable): Promise<void> {
  await db.query(RETRY_NOW)
}

/** Creates or upgrades the tables of the queue and the queues themselves; part of `migrate`. */
export async function migrateQueue(ownerUrl: string, jobs: Job<object>[], appRole: string | null): Promise<void> {
  const boss = new PgBoss({ connectionString: ownerUrl, max: 1, supervise: false, schedule: false })
  boss.on('error', () => {}) // start and createQueue reject on their own
  await boss.start()
  try {
    for (const job of jobs) {
      const options = {
        retryLimit: job.retryLimit,
        retryDelay: RETRY_DELAY_SECONDS,
        retryBackoff: true,
        retryDelayMax: job.retryDelayMaxSeconds,
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

/** An id that is the same whenever the same cause starts the same job; the queue leaves a job whose id it knows as it is. */
function idOf({ job, once }: NewJob): { id?: string } {
  if (once === undefined) return {}
  const hex = hash('sha256', `${job}\0${once}`)
  return { id: [8, 12, 16, 20, 32].map((end, index, ends) => hex.slice(ends[index - 1] ?? 0, end)).join('-') }
}

function grantsFor(role: string): string {
  return `grant usage on schema pgboss to ${role};
    grant select, insert, update, delete on all tables in schema pgboss to ${role};
    grant execute on all functions in schema pgboss to ${role}`
}

/** Connects to the queue, to queue, run and supervise jobs. */
export async function openQueue({ url, log, metrics, monitor_s = MONITOR_SECONDS }: QueueSettings): Promise<Queue> {
  const boss = new PgBoss({
    connectionString: url,
    max: CONNECTIONS_MAX,
    migrate: false,
    createSchema: false,
    supervise: true,
    schedule: false,
    reindex: false,
    superviseIntervalSeconds: monitor_s,
    monitorIntervalSeconds: monitor_s,
  })
  boss.on('error', (error) => log.warn({ error: describe(error) }, 'job queue'))
  await boss.start().catch(async (error: Error) => {
    await boss.stop({ graceful: false })
    throw /not installed|requires migrations/.test(error.message)
      ? new StartError('The tables of the job queue are not at the version of this program; run `migrate` first.')
      : error
  })
  const workers = new Map<string, string>() // by the job's name
  const failures = new Map<string, number>() // in a row, by the job's name
  let stopping: Promise<void> | undefined // whoever opened it and whoever works on it may both stop it

  /** Counts failures in a row, and lets all run that wait for their next try when an outage is over. */
  async function follow(name: string, outcome: 'completed' | 'failed'): Promise<void> {
    const before = failures.get(name) ?? 0
    failures.set(name, outcome === 'failed' ? before + 1 : 0)
    if (outcome === 'failed' || before < OUTAGE_FAILURES) return
    await boss
      .getDb()
      .executeSql(RETRY_ALL_NOW, [name])
      .catch((error: unknown) => log.warn({ job: name, error: describe(error) }, 'waiting jobs keep their pauses'))
  }

  async function runOne({ job, run }: RunnableJob, data: object): Promise<'completed' | 'failed'> {
    const started = performance.now()
    const outcome = await run(data as never).then(
      () => 'completed' as const,
      (error: unknown) => {
        log.warn({ job: job.name, error: describe(error) }, 'job failed; it is tried again')
        return 'failed' as const
      },
    )
    metrics.jobDone({ job: job.name, outcome, duration_ms: performance.now() - started })
    await follow(job.name, outcome)
    return outcome
  }

  return {
    send: async (jobs) => {
      for (const name of new Set(jobs.map(({ job }) => job))) {
        const own = jobs.filter(({ job }) => job === name)
        await boss.insert(
          name,
          own.map((one) => ({ ...idOf(one), data: one.data })),
        )
        const worker = workers.get(name)
        if (worker !== undefined) boss.notifyWorker(worker)
      }
    },
    work: async (jobs) => {
      for (const runnable of jobs) {
        const options = {
          batchSize: BATCH_SIZE,
          burstWhenBatchFull: true,
          pollingIntervalSeconds: POLLING_SECONDS,
          perJobResults: true as const,
        }
        const { name } = runnable.job
        const worker = await boss.work<object, unknown, typeof options>(name, options, (batch) =>
          Promise.all(batch.map(async ({ id, data }) => ({ id, status: await runOne(runnable, data) }))),
        )
        workers.set(name, worker)
      }
    },
    stop: () => (stopping ??= boss.stop({ graceful: true, timeout: STOP_TIMEOUT_MS })),
  }
}
