import assert from 'node:assert/strict'
import { after, beforeEach, describe, it } from 'node:test'
import pg from 'pg'
import { statement } from '../../../src/kernel/db/database.ts'
import { PUBLIC_TYPES } from '../../../src/record/index.ts'
import { deleteOldEvents, createOutbox, createReader } from '../../../src/record/relay.ts'
import { cloneDatabase } from '../../support/database.ts'
import { settled } from '../../support/settled.ts'

const database = await cloneDatabase()
const { db, sql } = database
after(() => database.close())
beforeEach(() => sql('delete from events'))

/** Old by our clock and the database's; a reader that comes once in 30 days must still find the young ones. */
const OLD = '30 days 1 minute'
const RECENT = '29 days 23 hours'

/** Inserts this many events of a type, this long ago. */
const emitted = (type: string, age: string, count = 1) =>
  sql(
    `insert into events (event_id, type, subject, data, occurred_at)
     select 'evt_' || gen_random_uuid(), $1, $2::text, '{"challenge_id":"otp_1"}', now() - $2::text::interval
       from generate_series(1, $3::int)`,
    [type, age, count],
  )

/**
 * Makes the planner believe that the table of events is empty, as after a purge: the plan then suits few rows, and may
 * take minutes for many.
 */
async function emptyStatistics(): Promise<void> {
  await emitted('user.created', OLD, 1_000)
  await sql('delete from events')
  await sql('analyze events')
}

const counted = async () =>
  (
    await sql<{ type: string; age: string; count: number }>(
      'select type, subject as age, count(*)::int as count from events group by 1, 2 order by 1, 2',
    )
  ).map(({ type, age, count }) => `${type} ${age} ${count}`)

/** Marks everything until now as relayed, and stores the position. */
async function relayed(relay: 'jobs' | 'webhooks'): Promise<void> {
  await settled(database)
  const reader = relay === 'jobs' ? createOutbox(db) : createReader(db, { relay, types: PUBLIC_TYPES })
  while (await reader.handOver(async () => {}));
}

/** How often the table of events is read as a whole by a purge of some, where single pages seem to cost much. */
async function readWhole(): Promise<number> {
  const client = new pg.Client({ connectionString: database.ownerUrl, options: '-c search_path=banyan' })
  await client.connect()
  try {
    await client.query('begin')
    await client.query('set local random_page_cost = 10000')
    await client.query(`select delete_old_events('{}', '{}', 100)`)
    const { rows } = await client.query<{ times: number }>(
      `select pg_stat_get_xact_numscans('events'::regclass)::int as times`,
    )
    return rows[0]?.times ?? assert.fail()
  } finally {
    await client.end()
  }
}

describe('events', () => {
  it('are deleted by their index: the table is not read for each batch, however large it is', async () => {
    await emitted('user.created', OLD, 1_000)
    await emitted('user.created', RECENT, 4_000)
    await sql('analyze events')
    assert.equal(await readWhole(), 0)
  })

  it('older than 30 days are deleted, thousands at a time, and younger ones stay', async () => {
    await emptyStatistics()
    for (let i = 0; i < 3; i++) await emitted('user.created', OLD, 4_000)
    await emitted('user.created', RECENT, 7)
    await relayed('webhooks')
    await deleteOldEvents(db)
    assert.deepEqual(await counted(), [`user.created ${RECENT} 7`])
    await deleteOldEvents(db)
    assert.deepEqual(await counted(), [`user.created ${RECENT} 7`])
  })

  it('that start a job stay, however old, until the relay has passed them', async () => {
    await emitted('one_time_code.requested', OLD, 2)
    await emitted('user.created', OLD, 3)
    await relayed('webhooks')
    await deleteOldEvents(db)
    assert.deepEqual(await counted(), [`one_time_code.requested ${OLD} 2`])

    await relayed('jobs')
    await emitted('one_time_code.requested', OLD)
    await deleteOldEvents(db)
    assert.deepEqual(await counted(), [`one_time_code.requested ${OLD} 1`], 'the one that came after')
  })

  it('for partners’ webhooks stay, however old, until the webhook relay has passed them', async () => {
    await emitted('user.created', OLD, 2)
    await deleteOldEvents(db)
    await relayed('jobs')
    await deleteOldEvents(db)
    assert.deepEqual(await counted(), [`user.created ${OLD} 2`])

    await relayed('webhooks')
    await emitted('user.created', OLD)
    await deleteOldEvents(db)
    assert.deepEqual(await counted(), [`user.created ${OLD} 1`], 'the one that came after')
  })

  it('can be deleted by two concurrent workers', async () => {
    await emitted('user.created', OLD, 11_000)
    await emitted('user.created', RECENT)
    await relayed('webhooks')
    await Promise.all([deleteOldEvents(db), deleteOldEvents(db), deleteOldEvents(db)])
    await deleteOldEvents(db)
    assert.deepEqual(await counted(), [`user.created ${RECENT} 1`])
  })

  it('cannot be deleted or changed by the program in any other way', async () => {
    await emitted('user.created', OLD)
    for (const text of ['delete from events', `update events set type = 'user.updated'`]) {
      await assert.rejects(db.query(statement(`test_${text}`, text)), /permission denied for table events/)
    }
    assert.deepEqual(await counted(), [`user.created ${OLD} 1`])
  })
})
