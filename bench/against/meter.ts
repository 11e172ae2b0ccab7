import assert from 'node:assert/strict'
import pg from 'pg'
import type { Closers } from '../processes.ts'
import { parentOf, processorTimes, secondsUsedBy } from '../process-figures.ts'
import type { Stage } from '../stage.ts'

/** Resources used since the start: CPU seconds, and counts of the database. */
export type Used = {
  server: number
  database: number
  /** This process, which sends the requests. */
  load: number
  /** All processors, for any program. */
  busy: number
  passed: number
  statements: number
  /** Transactions that wrote. */
  writes: number
  /** Pages that the statements looked at, in memory or not. */
  pages: number
  walBytes: number
}

export type Meter = { read(): Promise<Used> }

/** Makes the database count statements. */
export const METER_SETTINGS = { shared_preload_libraries: 'pg_stat_statements' }

/**
 * Statements are the product's, `begin` and `commit` included, each a round trip. Both counts are read from memory and
 * exact at once, unlike `pg_stat_database`, which is up to a second late.
 */
const COUNTS = `
  select coalesce(sum(calls), 0)::float8 as statements,
         coalesce(sum(shared_blks_hit + shared_blks_read), 0)::float8 as pages,
         pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as "walBytes",
         pg_snapshot_xmax(pg_current_snapshot())::text::float8 as writes
    from pg_stat_statements
   where userid = $1::regrole`

type Counts = Pick<Used, 'statements' | 'writes' | 'pages' | 'walBytes'>

export async function openMeter(stage: Stage, closers: Closers): Promise<Meter> {
  const { config } = stage
  assert(config.databaseUrl && config.migrationDatabaseUrl)
  const { username } = new URL(config.databaseUrl)
  // Another database of the same server, to keep the product's own clean.
  const url = new URL(config.migrationDatabaseUrl)
  url.pathname = '/postgres'
  const client = new pg.Client({ connectionString: url.href })
  client.on('error', () => {}) // a lost connection shows at the reading that runs
  await client.connect()
  closers.push(() => client.end())
  await client.query('create extension if not exists pg_stat_statements')
  const postmaster = parentOf(await backendOf(client))
  assert(postmaster !== undefined)

  return {
    async read() {
      const { rows } = await client.query<Counts>(COUNTS, [username])
      assert(rows[0])
      const { idle, all } = processorTimes()
      const { user, system } = process.cpuUsage()
      return {
        server: secondsUsedBy(stage.productPid),
        database: secondsUsedBy(postmaster),
        load: (user + system) / 1_000_000,
        busy: all - idle,
        passed: all,
        ...rows[0],
      }
    },
  }
}

async function backendOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return rows[0]?.pid as number
}
