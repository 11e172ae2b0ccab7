import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { type ParsedKeys, parseKeyTexts } from '../../src/settings/keys.ts'
import { createLog } from '../../src/kernel/log.ts'
import { migrateAll } from '../../src/boot/parts.ts'
import { connectTo, createDatabase } from '../support/database.ts'
import type { Existing } from '../support/installation.ts'
import type { Kept, KeySettings } from './kept.ts'

const APP_ROLE = 'banyan_app'

/** Sealed in batches with their times, which therefore cannot be changed. */
const SEALED_WITH_TIME = ['audit_entries', 'audit_batches']

/**
 * Loads the database and the uploads of an earlier version, and migrates them to this one. With `isYoung` everything in it happened as
 * long ago as it had when the dump was made: nothing has expired in the meantime.
 */
export async function restore(kept: Kept, { isYoung = false } = {}): Promise<Existing> {
  const urls = await createDatabase('template template0')
  const client = new pg.Client({ connectionString: urls.ownerUrl })
  await client.connect()
  await client.query(kept.sql)
  if (isYoung) await shiftTimes(client, kept.scene.madeAt)
  await client.end()
  await migrateAll({ ...urls, appRole: APP_ROLE }, createLog('silent'))
  return { database: connectTo(urls), keys: parsed(kept.scene.settings), storageFolder: await writeFiles(kept.files) }
}

/** The same installation with other keys. */
export const withKeys = (existing: Existing, settings: KeySettings): Existing => ({
  ...existing,
  keys: parsed(settings),
})

function parsed(settings: KeySettings): ParsedKeys {
  const keys = parseKeyTexts(settings)
  if (Array.isArray(keys)) throw new Error(keys.join('\n'))
  return keys
}

async function shiftTimes(client: pg.Client, madeAt: string): Promise<void> {
  await client.query('set session_replication_role = replica; set search_path = banyan')
  const { rows } = await client.query<{ name: string; changes: string }>(
    `select c.relname as name,
            string_agg(format('%1$I = %1$I + (now() - ''${madeAt}''::timestamptz)', a.attname), ', ') as changes
       from pg_class c
       join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relnamespace = 'banyan'::regnamespace and c.relkind = 'r'
        and a.atttypid = 'timestamptz'::regtype and a.attgenerated = '' and c.relname <> all ($1)
      group by c.relname`,
    [SEALED_WITH_TIME],
  )
  for (const { name, changes } of rows) await client.query(`update ${name} set ${changes}`)
}

async function writeFiles(files: Kept['files']): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'banyan-files-'))
  for (const [name, bytes] of Object.entries(files)) {
    const path = join(folder, name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, bytes)
  }
  return folder
}
