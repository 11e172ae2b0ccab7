import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { connectDatabase, statement } from '../../../src/kernel/db/database.ts'
import { cloneDatabase } from '../../support/database.ts'
import { DEADLINE_MS, within } from '../../support/deadline.ts'

const { appUrl, sql, close } = await cloneDatabase()
const lost: Error[] = []
const db = connectDatabase({
  url: appUrl,
  poolSize: 1,
  batching: true,
  onLostConnection: (error) => void lost.push(error),
})
after(async () => {
  await db.close()
  await close()
})

const WHO = statement('test_who', 'select pg_backend_pid() as pid')
const INSERT = statement('test_insert_lost', `insert into workers (worker_id) values ('wrk_lost')`)
const SLEEP = statement('test_sleep_long', 'select pg_sleep(3)')
const FAIL = statement('test_divide', 'select 1 / 0')

const pidOf = async () => (await db.query<{ pid: number }>(WHO))[0]?.pid ?? 0
const workers = () => sql(`select 1 from workers where worker_id = 'wrk_lost'`)

describe('a connection lost in use', () => {
  it('503 with nothing written when it breaks mid-transaction; the process survives and the next call works', async () => {
    const uncaught: Error[] = []
    const note = (error: Error) => void uncaught.push(error)
    process.prependListener('uncaughtException', note)
    const pid = await pidOf()
    const dying = db.pipeline([
      { statement: INSERT, values: [] },
      { statement: SLEEP, values: [] },
    ])
    const refused = assert.rejects(dying, { code: 'unavailable' })
    await within(DEADLINE_MS, async () => {
      const [row] = await sql(`select 1 from pg_stat_activity where pid = $1 and wait_event = 'PgSleep'`, [pid])
      return row !== undefined
    })
    await sql('select pg_terminate_backend($1)', [pid])
    await refused
    process.off('uncaughtException', note)
    assert.deepEqual([uncaught, lost.length > 0], [[], true])
    assert.deepEqual(await workers(), [])
    assert.ok((await pidOf()) > 0)
  })

  it('a failed statement leaves nothing of its transaction behind, and keeps the connection', async () => {
    const before = await pidOf()
    const failing = db.pipeline([
      { statement: INSERT, values: [] },
      { statement: FAIL, values: [] },
    ])
    await assert.rejects(failing, { code: '22012' })
    await assert.rejects(db.query(FAIL), { code: '22012' })
    assert.equal(await pidOf(), before)
    assert.deepEqual(await workers(), [])
  })
})
