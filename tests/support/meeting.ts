import pg from 'pg'
import { PLACEMENTS } from '../../src/data-map/tables.ts'
import type { TestApp } from './app.ts'
import { isOnCluster } from './cluster.ts'
import { within } from './deadline.ts'

const ARRIVAL_MS_MAX = 25_000 // the app itself gives up waiting for a lock a little later

type Row = { table: string; key: string; id: string }

/**
 * Makes calls meet at a row: locks it until all of them wait for it, then releases it, so that a race happens in every
 * run. Calls that change one record wait for each other inside a process, so of those of a node one is `atRow` and the others
 * behind it.
 */
export const meetAt = <T>(
  t: Pick<TestApp, 'ownerUrl' | 'sql'>,
  row: Row,
  calls: (() => Promise<T>)[],
  { atRow = calls.length } = {},
): Promise<T[]> =>
  meetBehind(
    t,
    {
      work: [[lockText(row), [row.id]]],
      outcome: 'commit',
      waiting: atRow,
    },
    calls,
  )

/** On a cluster, a row of which every node has a copy is locked on each of them by an update only. */
const lockText = ({ table, key }: Row) =>
  isOnCluster() && PLACEMENTS.get(table)?.kind === 'everywhere'
    ? `update ${table} set revision = revision where ${key} = $1`
    : `select from ${table} where ${key} = $1 for no key update`

/** A transaction that is held open until the calls wait for it. */
type Held = {
  work: [text: string, values: unknown[]][]
  outcome: 'commit' | 'rollback'
  /** The number of calls that wait for it. */
  waiting: number
}

/** The same behind a transaction that does something, and then commits or rolls back. */
export async function meetBehind<T>(
  { ownerUrl, sql }: Pick<TestApp, 'ownerUrl' | 'sql'>,
  { work, outcome, waiting }: Held,
  calls: (() => Promise<T>)[],
): Promise<T[]> {
  const holder = new pg.Client({ connectionString: ownerUrl, options: '-c search_path=banyan' })
  await holder.connect()
  try {
    await holder.query('begin')
    for (const [text, values] of work) await holder.query(text, values)
    const running = Promise.all(calls.map((call) => call()))
    // On another connection: within a transaction pg_stat_activity keeps returning its first snapshot.
    await within(ARRIVAL_MS_MAX, async () => (await sql(WAITING)).length === waiting)
    await holder.query(outcome)
    return await running
  } finally {
    await holder.end()
  }
}

/** The connections to this database that wait for a lock; on a cluster those of all nodes. */
export const WAITING = `select pid from ${isOnCluster() ? 'citus_stat_activity' : 'pg_stat_activity'}
  where datname = current_database() and wait_event_type = 'Lock'`
