import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { type Database, connectDatabase } from '../../src/kernel/db/database.ts'
import { emptyDatabase, isOnCluster, recorded } from './cluster.ts'

/** A server that has a migrated template database, which new ones are cloned from. */
export type DatabaseServer = { ownerUrl: string; appUrl: string }

/** The server that the run has started. */
function serverOfRun(): DatabaseServer {
  const [ownerUrl, appUrl] = [process.env['BANYAN_TEST_OWNER_URL'], process.env['BANYAN_TEST_APP_URL']]
  assert(ownerUrl && appUrl, 'tests are run by `npm test`, which starts their database')
  return { ownerUrl, appUrl }
}

function withDatabase(text: string, name: string): string {
  const url = new URL(text)
  url.pathname = `/${name}`
  return url.href
}

export type TestDatabase = {
  db: Database
  /** The statement of each round trip so far, by name. */
  sent: string[]
  appUrl: string
  ownerUrl: string
  /** Runs any statement as the owner: to check what was written, and to set up a scene. */
  sql: <Row extends object = Record<string, unknown>>(text: string, values?: unknown[]) => Promise<Row[]>
  close(): Promise<void>
}

/**
 * Replaces the rows of one database by those of another, as loading a dump does: what the server adds by itself, such as numbers
 * of transactions, is not part of them.
 */
export async function copyRows(from: string, to: string): Promise<void> {
  const options = '-c search_path=banyan -c session_replication_role=replica' // keys are checked by neither
  const [source, target] = [from, to].map((connectionString) => new pg.Client({ connectionString, options }))
  assert(source && target)
  await Promise.all([source.connect(), target.connect()])
  try {
    const { rows: tables } = await source.query<{ name: string; columns: string }>(
      `select c.relname as name, string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns
         from pg_class c
         join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
        where c.relnamespace = 'banyan'::regnamespace and c.relkind = 'r'
        group by c.relname`,
    )
    await target.query(`truncate ${tables.map(({ name }) => name).join(', ')}`)
    for (const { name, columns } of tables) {
      const { rows } = await source.query<{ all: string }>(
        `select coalesce(json_agg(r), '[]')::text as all from ${name} r`,
      )
      const insert = `insert into ${name} (${columns}) overriding system value
                      select ${columns} from json_populate_recordset(null::${name}, $1)`
      await target.query(insert, [rows[0]?.all])
    }
  } finally {
    await Promise.all([source.end(), target.end()])
  }
}

/** The database's time limits are longer than in production, because other programs can use the machine meanwhile. */
export const TIMEOUT_FACTOR = 10

type Cloning = {
  /** The database's location; by default the server of the run. */
  server?: DatabaseServer | undefined
  /** The factor of time limits: 1 for tests about them. */
  timeoutFactor?: number | undefined
}

/** A separate database, cloned from the migrated template. On a cluster it is the only one, emptied. */
export async function cloneDatabase({
  server = serverOfRun(),
  timeoutFactor = TIMEOUT_FACTOR,
}: Cloning = {}): Promise<TestDatabase> {
  const urls = isOnCluster() ? server : await cloneOn(server)
  if (isOnCluster()) await emptyDatabase(urls.ownerUrl)
  return connectTo(urls, timeoutFactor)
}

/** A migrated database, whatever made it. */
export function connectTo({ ownerUrl, appUrl }: DatabaseServer, timeoutFactor = TIMEOUT_FACTOR): TestDatabase {
  const owner = new pg.Pool({ connectionString: ownerUrl, max: 2, options: '-c search_path=banyan -c timezone=UTC' })
  owner.on('error', () => {})
  const opened = recorded(
    connectDatabase({ url: appUrl, poolSize: 8, batching: !isOnCluster(), timeoutFactor, onLostConnection: () => {} }),
  )
  const sent: string[] = []
  const db: Database = {
    ...opened,
    query: (step, values) => {
      sent.push(step.name)
      return opened.query(step, values)
    },
    pipeline: (steps) => {
      sent.push(steps.map(({ statement }) => statement.name).join(' + '))
      return opened.pipeline(steps)
    },
  }
  return {
    db,
    sent,
    appUrl,
    ownerUrl,
    sql: async <Row extends object>(text: string, values: unknown[] = []) =>
      (await owner.query(text, values)).rows as Row[],
    close: async () => void (await Promise.all([db.close(), owner.end()])),
  }
}

async function cloneOn(server: DatabaseServer): Promise<DatabaseServer> {
  return createDatabase('template banyan strategy wal_log', server)
}

/** Creates a database with a name of its own. */
export async function createDatabase(options: string, server = serverOfRun()): Promise<DatabaseServer> {
  const name = `test_${randomBytes(6).toString('hex')}`
  const admin = new pg.Client({ connectionString: withDatabase(server.ownerUrl, 'postgres') })
  await admin.connect()
  await admin.query(`create database ${name} ${options}`)
  await admin.end()
  return { ownerUrl: withDatabase(server.ownerUrl, name), appUrl: withDatabase(server.appUrl, name) }
}
