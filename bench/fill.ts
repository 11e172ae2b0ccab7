import assert from 'node:assert/strict'
import pg from 'pg'
import { openVault, type Vault } from '../src/kernel/crypto/vault.ts'
import { connectionOptions } from '../src/kernel/db/database.ts'
import { type Catalogue, makeCatalogue } from './catalogue.ts'
import { familyRows, type Form, formOf, type Rows, userIdOf } from './families.ts'
import type { Say, Stage } from './stage.ts'

const USERS = 20_000
const USERS_A_BATCH = 1_000
const USERS_A_LINE = 5_000

/** In the order of their foreign keys. */
const TABLES = ['users', 'user_phones', 'user_id_proofs', 'user_providers', 'dependants', 'insurance_policies']

export type Person = { userId: string; form: Form }

/** A platform with its users, ready to be asked for. */
export type Tenant = {
  platformToken: string
  people: Person[]
  /** The token operation was given nothing new; a changed row would mean that something else was measured. */
  checkNothingWasWritten(): Promise<void>
}

/** Fills the database with 20,000 users, 40,000 dependants and 60,000 policies. */
export async function fill(stage: Stage, say: Say): Promise<Tenant> {
  const catalogue = await makeCatalogue(stage)
  const vault = openVault(stage.config.keys)
  await withClient(stage.config.databaseUrl, async (client) => {
    for (let first = 0; first < USERS; first += USERS_A_BATCH) {
      await insertBatch(client, batchOf(vault, catalogue, first))
      const done = first + USERS_A_BATCH
      if (done % USERS_A_LINE === 0) say(`filled ${done} of ${USERS} users`)
    }
  })
  await withClient(stage.config.migrationDatabaseUrl, (owner) => owner.query('vacuum analyze'))
  return {
    platformToken: catalogue.platformToken,
    people: Array.from({ length: USERS }, (_, index) => ({ userId: userIdOf(index), form: formOf(index) })),
    checkNothingWasWritten: () =>
      withClient(stage.config.databaseUrl, async (client) => {
        const { rows } = await client.query<{ users: number; changed: number }>(
          'select count(*)::int as users, (count(*) filter (where revision > 1))::int as changed from users',
        )
        assert.deepEqual(rows[0], { users: USERS, changed: 0 })
      }),
  }
}

async function withClient<T>(url: string | null, work: (client: pg.Client) => Promise<T>): Promise<T> {
  assert(url, 'the bench sets both addresses of the database')
  const client = new pg.Client({ ...connectionOptions(url), statement_timeout: 0 })
  client.on('error', () => {}) // a lost connection shows at the statement that runs
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

function batchOf(vault: Vault, catalogue: Catalogue, first: number): Rows {
  const rows: Rows = {}
  for (let index = first; index < first + USERS_A_BATCH; index++) {
    for (const [table, some] of Object.entries(familyRows(vault, catalogue, index))) (rows[table] ??= []).push(...some)
  }
  return rows
}

/** A statement a table: the rows travel as one JSON document. */
async function insertBatch(client: pg.Client, rows: Rows): Promise<void> {
  await client.query('begin')
  for (const table of TABLES) {
    const columns = Object.keys(rows[table]?.[0] ?? {}).join(', ')
    await client.query(
      `insert into ${table} (${columns}) select ${columns} from jsonb_populate_recordset(null::${table}, $1)`,
      [JSON.stringify(rows[table])],
    )
  }
  await client.query('commit')
}
