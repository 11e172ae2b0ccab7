import assert from 'node:assert/strict'
import { connect, createServer, type Socket } from 'node:net'
import { after, describe, it } from 'node:test'
import { type Database, connectDatabase, statement, violatedConstraint } from '../../src/kernel/db/database.ts'
import { ProblemError } from '../../src/kernel/problem-error.ts'
import { cloneDatabase } from '../support/database.ts'

const database = await cloneDatabase()
const db = connectDatabase({ url: database.appUrl, poolSize: 1, batching: true, onLostConnection: () => {} })
after(async () => {
  await db.close()
  await database.close()
})

const INSERT = statement(
  'test_insert',
  'insert into benefit_providers (benefit_provider_id, name, code) values ($1, $1, $2) returning benefit_provider_id as id',
)
const COUNT = statement('test_count', 'select count(*)::int as count from benefit_providers where code like $1')
const FAIL = statement('test_fail', 'select 1 / $1::int as failed')
const END_CONNECTION = statement('test_end_connection', 'select pg_terminate_backend(pg_backend_pid())')

const insert = (id: string, code: string) => ({ statement: INSERT, values: [id, code] })
const count = (codes: string) => ({ statement: COUNT, values: [codes] })
const fail = { statement: FAIL, values: [0] }

const stored = async (codes: string, on: Database = db) => (await on.query<{ count: number }>(COUNT, [codes]))[0]?.count

describe('statements in a pipeline', () => {
  it('are one transaction, and the last one returns its rows', async () => {
    const rows = await db.pipeline<{ count: number }>([insert('a1', 'A1'), insert('a2', 'A2'), count('A%')])
    assert.deepEqual(rows, [{ count: 2 }])
    assert.equal(await stored('A%'), 2)
  })

  it('leave nothing behind when one of them fails, and the first error is thrown', async () => {
    const isUnique = (error: unknown) => violatedConstraint(error) === 'benefit_providers_code'
    await assert.rejects(db.pipeline([insert('b1', 'B1'), insert('b2', 'B1'), fail]), isUnique)
    await assert.rejects(db.pipeline([fail, insert('b3', 'B3'), count('B%')]), /division by zero/)
    await assert.rejects(db.pipeline([insert('b4', 'B4'), count('B%'), fail]), /division by zero/)
    assert.equal(await stored('B%'), 0)
  })

  it('leave their connection as they found it', async () => {
    await assert.rejects(db.pipeline([fail, insert('c1', 'C1')]), /division by zero/)
    assert.deepEqual(await db.query(INSERT, ['c2', 'C2']), [{ id: 'c2' }])
    assert.deepEqual(await db.query(COUNT, ['C%']), [{ count: 1 }])
    assert.deepEqual(await db.pipeline([insert('c3', 'C3'), count('C%')]), [{ count: 2 }])
    assert.deepEqual(await db.query(INSERT, ['c4', 'C4']), [{ id: 'c4' }])
    assert.deepEqual(db.connections(), { total: 1, idle: 1, waiting: 0 })
  })

  it('return 503 when the connection is lost midway, and the next pipeline uses another connection', async () => {
    const lost = db.pipeline([insert('d1', 'D1'), { statement: END_CONNECTION, values: [] }, count('D%')])
    await assert.rejects(lost, (error) => error instanceof ProblemError && error.code === 'unavailable')
    assert.equal(await stored('D%'), 0)
  })

  it('are all sent before the first response is read', async () => {
    const slow = await holdingResponses(database.appUrl)
    const far = connectDatabase({ url: slow.url, poolSize: 1, batching: true, onLostConnection: () => {} })
    try {
      assert.deepEqual(await far.pipeline([insert('e1', 'E1'), count('E%')]), [{ count: 1 }])
      assert.equal(slow.held(), 1)
    } finally {
      await far.close()
      slow.close()
    }
    assert.equal(await stored('E%'), 1)
  })
})

/** The database behind a proxy that withholds every response between a `begin` and the `commit` sent after it. */
async function holdingResponses(url: string) {
  const address = new URL(url)
  const socketPath = `${address.searchParams.get('host')}/.s.PGSQL.${address.port || '5432'}`
  const sockets: Socket[] = []
  let held = 0
  const server = createServer((near) => {
    const far = connect(socketPath)
    let kept: Buffer[] | undefined
    near.on('data', (sent) => {
      far.write(sent)
      if (sent.includes('begin\0')) {
        kept = []
        held++
      }
      if (!sent.includes('commit\0')) return
      near.write(Buffer.concat(kept ?? []))
      kept = undefined
    })
    far.on('data', (response) => void (kept ? kept.push(response) : near.write(response)))
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
    sockets.push(near, far)
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  address.search = ''
  address.hostname = '127.0.0.1'
  address.port = String((server.address() as { port: number }).port)
  return {
    url: address.href,
    held: () => held,
    close: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
