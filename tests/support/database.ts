import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { type Database, openDatabase } from '../../src/kernel/db/database.ts'

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

/** A separate database, cloned from the migrated template. */
export async function cloneDatabase(server = serverOfRun()): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`
  const admin = new pg.Client({ connectionString: withDatabase(server.ownerUrl, 'postgres') })
  await admin.connect()
  await admin.query(`create database ${name} template banyan`)
  await admin.end()

  const ownerUrl = withDatabase(server.ownerUrl, name)
  const appUrl = withDatabase(server.appUrl, name)
  const owner = new pg.Pool({ connectionString: ownerUrl, max: 2, options: '-c search_path=banyan -c timezone=UTC' })
  owner.on('error', () => {})
  const opened = openDatabase({ url: appUrl, poolSize: 8, sharing: true, onLostConnection: () => {} })
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
