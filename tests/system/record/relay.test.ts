import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import pg from 'pg'
import { createLeadership } from '../../../src/kernel/db/leadership.ts'
import { newId } from '../../../src/kernel/id.ts'
import { createOutbox, EVENTS_CHANNEL, startRelay, type StartedJob, wakeRelay } from '../../../src/record/relay.ts'
import { openPrivateApp } from '../../support/private-database.ts'
import { DEADLINE_MS, within } from '../../support/deadline.ts'
import { startDatabaseProxy } from '../../support/database-proxy.ts'
import { settled } from '../../support/settled.ts'

// Transactions of other databases of a server hold back what is relayed, so this one has none.
const { t } = await openPrivateApp()

/** Far longer than any test waits: only a notification can deliver an event in it. */
const NEVER_MS = 600_000
const SOON_MS = 20

const INSERT = `insert into events (event_id, type, subject, data) values ($1, 'one_time_code.requested', $2, $3)`

/** A record for which a job is started, by its event. */
function newEvent() {
  const challenge_id = newId('otp')
  return { challenge_id, values: [newId('evt'), challenge_id, { challenge_id }] }
}

async function emitted(): Promise<string> {
  const { challenge_id, values } = newEvent()
  await t.sql(INSERT, values)
  return challenge_id
}

/** Inserts an event in a transaction that stays open until it is ended. */
async function emittedLater() {
  const { challenge_id, values } = newEvent()
  const client = new pg.Client({ connectionString: t.ownerUrl, options: '-c search_path=banyan' })
  await client.connect()
  await client.query('begin')
  await client.query(INSERT, values)
  after(() => client.end()) // also when the test fails, because no relay passes an open transaction
  const end = (how: 'commit' | 'rollback') => client.query(how)
  return { challenge_id, end }
}

const subjectOf = ({ data }: StartedJob) => String(data['challenge_id'])

/** A consumer of what a relay hands over. */
function createConsumer() {
  const jobs: StartedJob[] = []
  const timesOf = (challengeId: string) => jobs.filter((job) => subjectOf(job) === challengeId).length
  return {
    jobs,
    start: async (some: StartedJob[]) => void jobs.push(...some),
    timesOf,
    gets: (challengeId: string) => within(DEADLINE_MS, async () => timesOf(challengeId) > 0),
  }
}

type Outbox = ReturnType<typeof createOutbox>

async function relayAll(outbox: Outbox, start: (jobs: StartedJob[]) => Promise<void>): Promise<void> {
  while (await outbox.handOver(start));
}

/** An outbox relayed up to now, and a consumer. */
async function prepareEmptyOutbox(settings = {}) {
  const outbox = createOutbox(t.db, settings)
  const { start, timesOf, jobs } = createConsumer()
  await settled(t) // while a transaction is open, events that were relayed are remembered
  await relayAll(outbox, start)
  jobs.length = 0
  return { handOver: () => relayAll(outbox, start), timesOf, jobs }
}

describe('the outbox', () => {
  it('skips no event, however late its transaction commits, while later ones continue; each is relayed once', async () => {
    const { handOver, timesOf, jobs } = await prepareEmptyOutbox()
    const [late, later] = [await emittedLater(), await emittedLater()]
    const meanwhile = [await emitted(), await emitted()]
    for (let round = 0; round < 3; round++) await handOver()
    assert.deepEqual([...meanwhile, late.challenge_id, later.challenge_id].map(timesOf), [1, 1, 0, 0])

    await later.end('commit')
    const between = await emitted()
    await handOver()
    assert.deepEqual([later.challenge_id, between, late.challenge_id].map(timesOf), [1, 1, 0])

    await late.end('commit')
    const last = await emitted()
    for (let round = 0; round < 3; round++) await handOver()
    const all = [...meanwhile, later.challenge_id, between, late.challenge_id, last]
    assert.deepEqual(jobs.map(subjectOf).toSorted(), all.toSorted())
  })

  it('relays nothing of a rolled-back transaction, and is not blocked by it', async () => {
    const { handOver, timesOf } = await prepareEmptyOutbox()
    const undone = await emittedLater()
    await handOver()
    await undone.end('rollback')
    const next = await emitted()
    await handOver()
    assert.deepEqual([undone.challenge_id, next].map(timesOf), [0, 1])
  })

  it('waits behind a transaction that does not end, once it would have to remember too much', async () => {
    const { handOver, timesOf, jobs } = await prepareEmptyOutbox({ rememberedMax: 3 })
    const endless = await emittedLater()
    const early = [await emitted(), await emitted(), await emitted()]
    await handOver()
    const late = [await emitted(), await emitted()]
    for (let round = 0; round < 3; round++) await handOver()
    assert.deepEqual([...early, ...late].map(timesOf), [1, 1, 1, 0, 0])
    await endless.end('commit')
    await settled(t)
    await handOver()
    assert.equal(jobs.length, 6)
    assert.deepEqual([...early, ...late, endless.challenge_id].map(timesOf), [1, 1, 1, 1, 1, 1])
  })

  it('relays thousands in order, in batches', async () => {
    const { handOver, jobs } = await prepareEmptyOutbox()
    await t.sql(
      `insert into events (event_id, type, subject, data)
       select 'evt_' || lpad(i::text, 5, '0'), 'one_time_code.requested', 'otp_' || i,
              jsonb_build_object('challenge_id', 'otp_' || i)
         from generate_series(1, 1700) i`,
    )
    await handOver()
    const inOrder = Array.from({ length: 1700 }, (_, index) => `otp_${index + 1}`)
    assert.deepEqual(jobs.map(subjectOf), inOrder)
  })

  it('starts no job for events that have none', async () => {
    const { handOver, jobs } = await prepareEmptyOutbox()
    const ids = { user_id: '000000000000', account_id: 'acc_1' }
    const insert = 'insert into events (event_id, type, subject, data) values ($1, $2, $3, $4)'
    await t.sql(insert, [newId('evt'), 'user.created', ids.user_id, { user_id: ids.user_id }])
    const active = { ...ids, from: 'PENDING', to: 'ACTIVE' }
    await t.sql(insert, [newId('evt'), 'account.status_changed', ids.account_id, active])
    await handOver()
    assert.deepEqual(jobs, [])
  })
})

describe('a relay that dies', () => {
  it('after relaying is repeated by the next one: the job is queued once', async () => {
    const queue = await t.startQueue()
    const challenge_id = await emitted()
    const send = (jobs: StartedJob[]) =>
      queue.send(jobs.map(({ job, eventId, data }) => ({ job, data, once: eventId })))
    const queued = async () =>
      (await t.sql(`select 1 from pgboss.job where data->>'challenge_id' = $1`, [challenge_id])).length

    const dying = relayAll(createOutbox(t.db), async (jobs) => {
      await send(jobs)
      if (jobs.some((job) => subjectOf(job) === challenge_id)) throw new Error('its process ends here')
    })
    await assert.rejects(dying, /its process ends here/)
    assert.equal(await queued(), 1)

    const next = createConsumer()
    await relayAll(createOutbox(t.db), async (jobs) => {
      await next.start(jobs)
      await send(jobs)
    })
    assert.equal(next.timesOf(challenge_id), 1, 'the next one cannot know that it was handed over')
    assert.equal(await queued(), 1)
  })

  it('before relaying has skipped nothing', async () => {
    const challenge_id = await emitted()
    const dying = relayAll(createOutbox(t.db), () => Promise.reject(new Error('the queue is away')))
    await assert.rejects(dying, /the queue is away/)
    const next = createConsumer()
    await relayAll(createOutbox(t.db), next.start)
    assert.equal(next.timesOf(challenge_id), 1)
  })
})

type RelayOptions = { url?: string; poll_ms?: number; start?: (jobs: StartedJob[]) => Promise<void> }

/** The relay of a process; stopped at the latest when the tests are done. */
function createRelay({ url = t.appUrl, poll_ms = SOON_MS, ...more }: RelayOptions = {}) {
  const { start, ...taken } = createConsumer()
  const leadership = createLeadership({ url, channel: EVENTS_CHANNEL, log: t.log })
  const relay = startRelay({ db: t.db, leadership, log: t.log, start: more.start ?? start, poll_ms })
  let stopping: Promise<void> | undefined
  const stop = () => (stopping ??= relay.stop().then(leadership.close))
  after(stop)
  return { ...taken, stop }
}

/** Waits until the relay's position is stored: the next leader starts there. */
const isStored = () =>
  within(DEADLINE_MS, async () => {
    const beyond = await t.sql(
      'select 1 from events where xid >= (select position from relays where relay_name = $1)',
      ['jobs'],
    )
    return beyond.length === 0
  })

type DatabaseProxy = Awaited<ReturnType<typeof startDatabaseProxy>>

/** Cuts off the leader. Until it notices it continues, so events arrive until the other one leads; returns them. */
async function cutOff(proxy: DatabaseProxy, other: { timesOf: (challengeId: string) => number }): Promise<string[]> {
  proxy.cut()
  const meanwhile: string[] = []
  await within(DEADLINE_MS, async () => {
    meanwhile.push(await emitted())
    return meanwhile.some((challenge_id) => other.timesOf(challenge_id) > 0)
  })
  return meanwhile
}

describe('relays', () => {
  it('are notified: an event does not wait for the next poll', async () => {
    const relay = createRelay({ poll_ms: NEVER_MS })
    const first = await emitted()
    wakeRelay(t.db)
    await relay.gets(first)
    for (let round = 0; round < 5; round++) {
      const challenge_id = await emitted()
      wakeRelay(t.db)
      await relay.gets(challenge_id)
    }
    await relay.stop()
  })

  it('find by polling what nobody notified them of', async () => {
    const relay = createRelay()
    for (let round = 0; round < 3; round++) await relay.gets(await emitted())
    await relay.stop()
  })

  it('try again when the queue rejects', async () => {
    const taken = createConsumer()
    let failures = 3
    const relay = createRelay({
      start: async (jobs) => {
        if (failures-- > 0) throw new Error('the queue is away')
        await taken.start(jobs)
      },
    })
    await taken.gets(await emitted())
    assert(failures < 0)
    await relay.stop()
  })

  it('have one leader; another takes over when its connection is cut', async () => {
    const proxy = await startDatabaseProxy(t.appUrl)
    const leader = createRelay({ url: proxy.url })
    await leader.gets(await emitted())
    const other = createRelay()
    const second = await emitted()
    await leader.gets(second)
    assert.deepEqual(other.jobs, [])

    await isStored()
    const third = await cutOff(proxy, other)
    const all = [...third, await emitted()]
    await other.gets(String(all.at(-1)))
    for (const challenge_id of all) assert(other.timesOf(challenge_id) + leader.timesOf(challenge_id) > 0)
    assert.equal(other.timesOf(second), 0)
    await Promise.all([leader.stop(), other.stop()])
  })

  it('that lead again do not repeat what another has relayed meanwhile', async () => {
    const proxy = await startDatabaseProxy(t.appUrl)
    const leader = createRelay({ url: proxy.url })
    await leader.gets(await emitted())
    const other = createRelay()
    await cutOff(proxy, other)
    const theirs = [await emitted(), await emitted(), await emitted()]
    for (const challenge_id of theirs) await other.gets(challenge_id)
    assert.deepEqual(theirs.map(leader.timesOf), [0, 0, 0])
    await isStored()
    await other.stop()

    proxy.remedy()
    await leader.gets(await emitted())
    assert.deepEqual(theirs.map(leader.timesOf), [0, 0, 0])
    await leader.stop()
  })
})
