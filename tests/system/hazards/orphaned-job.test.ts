import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Job, migrateQueue } from '../../../src/kernel/jobs/queue.ts'
import { openTestApp } from '../../support/app.ts'

/** A dead worker's job is done by another within this time. */
const WITHIN_SECONDS = 90
/** How long ago this test's worker died, so that the test need not wait for all of it. */
const DIED_SECONDS_AGO = 60

const JOB: Job<{ number: number }> = { name: 'test-orphan', retryLimit: 3, retryDelayMaxSeconds: 5 }

const t = await openTestApp({ own: true, timeoutFactor: 1 })
await migrateQueue(t.ownerUrl, [JOB], 'banyan_app')

const worker = await t.startQueue()

describe('a job whose worker died', () => {
  it(`runs again within ${WITHIN_SECONDS} seconds, once; a job still being worked on does not`, async () => {
    await worker.send([1, 2].map((number) => ({ job: JOB.name, data: { number } })))
    const start = `update pgboss.job set state = 'active', started_on = now() - $1 * interval '1 second'
                    where data->>'number' = $2`
    await t.sql(start, [DIED_SECONDS_AGO, '1'])
    await t.sql(start, [1, '2'])

    const ran: number[] = []
    await worker.work([{ job: JOB, run: async ({ number }: { number: number }) => void ran.push(number) }])
    const deadline = performance.now() + (WITHIN_SECONDS - DIED_SECONDS_AGO) * 1_000
    while (ran.length === 0) {
      assert(performance.now() < deadline, 'nobody ran it again')
      await sleep(100)
    }
    assert.deepEqual(ran, [1])
    const states = await t.sql(`select data->>'number' as number, retry_count from pgboss.job order by 1`)
    assert.deepEqual(states, [
      { number: '1', retry_count: 1 },
      { number: '2', retry_count: 0 },
    ])
  })

  it('is a single job even when queued twice for the same cause', async () => {
    const job = { job: JOB.name, data: { number: 3 }, once: 'evt_cause' }
    await worker.send([job])
    await worker.send([job, { ...job, once: 'evt_other' }])
    const found = await t.sql(`select 1 from pgboss.job where data->>'number' = '3'`)
    assert.equal(found.length, 2)
  })
})
