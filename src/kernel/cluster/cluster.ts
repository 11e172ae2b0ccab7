import type pg from 'pg'
import { StartError } from '../start-error.ts'
import { type Queryable, statement } from '../db/database.ts'
import { SCHEMA } from '../db/session.ts'
import { inTransaction } from '../db/in-transaction.ts'
import { type ForeignKey, type Placements, placementSteps } from './placement.ts'

/** A Citus cluster, as seen from the connected node. */
export type Cluster = {
  isCoordinator: boolean
  /** Whether the coordinator is in its own list of nodes; reference tables are copied to the nodes in it. */
  knowsItself: boolean
  workers: number
  inactiveWorkers: number
  preparedTransactionsMax: number
  /** The tables that are already placed. */
  placed: string[]
}

const IS_CLUSTER = `select exists (select from pg_extension where extname = 'citus') as is_cluster`

const FIND = `select (select groupid = 0 from pg_dist_local_group) as "isCoordinator",
       count(*) filter (where groupid = 0) > 0 as "knowsItself",
       (count(*) filter (where groupid <> 0 and isactive))::int as workers,
       (count(*) filter (where groupid <> 0 and not isactive))::int as "inactiveWorkers",
       current_setting('max_prepared_transactions')::int as "preparedTransactionsMax",
       array(select c.relname::text
               from pg_dist_partition p
               join pg_class c on c.oid = p.logicalrelid
              where c.relnamespace = to_regnamespace('${SCHEMA}')) as placed
  from pg_dist_node
 where noderole = 'primary'`

export const FOREIGN_KEYS = `select k.conname as name, t.relname as table, r.relname as references, pg_get_constraintdef(k.oid) as definition
  from pg_constraint k
  join pg_class t on t.oid = k.conrelid
  join pg_class r on r.oid = k.confrelid
 where k.contype = 'f' and t.relnamespace = '${SCHEMA}'::regnamespace
 order by t.relname, k.conname`

/** Returns undefined on a plain PostgreSQL. Throws `StartError` when tables cannot be placed on the cluster. */
export async function findCluster(client: pg.Client): Promise<Cluster | undefined> {
  const { rows } = await client.query<{ is_cluster: boolean }>(IS_CLUSTER)
  if (rows[0]?.is_cluster !== true) return undefined
  const [cluster] = (await client.query<Cluster>(FIND)).rows
  const wrong = cluster && whatIsWrong(cluster)
  if (wrong !== undefined) throw new StartError(wrong)
  return cluster
}

/** Returns a sentence that says what a cluster lacks and how to fix it; undefined when it is complete. Pure. */
export function whatIsWrong(cluster: Cluster): string | undefined {
  const { isCoordinator, knowsItself, workers, inactiveWorkers, preparedTransactionsMax } = cluster
  if (!isCoordinator) return 'This node is a worker of a Citus cluster; give the address of its coordinator.'
  if (workers + inactiveWorkers === 0) {
    return 'The extension citus is installed, but there are no workers; add them with citus_add_node, or drop the extension.'
  }
  if (inactiveWorkers > 0) {
    return `${inactiveWorkers} of ${workers + inactiveWorkers} workers are not active; see citus_activate_node, or remove them with citus_remove_node.`
  }
  if (!knowsItself) {
    return 'The coordinator is not among the nodes of the cluster; call citus_set_coordinator_host with its address.'
  }
  if (preparedTransactionsMax === 0) {
    return 'max_prepared_transactions is 0, and a write to several nodes needs it; set it on every node.'
  }
  return undefined
}

/** Places all tables that are not placed yet, or none. */
export async function placeTables(client: pg.Client, { placed }: Cluster, placements: Placements): Promise<void> {
  const { rows: keys } = await client.query<ForeignKey>(FOREIGN_KEYS)
  const steps = placementSteps(placements, new Set(placed), keys)
  if (steps.length === 0) return
  await inSequence(client, steps)
}

/** Runs statements in one transaction that uses one connection to each node. */
export async function inSequence(client: pg.Client, statements: readonly string[]): Promise<void> {
  await inTransaction(client, async () => {
    // Otherwise Citus rejects a foreign key to a table that several connections have just filled.
    await client.query(`set local citus.multi_shard_modify_mode to 'sequential'`)
    for (const text of statements) await client.query(text)
  })
}

/** Describes what was found, for the output of `migrate`. */
export function describeCluster(cluster: Cluster | undefined, placements: Placements): string {
  if (!cluster) return 'plain PostgreSQL'
  const placed = [...placements.values()].filter(({ kind }) => kind !== 'coordinator').length
  const workers = cluster.workers === 1 ? '1 worker' : `${cluster.workers} workers`
  return `Citus, coordinator and ${workers}: ${placed} tables distributed`
}

const FIND_OUT = statement('cluster_find', IS_CLUSTER)

export async function isCluster(db: Queryable): Promise<boolean> {
  return (await db.query<{ is_cluster: boolean }>(FIND_OUT))[0]?.is_cluster === true
}
