import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import pg from 'pg'
import { verifyLedger } from '../../../src/domains/money/ledger/index.ts'
import { createAuditHeads } from '../../../src/access/audit-heads.ts'
import { isCluster } from '../../../src/kernel/cluster/cluster.ts'
import { connectDatabase } from '../../../src/kernel/db/database.ts'
import { isMigrated } from '../../../src/kernel/db/migrate.ts'
import { copyTables } from '../../../src/kernel/cluster/copy-tables.ts'
import { PLACEMENTS, STORED_TABLES } from '../../../src/data-map/tables.ts'
import { stopWrites } from '../../../src/kernel/cluster/stop-writes.ts'
import { sealAudit, verifyAudit } from '../../../src/record/seal-audit.ts'
import { openTestApp } from '../../support/app.ts'
import { openBookings } from '../../support/bookings.ts'
import { cloneDatabase, type TestDatabase } from '../../support/database.ts'
import { newWorkspace, runCommand } from '../../support/server.ts'
import { settled } from '../../support/settled.ts'

const t = await openTestApp({ own: true })
const auditHeads = createAuditHeads({ keys: t.keys.signingKeys })
const workspace = await newWorkspace()
after(workspace.remove)

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, options: '-c search_path=banyan -c timezone=UTC' })
  client.on('error', () => {})
  await client.connect()
  return client
}

/** A family with a policy, a wallet with bookings, a message, a job that waits, and what was written alongside them. */
async function fill(): Promise<void> {
  const [platform, provider] = [await t.platform(), await t.provider()]
  const user = await t.onboardedUser(platform)
  const dependant_ids = await t.dependants(user, ['Ravi', 'Mina'])
  await t.policy(platform, user, await t.benefit(platform, provider), { dependant_ids })
  await t.consultation(platform, user, provider)
  const { holder, credit } = openBookings(t)
  const own = await holder()
  await credit(own, { amount: 500, reference: 'one' })
  await t.call('DELETE', `/v1/platforms/${platform.id}/credentials/${platform.credentialId}`, { token: t.owner })
  await (await t.startQueue()).send([{ job: 'open-account', data: { user_id: user.id }, once: 'one' }])
  await settled(t)
  await sealAudit({ db: t.db, auditHeads })
}

/** Every row of what is copied, by table. */
async function contentsOf({ sql }: Pick<TestDatabase, 'sql'>): Promise<Map<string, string[]>> {
  const own = ['migrations', 'program_versions', 'processes', 'workers', 'leases']
  const tables = [...PLACEMENTS.keys()].filter((table) => !own.includes(table))
  const all = new Map<string, string[]>()
  for (const table of [...tables, 'pgboss.job']) {
    const rows = await sql<{ row: string }>(`select x::text as row from ${table} x order by 1`)
    all.set(
      table,
      rows.map(({ row }) => row),
    )
  }
  return all
}

const KEYS = `select conrelid::regclass::text || ' ' || conname || ' ' || pg_get_constraintdef(oid) as key
  from pg_constraint where contype = 'f' and connamespace = 'banyan'::regnamespace order by 1`
const keysOf = async ({ sql }: Pick<TestDatabase, 'sql'>) => (await sql<{ key: string }>(KEYS)).map(({ key }) => key)

/** Copies what is there to another database; `stopAt` ends the connection when that is reported. */
async function copyTo(target: TestDatabase, stopAt?: RegExp): Promise<string[]> {
  const [from, to] = [await connect(t.ownerUrl), await connect(target.ownerUrl)]
  const said: string[] = []
  let last = 0
  try {
    await from.query('begin isolation level repeatable read')
    await copyTables({
      source: from,
      target: to,
      tables: STORED_TABLES,
      report: (sentence) => {
        said.push(sentence)
        if (stopAt?.test(sentence)) throw new Error('killed')
      },
      onProgress: (done) => {
        assert(done >= last, `${done} rows after ${last}`)
        last = done
      },
    })
    return said
  } finally {
    await Promise.all([from.end(), to.end()])
  }
}

await fill()

describe('copying a database', () => {
  it('copies every row, and brings back every foreign key', async () => {
    const target = await cloneDatabase()
    after(target.close)
    const keys = await keysOf(target)
    await copyTo(target)
    const [here, there] = [await contentsOf(t), await contentsOf(target)]
    for (const table of ['users', 'events', 'audit_batches', 'ledger_entries', 'revocations', 'pgboss.job'])
      assert(here.get(table)?.length !== 0, `${table} has rows`)
    assert.deepEqual(there, here)
    assert(keys.length > 20, 'foreign keys are found at all')
    assert.deepEqual(await keysOf(target), keys)
    assert.deepEqual((await verifyLedger(target.db, () => {})).wrong, [])
  })

  it('keeps the seal of the audit and the order of events: what is written next comes after what was copied', async () => {
    const target = await cloneDatabase()
    after(target.close)
    await copyTo(target)
    const { wrong, batches } = await verifyAudit({ db: target.db, auditHeads })
    assert.deepEqual([wrong, batches], [[], 1])
    const [row] = await target.sql<{ later: boolean }>(
      'select pg_current_xact_id() > (select max(xid) from events) as later',
    )
    assert.equal(row?.later, true)
    const [next] = await target.sql<{ seq: number }>(
      `insert into revocations (subject, revoked) values ('x', true) returning seq::int as seq`,
    )
    const [last] = await t.sql<{ seq: number }>('select max(seq)::int as seq from revocations')
    assert.equal(next?.seq, (last?.seq ?? 0) + 1)
  })

  it('goes on where it was stopped, and nothing starts on it in between', async () => {
    const target = await cloneDatabase()
    after(target.close)
    const keys = await keysOf(target)
    await assert.rejects(copyTo(target, /^banyan\.dependants: .* copied/), /killed/)
    await assert.rejects(isMigrated(target.db), /has not copied everything/)
    await assert.rejects(copyTo(target, /foreign key/), /killed/)
    const said = await copyTo(target)
    assert(said.includes('Continuing where the last call stopped.'))
    assert(!said.some((sentence) => /users: .* copied/.test(sentence)), 'what is there is not copied again')
    assert.deepEqual(await contentsOf(target), await contentsOf(t))
    assert.deepEqual(await keysOf(target), keys)
    assert.equal(await isMigrated(target.db), true)
  })

  it('is refused where rows are already, and changes none of them', async () => {
    const target = await cloneDatabase()
    after(target.close)
    await copyTo(target)
    const before = await contentsOf(target)
    await assert.rejects(copyTo(target), /^StartError: The table banyan\.\w+ of the cluster already has rows/)
    assert.deepEqual(await contentsOf(target), before)
  })

  it('says which table differs when something was written in between, and does not release the database', async () => {
    const target = await cloneDatabase()
    after(target.close)
    await assert.rejects(copyTo(target, /^banyan\.users: .* copied/), /killed/)
    await target.sql(`update users set sealed = 'other'`)
    await assert.rejects(copyTo(target), /The rows of banyan\.users differ/)
    await assert.rejects(isMigrated(target.db), /has not copied everything/)
  })
})

describe('distribute', () => {
  const command = (options: string[], environment: Record<string, string> = {}) =>
    runCommand(['distribute', ...options], { ...workspace.environment, ...environment })

  it('exit 0 of --help says what happens to the old database, and which exit codes there are', async () => {
    const { code, stdout } = await command(['--help'])
    assert.equal(code, 0)
    assert.match(stdout, /is only read/)
    assert.match(stdout, /Exit codes: 0 .* 1 .* 2/s)
  })

  it('exit 2 without the address of the cluster', async () => {
    const { code, stdout, stderr } = await command([])
    assert.deepEqual([code, stdout], [2, ''])
    assert.match(stderr, /--to/)
  })

  it('exit 1 while a worker lives, while the program is connected, and to what is no cluster', async () => {
    const [source, target] = [await cloneDatabase(), await cloneDatabase()]
    after(async () => void (await Promise.all([source.close(), target.close()])))
    const environment = { DATABASE_URL: source.appUrl, MIGRATION_DATABASE_URL: source.ownerUrl }
    const refused = async (words: RegExp) => {
      const { code, stdout, stderr } = await command(['--to', target.ownerUrl], environment)
      assert.deepEqual([code, stdout], [1, ''])
      assert.match(stderr, words)
    }
    await source.sql(`insert into workers (worker_id) values ('wrk_1')`)
    await refused(/^Workers were seen within the last 30 seconds: 1\. Stop `work`/)
    await source.sql('delete from workers')
    const program = connectDatabase({ url: source.appUrl, poolSize: 1, batching: false, onLostConnection: () => {} })
    await isCluster(program)
    await refused(/^The program still has 1 connections to the database\. Stop `serve`/)
    await program.close()
    await refused(/^--to is not a Citus cluster/)
    assert.deepEqual(await target.sql(`select from migrations where name = 'copying'`), [])
  })

  it('exit 1 when either database lacks migrations, or is not there', async () => {
    const source = await cloneDatabase()
    after(source.close)
    await source.sql(`delete from migrations where name like '0025%'`)
    const environment = { DATABASE_URL: source.appUrl, MIGRATION_DATABASE_URL: source.ownerUrl }
    const old = await command(['--to', source.ownerUrl], environment)
    assert.deepEqual([old.code, old.stdout], [1, ''])
    assert.match(
      old.stderr,
      /^The database at DATABASE_URL is not at the version of this program\. Run `migrate` there/,
    )
    const nowhere = await command(['--to', 'postgres://x@127.0.0.1:9/x'], {
      DATABASE_URL: 'postgres://x@127.0.0.1:9/x',
    })
    assert.equal(nowhere.code, 1)
    assert.match(nowhere.stderr, /^DATABASE_URL cannot be used: connect ECONNREFUSED/)
  })
})

describe('stopping writes', () => {
  it('lets everybody read and nobody write until it is over', async () => {
    const source = await cloneDatabase()
    after(source.close)
    const client = await connect(source.ownerUrl)
    await stopWrites(client, { appRole: null, placements: PLACEMENTS })
    assert.deepEqual(await source.sql('select from users'), [])
    await assert.rejects(
      source.sql(`set lock_timeout = '10ms'; insert into workers (worker_id) values ('wrk_1')`),
      /lock timeout/,
    )
    await client.query('rollback')
    await client.end()
  })

  it('is refused while somebody writes', async () => {
    const source = await cloneDatabase()
    after(source.close)
    const [writer, client] = [await connect(source.ownerUrl), await connect(source.ownerUrl)]
    await client.query(`set lock_timeout = '10ms'`)
    await writer.query('begin')
    await writer.query(`insert into leases (lease_name, holder, held_until) values ('x', 'y', now())`)
    await assert.rejects(
      stopWrites(client, { appRole: null, placements: PLACEMENTS }),
      /^StartError: Something still writes/,
    )
    await Promise.all([writer.end(), client.end()])
  })
})
