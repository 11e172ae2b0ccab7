import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { statement } from '../../src/kernel/db/database.ts'
import { STORED_EVENT, toEnvelope } from '../../src/record/envelope.ts'
import { cloneDatabase } from '../support/database.ts'

const database = await cloneDatabase()
after(() => database.close())

const READ = statement('test_events', `select ${STORED_EVENT.list} from events e order by e.occurred_at`)

describe('a published event', () => {
  it('has the time of its row to the millisecond', async () => {
    await database.sql(
      `insert into events (event_id, type, platform_id, subject, data, occurred_at)
       select 'evt_' || ms, 'user.created', 'plt_1', 'u', '{"user_id":"u"}',
              timestamptz '2026-04-01T09:30:00Z' + ms * interval '1 millisecond'
         from generate_series(0, 999) ms`,
    )
    const events = (await database.db.query<object>(READ)).map((row) => toEnvelope(STORED_EVENT.decode(row)))
    const expected = Array.from({ length: 1_000 }, (_, ms) => ({
      id: `evt_${ms}`,
      type: 'user.created',
      timestamp: `2026-04-01T09:30:00.${String(ms).padStart(3, '0')}Z`,
      subject: 'u',
      platform_id: 'plt_1',
      data: { user_id: 'u' },
    }))
    assert.deepEqual(events, expected)
  })
})
