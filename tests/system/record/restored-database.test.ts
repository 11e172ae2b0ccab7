import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { STORED_TABLES } from '../../../src/data-map/tables.ts'
import { createAuditHeads } from '../../../src/access/audit-heads.ts'
import { listAfter } from '../../../src/domains/integration/events/store.ts'
import { connectDatabase } from '../../../src/kernel/db/database.ts'
import { startEmbedded } from '../../../src/kernel/embedded-postgres/embedded.ts'
import { migrate } from '../../../src/kernel/db/migrate.ts'
import { newId } from '../../../src/kernel/id.ts'
import { migrateQueue } from '../../../src/kernel/jobs/queue.ts'
import { findReadiness } from '../../../src/record/readiness.ts'
import { PUBLIC_TYPES } from '../../../src/record/index.ts'
import { findLag, createOutbox, createReader } from '../../../src/record/relay.ts'
import { findNewest, sealAudit, verifyAudit } from '../../../src/record/seal-audit.ts'
import { JOBS } from '../../../src/record/jobs.ts'
import { openTestApp, type TestApp } from '../../support/app.ts'
import { copyRows } from '../../support/database.ts'
import { within } from '../../support/deadline.ts'
import { newWorkspace, runCommand } from '../../support/server.ts'
import { settled } from '../../support/settled.ts'

const WITHIN_MS = 120_000
/** Far more transactions than a new server has had, with the loading of the dump. */
const TRANSACTIONS = 30_000
const REFUSAL =
  'The database was restored from another server. Run `migrate` first, so that its events and audit entries continue.\n'
const EVERYTHING = { scope: { platformId: null, providerId: null }, subject: undefined }
const RESTORED = 'restored from another server, whose events and audit it now continues'

type Sql = Pick<TestApp, 'sql'>

const old = await openTestApp({ own: true })
const auditHeads = createAuditHeads({ keys: old.keys.signingKeys })
const workspace = await newWorkspace()
const server = await startEmbedded({ dataDir: workspace.dataDir })
const db = connectDatabase({ url: server.appUrl, poolSize: 4, batching: false, onLostConnection: () => {} })
const owner = new pg.Pool({ connectionString: server.ownerUrl, max: 2, options: '-c search_path=banyan' })
owner.on('connect', (client) => client.on('error', () => {})) // its end may come before that of its server
const restored: Sql = {
  sql: async <Row extends object>(text: string, values: unknown[] = []) =>
    (await owner.query(text, values)).rows as Row[],
}
after(async () => {
  await Promise.all([db.close(), owner.end()])
  await server.stop()
  await workspace.remove()
})

const command = (...args: string[]) =>
  runCommand(args, {
    ...workspace.environment,
    LOG_LEVEL: 'silent',
    DATABASE_URL: server.appUrl,
    MIGRATION_DATABASE_URL: server.ownerUrl,
  })

/** Emits one event that starts a job and one that partners get. */
async function emit({ sql }: Sql, id: string): Promise<void> {
  const challenge_id = newId('otp')
  await sql(
    `insert into events (event_id, type, subject, data)
     values ($1, 'one_time_code.requested', $2, $3), ($4, 'user.created', 'usr_1', '{"user_id":"usr_1"}')`,
    [`${id}_job`, challenge_id, { challenge_id }, `${id}_webhook`],
  )
}

/** The ids of the events that a relay hands over from here on. */
function createRelays(database: typeof db) {
  const jobs: string[] = []
  const webhooks: string[] = []
  const outbox = createOutbox(database)
  const reader = createReader(database, { relay: 'webhooks', types: PUBLIC_TYPES })
  const turn = async () => {
    await outbox.handOver(async (some) => void jobs.push(...some.map(({ eventId }) => eventId)))
    await reader.handOver(async (some) => void webhooks.push(...some.map(({ id }) => id)))
  }
  const passed = async () => (await findLag(database)).every(({ waiting }) => waiting === 0)
  return { jobs, webhooks, passAll: () => within(WITHIN_MS, () => turn().then(passed)) }
}

const listed = async () => {
  const input = { selection: EVERYTHING, types: PUBLIC_TYPES, order: 'asc' as const, after: undefined, limit: 1_000 }
  return (await listAfter(db, input)).map(({ id }) => id).filter((id) => id.endsWith('_webhook'))
}

const webhooksOf = (ids: string[]) => ids.map((id) => `${id}_webhook`)
const jobsOf = (ids: string[]) => ids.map((id) => `${id}_job`)

/** In the order of their transactions, which is not that of their ids. */
const WAITING = ['evt_c', 'evt_b', 'evt_d']

/** A server that had counted further, some of whose events and entries wait; and a new one that has loaded its dump. */
before(async () => {
  await old.sql(`do $$ begin for i in 1..${TRANSACTIONS} loop perform pg_current_xact_id(); commit; end loop; end $$`)
  const platform = await old.platform()
  await old.user(platform)
  await emit(old, 'evt_a')
  await settled(old)
  await sealAudit({ db: old.db, auditHeads })
  await createRelays(old.db).passAll()
  await old.user(platform)
  for (const id of WAITING) await emit(old, id)
  await settled(old)

  await migrate({ ...server, tables: STORED_TABLES, onApplied: () => {} })
  await migrateQueue(server.ownerUrl, JOBS, server.appRole)
  await copyRows(old.ownerUrl, server.ownerUrl)
})

describe('a database restored into a server that counts its transactions from a lower number', () => {
  it('is refused by every process and command, in words that name the remedy', async () => {
    for (const args of [['work'], ['serve'], ['audit', 'verify']]) {
      assert.deepEqual(await command(...args), { code: 1, stdout: '', stderr: REFUSAL }, args.join(' '))
    }
    const { database, migrations } = await findReadiness(db)
    assert.deepEqual(
      { database, migrations },
      { database: 'ok', migrations: 'failed' },
      'and a running one is not ready',
    )
  })

  it('is continued by `migrate`, which says so once', async () => {
    const { code, stdout } = await command('migrate')
    assert.deepEqual([code, stdout], [0, `The database is up to date: plain PostgreSQL, ${RESTORED}.\n`])
    assert.equal((await command('migrate')).stdout, 'The database is up to date: plain PostgreSQL.\n')
    assert.equal((await findReadiness(db)).migrations, 'ok')
  })

  it('is served by nobody then, until somebody says what was shut since the dump', async () => {
    for (const args of [['work'], ['serve']]) {
      const { code, stderr } = await command(...args)
      assert.equal(code, 1)
      assert.match(stderr, /^The database was restored, so what was shut since the backup is open in it: run `erasures/)
    }
    assert.match((await command('doctor')).stdout, /The database was restored, so nothing serves it\./)
    const { code, stdout } = await command('erasures', 'apply', '--nothing-since')
    assert.deepEqual([code, stdout], [0, 'The restored database may be used again.\n'])
    assert.equal((await command('migrate')).code, 0)
    assert.doesNotMatch((await command('doctor')).stdout, /was restored/)
    assert.equal((await command('migrate', '--restored')).code, 0)
    assert.match((await command('serve')).stderr, /^The database was restored/)
    assert.equal((await command('erasures', 'apply', '--nothing-since')).code, 0)
  })

  it('hands over what waited and what is new, once each and in order, and lists all of it', async () => {
    const relays = createRelays(db)
    await emit(restored, 'evt_00')
    assert((await findLag(db)).every(({ waiting }) => waiting > WAITING.length))
    await relays.passAll()
    await emit(restored, 'evt_0')
    await relays.passAll()
    const all = [...WAITING, 'evt_00', 'evt_0']
    assert.deepEqual(
      relays.jobs.filter((id) => id.endsWith('_job')),
      jobsOf(all),
    )
    assert.deepEqual(
      relays.webhooks.filter((id) => id.endsWith('_webhook')),
      webhooksOf(all),
    )
    assert.deepEqual(await listed(), webhooksOf(['evt_a', ...all]))

    const later = createRelays(db)
    await later.passAll()
    assert.deepEqual([later.jobs, later.webhooks], [[], []], 'and nothing again')
  })

  it('keeps the audit valid, and seals what was not sealed before and what is new', async () => {
    const head = await findNewest(old.db)
    assert(head)
    assert.deepEqual((await verifyAudit({ db, auditHeads }, { head })).wrong, [])
    await settled(restored)
    await sealAudit({ db, auditHeads })
    const report = await verifyAudit({ db, auditHeads }, { head })
    const [stored] = await restored.sql<{ count: number }>('select count(*)::int as count from audit_entries')
    assert.deepEqual([report.wrong, report.batches, report.entries], [[], 2, stored?.count])
  })

  it('can be restored again', async () => {
    await restored.sql(`update relays set position = '5000000000'`)
    assert.equal((await findReadiness(db)).migrations, 'failed')
    assert.equal(
      await migrate({ ...server, tables: STORED_TABLES, onApplied: () => {} }),
      `plain PostgreSQL, ${RESTORED}`,
    )
    await emit(restored, 'evt_e')
    const relays = createRelays(db)
    await relays.passAll()
    assert.deepEqual([relays.jobs, relays.webhooks], [jobsOf(['evt_e']), webhooksOf(['evt_e'])])
  })
})
