import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase, statement, type Tx } from '../../src/kernel/db/database.ts'
import { cloneDatabase } from '../support/database.ts'

const { appUrl, sql, close } = await cloneDatabase()
const lost: Error[] = []
const db = openDatabase({ url: appUrl, poolSize: 2, sharing: true, onLostConnection: (error) => void lost.push(error) })
after(async () => {
  await db.close()
  await close()
})

const WHO = statement('test_who', 'select pg_backend_pid() as pid')
const INSERT = statement('test_insert', `insert into workers (worker_id) values ('wrk_lost')`)

async function pidOf(tx: Tx): Promise<number> {
  const [row] = await tx.query<{ pid: number }>(WHO)
  return row?.pid ?? 0
}

describe('a connection that is lost in use', () => {
  it('503 and nothing written when it goes between two statements; the process lives and the next call works', async () => {
    const uncaught: Error[] = []
    const note = (error: Error) => void uncaught.push(error)
    process.prependListener('uncaughtException', note)
    const dying = db.transaction(async (tx) => {
      await tx.query(INSERT)
      await sql('select pg_terminate_backend($1)', [await pidOf(tx)])
      await sleep(100) // the news arrives while no statement is under way
      return pidOf(tx)
    })
    await assert.rejects(dying, { code: 'unavailable' })
    process.off('uncaughtException', note)
    assert.deepEqual([uncaught, lost.length > 0], [[], true])
    assert.deepEqual(await sql(`select 1 from workers where worker_id = 'wrk_lost'`), [])
    assert.ok((await db.transaction(pidOf)) > 0)
  })

  it('what is thrown in a transaction and is no fault of the connection keeps the connection', async () => {
    const reason = Symbol('thrown by the work')
    const pids: number[] = []
    const failing = db.transaction(async (tx) => {
      pids.push(await pidOf(tx))
      await tx.query(INSERT)
      throw reason
    })
    await assert.rejects(failing, (error) => error === reason)
    pids.push(await db.transaction(pidOf))
    assert.equal(pids[0], pids[1])
    assert.deepEqual(await sql(`select 1 from workers where worker_id = 'wrk_lost'`), [])
  })
})
