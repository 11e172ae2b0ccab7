import { readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { STORED_TABLES } from '../../src/data-map/tables.ts'
import { type Embedded, startEmbedded } from '../../src/kernel/embedded-postgres/embedded.ts'
import { migrate } from '../../src/kernel/db/migrate.ts'
import { migrateQueue } from '../../src/kernel/jobs/queue.ts'
import { JOBS } from '../../src/record/jobs.ts'

/** A crash loses only a test run, so the test server need not wait for the disk. */
const NO_DURABILITY = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }
const SETTINGS = { ...NO_DURABILITY, max_connections: '300' }

let folder: string
let embedded: Embedded

/** One real PostgreSQL for the whole run; databases for tests are cloned from its migrated one. */
export async function globalSetup(settings: Record<string, string> = {}): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), 'banyan-test-'))
  await chmod(folder, 0o755)
  embedded = await startEmbedded({ dataDir: folder, serverSettings: { ...SETTINGS, ...settings } })
  try {
    await migrate({ ...embedded, tables: STORED_TABLES, onApplied: () => {} })
    await migrateQueue(embedded.ownerUrl, JOBS, embedded.appRole)
  } catch (error) {
    await globalTeardown() // or the run would go on for ever, and say nothing of a migration that fails
    throw error
  }
  process.env['BANYAN_TEST_OWNER_URL'] = embedded.ownerUrl
  process.env['BANYAN_TEST_APP_URL'] = embedded.appUrl
}

/** Returns the process id of the server; undefined when it is not running. */
export function databasePid(): number | undefined {
  try {
    return Number.parseInt(readFileSync(join(folder, 'postgres', 'cluster', 'postmaster.pid'), 'utf8'), 10)
  } catch {
    return undefined
  }
}

export async function globalTeardown(): Promise<void> {
  await embedded.stop()
  await rm(folder, { recursive: true, force: true })
}
