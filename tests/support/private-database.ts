import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { STORED_TABLES } from '../../src/data-map/tables.ts'
import { type Embedded, startEmbedded } from '../../src/kernel/embedded-postgres/embedded.ts'
import { migrate } from '../../src/kernel/db/migrate.ts'
import { migrateQueue } from '../../src/kernel/jobs/queue.ts'
import { JOBS } from '../../src/record/jobs.ts'
import { type TestResponse, openTestApp } from './app.ts'
import { DEADLINE_MS, within } from './deadline.ts'

/** A PostgreSQL that belongs to one test file, which may stop and freeze it, and the app on it. */
export async function openPrivateApp() {
  const folder = await mkdtemp(join(tmpdir(), 'banyan-hazard-'))
  await chmod(folder, 0o755)
  const serverSettings = { fsync: 'off' }
  let embedded: Embedded = await startEmbedded({ dataDir: folder, serverSettings })
  await migrate({ ...embedded, tables: STORED_TABLES, onApplied: () => {} })
  await migrateQueue(embedded.ownerUrl, JOBS, embedded.appRole)
  const t = await openTestApp({ own: true, server: embedded, timeoutFactor: 1 })
  after(async () => {
    await embedded.stop()
    await rm(folder, { recursive: true, force: true })
  })

  /** Every backend that serves the app, and the postmaster. */
  async function processes(): Promise<number[]> {
    const rows = await t.sql<{ pid: number; data: string }>(
      `select pid, current_setting('data_directory') as data from pg_stat_activity where application_name like 'banyan/%'`,
    )
    const pidFile = join(String(rows[0]?.data), 'postmaster.pid')
    const postmaster = Number(readFileSync(pidFile, 'utf8').split('\n', 1)[0])
    assert(postmaster > 1)
    return [postmaster, ...rows.map((row) => row.pid)]
  }

  return {
    t,
    /** As a standby, whose transactions are read-only until it is promoted. No connection is closed. */
    setReadOnly: async (isReadOnly: boolean) => {
      await inNewSession(embedded.ownerUrl, `alter system set default_transaction_read_only = ${isReadOnly}`)
      await inNewSession(embedded.ownerUrl, 'select pg_reload_conf()')
      // A new session has it only after every other one was signalled.
      await within(DEADLINE_MS, async () => {
        const [row] = await inNewSession(embedded.ownerUrl, `select current_setting('transaction_read_only') as now`)
        return row?.['now'] === (isReadOnly ? 'on' : 'off')
      })
    },
    stopDatabase: () => embedded.stop(),
    startDatabase: async () => {
      embedded = await startEmbedded({ dataDir: folder, serverSettings })
    },
    /** Freezes the database as a stalled disk or hypervisor would: nothing is closed, nothing responds. */
    freeze: async () => {
      const pids = await processes()
      const thaw = () => signal(pids, 'SIGCONT')
      process.once('exit', thaw) // whatever happens to the test, nothing stays frozen
      signal(pids, 'SIGSTOP')
      return thaw
    },
  }
}

async function inNewSession(connectionString: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text)).rows
  } finally {
    await client.end()
  }
}

function signal(pids: number[], name: 'SIGSTOP' | 'SIGCONT'): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name)
    } catch {
      // ended in the meantime
    }
  }
}

/** Repeats the request until the response is this one; fails after a minute. */
export async function eventually(status: number, ask: () => Promise<TestResponse>): Promise<TestResponse> {
  const deadline = performance.now() + DEADLINE_MS
  for (;;) {
    const response = await ask()
    if (response.status === status) return response
    assert(performance.now() < deadline, `still ${response.status}`)
    await sleep(50)
  }
}

/** Asserts a 503 with `Retry-After` that reveals nothing behind the service. */
export function assertUnavailable(response: TestResponse): void {
  assert.equal(response.status, 503, response.text)
  assert.match(response.headers['retry-after'] ?? '', /^[1-9]\d*$/)
  const { instance, request_id, ...rest } = response.body
  assert.equal(instance, `urn:banyan:request:${request_id}`)
  assert.deepEqual(rest, {
    type: 'http://banyan.test/docs/errors#unavailable',
    title: 'Unavailable',
    status: 503,
    detail: 'The service is temporarily unavailable. Try again.',
    code: 'unavailable',
  })
}
