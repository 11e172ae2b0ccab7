import { setTimeout as sleep } from 'node:timers/promises'
import type { Vault, VaultKeys } from '../kernel/crypto/vault.ts'
import { type Queryable, type Statement, statement } from '../kernel/db/database.ts'
import { type KeyStatus, listKeys, rotateKeys } from './key-fingerprints.ts'
import { OWNERS, type Replace, replaceOn, type Replacing, replacingStatements } from './sealed-rows.ts'

const ROWS_AT_ONCE = 500
/** Locked rows are skipped, and retried this often. */
const PASSES_WITHOUT_GAIN_MAX = 20
const PAUSE_MS = 250

type Holder = Record<'list' | 'count', Statement> & Replacing

const HOLDERS = Object.entries({ ...OWNERS, audit_archives: 'archive_id' }).map(([table, id]) => holder(table, id))

function holder(table: string, id: string): Holder {
  const names = { replace: `data_keys_replace_${table}`, replaceOne: `data_keys_replace_one_of_${table}` }
  return {
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
    ...replacingStatements({ table, column: 'data_key', key: [id] }, names),
  }
}

type KeysContext = { db: Queryable; keys: VaultKeys }

/** Returns each master key, configured or not, with the number of data keys that it wraps. */
export async function masterKeyStatus({ db, keys }: KeysContext): Promise<KeyStatus[]> {
  const counts = new Map<string, number>()
  for (const { count } of HOLDERS) {
    for (const { id, rows } of await db.query<{ id: string; rows: number }>(count)) {
      counts.set(id, (counts.get(id) ?? 0) + rows)
    }
  }
  return (await listKeys(db, keys, 'MASTER_KEYS')).map((key) => ({ ...key, total: counts.get(key.id) ?? 0 }))
}

/** Rewraps all data keys with the first master key, as described at `rotateKeys`. */
export const rotateMasterKeys = (
  { vault, ...context }: KeysContext & { vault: Vault },
  onProgress: (done: number, all: number) => void,
): Promise<KeyStatus[]> =>
  rotateKeys(context, {
    setting: 'MASTER_KEYS',
    convert: async () => {
      const others = (await masterKeyStatus(context)).filter(({ first }) => !first)
      const all = others.reduce((sum, { total }) => sum + total, 0)
      return rewrapDataKeys({ db: context.db, vault }, (done) => onProgress(done, all))
    },
    status: () => masterKeyStatus(context),
  })

type Context = { db: Queryable; vault: Vault }

/**
 * Wraps every data key with the newest master key, a batch at a time, while the service goes on writing: it waits for no row
 * and writes none that has changed. A stopped run continues where it stopped, because finished rows are not found again.
 * Resolves to the number still wrapped with another key, because their rows were locked all the time.
 */
export async function rewrapDataKeys(context: Context, onProgress: (done: number) => void): Promise<{ left: number }> {
  const replace = await replaceOn(context.db)
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

async function* rewrapTable({ db, vault }: Context, holder: Holder, replace: Replace) {
  for (let after = ''; ; ) {
    const rows = await db.query<{ id: string; wrapped: string }>(holder.list, [after, vault.newestMasterKey])
    const last = rows.at(-1)
    if (!last) return
    const rewrapped = rows.map(({ id, wrapped }) => ({ key: [id], was: wrapped, now: vault.rewrap(wrapped) }))
    yield { found: rows.length, done: await replace(holder, rewrapped) }
    after = last.id
  }
}
