import { setTimeout as sleep } from 'node:timers/promises'
import type { Vault } from '../kernel/crypto/vault.ts'
import { isCluster } from '../kernel/cluster/cluster.ts'
import { type Queryable, type Statement, statement } from '../kernel/db/database.ts'

const ROWS_AT_ONCE = 500
/** Locked rows are skipped, and retried this often. */
const PASSES_WITHOUT_GAIN_MAX = 20
const PAUSE_MS = 250

type Holder = Record<'list' | 'replace' | 'replaceOne' | 'count', Statement> & { table: string }

/** The tables with data keys that seal columns, and their keys. */
export const OWNERS = {
  users: 'user_id',
  sponsors: 'sponsor_id',
  administrators: 'administrator_id',
  webhook_endpoints: 'endpoint_id',
} as const

/** Every table whose rows hold a data key. */
const HOLDERS = Object.entries({ ...OWNERS, audit_archives: 'archive_id' }).map(([table, id]) => holder(table, id))

/** The update is guarded by the wrapped form that was read: a key that was destroyed since then stays destroyed. */
function holder(table: string, id: string): Holder {
  return {
    table,
    count: statement(
      `data_keys_count_${table}`,
      `select split_part(data_key, '.', 1) as id, count(*)::int as rows
         from ${table} where data_key is not null group by 1`,
    ),
    list: statement(
      `data_keys_list_${table}`,
      `select ${id} as id, data_key as wrapped
         from ${table}
        where ${id} > $1 and data_key is not null and split_part(data_key, '.', 1) <> $2
        order by ${id}
        limit ${ROWS_AT_ONCE}`,
    ),
    replace: statement(
      `data_keys_replace_${table}`,
      `with given as (
         select id, wrapped, rewrapped from unnest($1::text[], $2::text[], $3::text[]) as g (id, wrapped, rewrapped)
       ), held as (
         select h.${id}
           from ${table} h
           join given g on g.id = h.${id} and g.wrapped = h.data_key
          order by h.${id}
            for no key update of h skip locked
       )
       update ${table} h
          set data_key = g.rewrapped
         from given g
         join held l on l.${id} = g.id
        where h.${id} = g.id
       returning h.${id}`,
    ),
    // A cluster locks rows of one shard only.
    replaceOne: statement(
      `data_keys_replace_one_of_${table}`,
      `with held as (
         select ${id} from ${table} where ${id} = $1 and data_key = $2 for no key update skip locked
       )
       update ${table} h
          set data_key = $3
         from held l
        where h.${id} = $1 and l.${id} = $1
       returning h.${id}`,
    ),
  }
}

/** How many data keys each master key wraps, by the id of the master key. */
export async function countDataKeys(db: Queryable): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for (const { count } of HOLDERS) {
    for (const { id, rows } of await db.query<{ id: string; rows: number }>(count)) {
      counts.set(id, (counts.get(id) ?? 0) + rows)
    }
  }
  return counts
}

type Context = { db: Queryable; vault: Vault }

/**
 * Wraps every data key with the newest master key, a batch at a time, while the service goes on writing: it waits for no row
 * and writes none that has changed. A stopped run continues where it stopped, because finished rows are not found again.
 * Resolves to the number still wrapped with another key, because their rows were locked all the time.
 */
export async function rewrapDataKeys(context: Context, onProgress: (done: number) => void): Promise<{ left: number }> {
  const replace = (await isCluster(context.db)) ? replaceEach : replaceAll
  let done = 0
  for (let passesWithoutGain = 0; ; ) {
    const pass = { found: 0, done: 0 }
    for (const holding of HOLDERS) {
      for await (const batch of rewrapTable(context, holding, replace)) {
        pass.found += batch.found
        pass.done += batch.done
        done += batch.done
        onProgress(done)
      }
    }
    if (pass.found === 0) return { left: 0 }
    passesWithoutGain = pass.done > 0 ? 0 : passesWithoutGain + 1
    if (passesWithoutGain === PASSES_WITHOUT_GAIN_MAX) return { left: pass.found }
    if (pass.done < pass.found) await sleep(PAUSE_MS)
  }
}

type Row = { id: string; wrapped: string }

type Rewrapped = Row & { rewrapped: string }
/** Returns how many of these were replaced: those neither changed since they were read nor locked. */
type Replace = (db: Queryable, holder: Holder, rows: readonly Rewrapped[]) => Promise<number>

const replaceAll: Replace = async (db, { replace }, rows) => {
  const values = (['id', 'wrapped', 'rewrapped'] as const).map((name) => rows.map((row) => row[name]))
  return (await db.query(replace, values)).length
}

const replaceEach: Replace = async (db, { replaceOne }, rows) => {
  let done = 0
  for (const { id, wrapped, rewrapped } of rows) done += (await db.query(replaceOne, [id, wrapped, rewrapped])).length
  return done
}

async function* rewrapTable({ db, vault }: Context, holder: Holder, replace: Replace) {
  for (let after = ''; ; ) {
    const rows = await db.query<Row>(holder.list, [after, vault.newestMasterKey])
    const last = rows.at(-1)
    if (!last) return
    const rewrapped = rows.map((row) => ({ ...row, rewrapped: vault.rewrap(row.wrapped) }))
    yield { found: rows.length, done: await replace(db, holder, rewrapped) }
    after = last.id
  }
}
