import { appendFileSync } from 'node:fs'
import pg from 'pg'
import type { Database, Step } from '../../src/kernel/db/database.ts'

/** Where a run on a cluster writes down what it sends; unset in every other run. */
export const STATEMENTS_FILE = 'BANYAN_TEST_STATEMENTS'

const fileOfRun = () => process.env[STATEMENTS_FILE]

/** True when this run is on a Citus cluster. It has one database for all files, because Citus cannot clone one. */
export const isOnCluster = (): boolean => fileOfRun() !== undefined

/** A statement with the values of the first call that had values in the same places. */
export type SeenStatement = { name: string; text: string; values: unknown[] }

const seen = new Set<string>()

/** Records the statements that are sent, so that the cluster can explain them afterwards. */
export function recorded(db: Database): Database {
  const file = fileOfRun()
  if (file === undefined) return db
  const note = ({ statement: { name, text }, values }: Step): void => {
    const pattern = `${name} ${values.map((value) => (value === null ? '-' : '+')).join('')}`
    if (seen.has(pattern) || name.startsWith('test')) return
    seen.add(pattern)
    const line: SeenStatement = { name, text, values: values.map(readable) }
    appendFileSync(file, `${JSON.stringify(line)}\n`)
  }
  return {
    ...db,
    query: (statement, values = []) => (note({ statement, values }), db.query(statement, values)),
    pipeline: (steps) => (steps.forEach(note), db.pipeline(steps)),
  }
}

/** A value as text of JSON and of PostgreSQL. */
const readable = (value: unknown): unknown =>
  Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : Array.isArray(value) ? value.map(readable) : value

/** Written by migrations, or a position in what is counted on. */
const KEPT = ['migrations', 'program_versions', 'relays']

/** Empties the database for a file that needs one of its own. */
export async function emptyDatabase(ownerUrl: string): Promise<void> {
  const options = '-c search_path=banyan -c citus.multi_shard_modify_mode=sequential'
  const client = new pg.Client({ connectionString: ownerUrl, options })
  await client.connect()
  try {
    const { rows } = await client.query<{ table: string }>(
      `select relname as table from pg_class
        where relnamespace = 'banyan'::regnamespace and relkind = 'r' and relname <> all ($1)
          and (relname !~ '_\\d{6,}$')`,
      [KEPT],
    )
    await client.query(`truncate ${rows.map(({ table }) => table).join(', ')}`)
    await client.query('delete from pgboss.job')
  } finally {
    await client.end()
  }
}
