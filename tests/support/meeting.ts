import pg from 'pg'
import type { TestApp } from './app.ts'
import { within } from './deadline.ts'

const ARRIVAL_MS_MAX = 2_500 // the app itself gives up waiting for a lock after 3 s

type Row = { table: string; key: string; id: string }

/**
 * Lets calls meet at a row: holds it until the first of them waits for it, then lets go. The others have begun by then and
 * wait there too, or for their turn in the process: a race that luck would decide is run every time.
 */
export async function meetAt<T>(
  { ownerUrl, sql }: Pick<TestApp, 'ownerUrl' | 'sql'>,
  row: Row,
  calls: (() => Promise<T>)[],
): Promise<T[]> {
  const holder = new pg.Client({ connectionString: ownerUrl, options: '-c search_path=banyan' })
  await holder.connect()
  try {
    await holder.query('begin')
    await holder.query(`select from ${row.table} where ${row.key} = $1 for no key update`, [row.id])
    const running = Promise.all(calls.map((call) => call()))
    // Asked on another connection: within a transaction pg_stat_activity keeps saying what it said first.
    await within(ARRIVAL_MS_MAX, async () => (await sql(WAITING)).length > 0)
    await holder.query('commit')
    return await running
  } finally {
    await holder.end()
  }
}

const WAITING = `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
