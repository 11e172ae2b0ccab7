import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Job, migrateQueue, openQueue } from '../../src/kernel/jobs/queue.ts'
import { openTestApp } from '../support/app.ts'

/** What a worker was doing when it died is done by another within this. */
const WITHIN_SECONDS = 90
/** How long ago the worker of this test died, so that the test need not wait for all of it. */
const DIED_SECONDS_AGO = 60

const JOB: Job<{ number: number }> = { name: 'test-orphan', retryLimit: 3, retryDelayMaxSeconds: 5 }

const t = await openTestApp()
await migrateQueue(t.ownerUrl, [JOB], 'banyan_app')

const send = (number: number) => t.deps.db.transaction((tx) => t.deps.queue.send(tx, JOB, { number }))

describe('a job whose worker died', () => {
  it(`runs again within ${WITHIN_SECONDS} seconds, once, and one that is being worked on does not`, async () => {
    await Promise.all([send(1), send(2)])
    const start = `update pgboss.job set state = 'active', started_on = now() - $1 * interval '1 second'
                    where data->>'number' = $2`
    await t.sql(start, [DIED_SECONDS_AGO, '1'])
    await t.sql(start, [1, '2'])

    const ran: number[] = []
    const worker = await openQueue({ url: t.appUrl, log: t.log, metrics: t.metrics, role: 'worker' })
    after(() => worker.stop())
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

  it('rolled back with its transaction, it never was', async () => {
    const before = await t.sql('select 1 from pgboss.job')
    const work = t.deps.db.transaction(async (tx) => {
      await t.deps.queue.send(tx, JOB, { number: 3 })
      throw new Error('no')
    })
    await assert.rejects(work, /^Error: no$/)
    assert.equal((await t.sql('select 1 from pgboss.job')).length, before.length)
  })
})
