import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Job, migrateQueue } from '../../src/kernel/jobs/queue.ts'
import { openTestApp } from '../support/app.ts'

const JOBS_WAITING = 6
/** Two polls and a margin; the delays of jobs that failed three times add up to more. */
const WITHIN_MS = 5_000

const jobOf = (name: string): Job<{ number: number }> => ({ name, retryLimit: 9, retryDelayMaxSeconds: 600 })
const [OUTAGE, SINGLE] = [jobOf('test-outage'), jobOf('test-single')]

const t = await openTestApp({ own: true })
await migrateQueue(t.ownerUrl, [OUTAGE, SINGLE], 'banyan_app')

const worker = await t.openQueue()
const newJobs = (job: Job<object>, numbers: number[]) => numbers.map((number) => ({ job: job.name, data: { number } }))

/** Delays the next attempts of failed jobs by an hour, as after many failures. */
const delayNextAttempt = ({ name }: Job<object>) =>
  t.sql(`update pgboss.job set start_after = now() + interval '1 hour' where name = $1 and state = 'retry'`, [name])

async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + WITHIN_MS
  while (!condition()) {
    assert(performance.now() < deadline, 'too late')
    await sleep(50)
  }
}

describe('jobs waiting for their next attempt', () => {
  it('run immediately when one of their kind succeeds after many failures', async () => {
    let isAway = true
    let failed = 0
    const done: number[] = []
    const run = async ({ number }: { number: number }) => {
      if (isAway) throw new Error(`away ${++failed}`)
      done.push(number)
    }
    await worker.send(
      newJobs(
        OUTAGE,
        Array.from({ length: JOBS_WAITING }, (_, index) => index),
      ),
    )
    await worker.work([{ job: OUTAGE, run }])
    await until(() => failed >= JOBS_WAITING)
    isAway = false
    await sleep(100) // the last failure is being written
    await delayNextAttempt(OUTAGE)
    const late = 99
    await worker.send(newJobs(OUTAGE, [late]))
    await until(() => done.length === JOBS_WAITING + 1)
    assert(done.includes(late))
  })

  it('keep their delay when only a few have failed: those jobs may be the cause', async () => {
    const done: number[] = []
    let tries = 0
    const run = async ({ number }: { number: number }) => {
      if (number === 0) throw new Error(`its own error ${++tries}`)
      done.push(number)
    }
    await worker.send(newJobs(SINGLE, [0]))
    await worker.work([{ job: SINGLE, run }])
    await until(() => tries === 1)
    await sleep(100)
    await delayNextAttempt(SINGLE)
    await worker.send(newJobs(SINGLE, [1]))
    await until(() => done.length === 1)
    await sleep(1_500)
    assert.equal(tries, 1)
  })
})
