import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestDatabase } from '../../support/database.ts'

type Sql = TestDatabase['sql']

/** What each column of each table holds, ours and the queue's, as text. Of ours the schema is left out. */
export async function columnsOfDatabase(sql: Sql): Promise<{ location: string; text: string }[]> {
  const tables = await sql<{ schema: string; name: string }>(
    `select schemaname as schema, tablename as name from pg_tables where schemaname in ('banyan', 'pgboss')`,
  )
  const one = ({ schema, name }: { schema: string; name: string }) =>
    `select '${schema === 'banyan' ? '' : `${schema}.`}${name}.' || c.key as location, string_agg(c.value #>> '{}', E'\\n') as text
       from ${schema}.${name} r, jsonb_each(to_jsonb(r)) c where c.value <> 'null' group by c.key`
  return sql(tables.map(one).join('\nunion all\n'))
}

/**
 * Keeps the log of the database from here on: without a slot, a checkpoint that other tests cause removes it. Returns the position, and
 * what ends the keeping.
 */
export async function keepLog(sql: Sql): Promise<{ since: string; release: () => Promise<void> }> {
  const [row] = await sql<{ slot: string; since: string }>(
    `select slot_name as slot, lsn::text as since
       from pg_create_physical_replication_slot(replace(current_database(), '-', '_') || '_log', true)`,
  )
  const { slot, since } = row ?? assert.fail()
  return { since, release: async () => void (await sql('select pg_drop_replication_slot($1)', [slot])) }
}

/** The files in which the database keeps its rows, and its log since a position, as they lie on the disk. */
export async function* filesOfDatabase(sql: Sql, since: string): AsyncGenerator<{ location: string; bytes: Buffer }> {
  await sql('checkpoint')
  const [row] = await sql<{ data: string; oid: string; first: string; last: string }>(
    `select current_setting('data_directory') as data, oid::text, pg_walfile_name($1::pg_lsn) as first,
            pg_walfile_name(pg_current_wal_lsn()) as last
       from pg_database where datname = current_database()`,
    [since],
  )
  const { data, oid, first, last } = row ?? assert.fail()
  const log = join(data, 'pg_wal')
  const segments = (await readdir(log)).filter((name) => name >= first && name <= last && /^[0-9A-F]{24}$/.test(name))
  assert(segments.length > 0)
  for (const name of segments) yield { location: 'log of the database', bytes: await readFile(join(log, name)) }
  yield* filesBelow(join(data, 'base', oid), 'rows of the database')
  yield { location: 'messages of the database', bytes: await readFile(join(data, 'server.log')) }
}

/** Every file of a folder and of those in it. */
export async function* filesBelow(
  folder: string,
  location: string,
): AsyncGenerator<{ location: string; bytes: Buffer }> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) yield { location, bytes: await readFile(join(entry.parentPath, entry.name)) }
  }
}
