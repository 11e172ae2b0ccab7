import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Job, migrateQueue } from '../../../src/kernel/jobs/queue.ts'
import { openTestApp } from '../../support/app.ts'
import { DEADLINE_MS, within } from '../../support/deadline.ts'

const JOBS_WAITING = 6

const jobOf = (name: string): Job<{ number: number }> => ({ name, retryLimit: 9, retryDelayMaxSeconds: 600 })
const [OUTAGE, SINGLE] = [jobOf('test-outage'), jobOf('test-single')]

const t = await openTestApp({ own: true, timeoutFactor: 1 })
await migrateQueue(t.ownerUrl, [OUTAGE, SINGLE], 'banyan_app')

const worker = await t.startQueue()
const newJobs = (job: Job<object>, numbers: number[]) => numbers.map((number) => ({ job: job.name, data: { number } }))

/** Delays the next attempts of this many failed jobs by an hour, as after many failures, once their failure is written. */
const delayNextAttempt = ({ name }: Job<object>, count: number) =>
  within(DEADLINE_MS, async () => {
    const delay = `update pgboss.job set start_after = now() + interval '1 hour'
                    where name = $1 and state = 'retry' returning 1`
    return (await t.sql(delay, [name])).length === count
  })

const until = (condition: () => boolean) => within(DEADLINE_MS, async () => condition())

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
    await delayNextAttempt(OUTAGE, JOBS_WAITING)
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
    await delayNextAttempt(SINGLE, 1)
    // The second begins after the worker has decided what the success of the first means for the others.
    for (const number of [1, 2]) {
      await worker.send(newJobs(SINGLE, [number]))
      await until(() => done.includes(number))
    }
    const waiting = `select 1 from pgboss.job where name = $1 and state = 'retry' and start_after > now()`
    assert.equal((await t.sql(waiting, [SINGLE.name])).length, 1)
    assert.equal(tries, 1)
  })
})
