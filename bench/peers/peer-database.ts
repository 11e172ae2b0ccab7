import type pg from 'pg'
import { withClient } from '../fill.ts'
import type { Stage } from '../stage.ts'

export type PeerDatabase = {
  url: string
  /** Works as the owner, who sees the tables by their names. */
  work<T>(what: (client: pg.Client) => Promise<T>): Promise<T>
  insert(table: string, rows: object[]): Promise<void>
  settle(): Promise<void>
}

/** Creates a database of peers on the product's server. */
export async function createPeerDatabase(stage: Stage, { name, schema }: Record<'name' | 'schema', string>) {
  const owner = stage.config.migrationDatabaseUrl
  await withClient(owner, async (client) => {
    await client.query(`create database ${name}`)
    // As the product's connections have it.
    await client.query(`alter database ${name} set timezone to 'UTC'`)
    await client.query(`alter database ${name} set random_page_cost to 1.1`)
  })
  const address = new URL(owner ?? '')
  address.pathname = `/${name}`
  const url = address.href
  const database: PeerDatabase = {
    url,
    // The options of the product's connections name its schema alone.
    work: (what) =>
      withClient(url, async (client) => {
        await client.query('set search_path to public')
        return what(client)
      }),
    insert: (table, rows) =>
      database.work(async (client) => {
        const columns = Object.keys(rows[0] ?? {}).join(', ')
        if (columns === '') return
        const text = `insert into ${table} (${columns}) select ${columns} from json_populate_recordset(null::${table}, $1)`
        await client.query(text, [JSON.stringify(rows)])
      }),
    settle: () =>
      database.work(async (client) => {
        await client.query('vacuum analyze')
        await client.query('checkpoint')
      }),
  }
  await database.work((client) => client.query(schema))
  return database
}
