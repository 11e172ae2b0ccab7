import assert from 'node:assert/strict'
import pg from 'pg'
import { openVault } from '../src/kernel/crypto/vault.ts'
import { connectionOptions } from '../src/kernel/db/database.ts'
import { type Catalogue, makeCatalogue } from './catalogue.ts'
import { familyRows, type UserInput, userInputOf, newcomerRows, type Rows, userIdOf, walletIdOf } from './families.ts'
import type { Say, Stage } from './stage.ts'

const USERS = 20_000
const USERS_PER_BATCH = 1_000
const USERS_PER_LINE = 5_000

/** In the order of their foreign keys. */
const TABLES = [
  'users',
  'user_phones',
  'user_id_proofs',
  'user_providers',
  'dependants',
  'insurance_policies',
  'wallets',
  'wallet_ids',
]

export type Person = { userId: string; input: UserInput; walletId: string | undefined }

/** A platform with its users. */
export type Tenant = Catalogue & {
  people: Person[]
  /** Adds users without records; returns their ids. */
  addNewcomers(count: number): Promise<string[]>
  settle(): Promise<void>
  /** Checks that the token operation changed nothing; a changed row would mean it measured something else. */
  checkNothingWasWritten(): Promise<void>
}

/** Fills the database with 20,000 users, 40,000 dependants, 60,000 policies and 10,000 wallets. */
export async function fill(stage: Stage, say: Say): Promise<Tenant> {
  const catalogue = await makeCatalogue(stage)
  const vault = openVault(stage.config.keys)
  const { databaseUrl } = stage.config
  let users = 0
  const insertUsers = (client: pg.Client, rowsOf: typeof familyRows, count: number) => {
    const indexes = Array.from({ length: count }, () => users++)
    return insertBatch(client, mergeRows(indexes.map((index) => rowsOf(vault, catalogue, index)))).then(() => indexes)
  }
  await withClient(databaseUrl, async (client) => {
    for (let first = 0; first < USERS; first += USERS_PER_BATCH) {
      await insertUsers(client, familyRows, USERS_PER_BATCH)
      const done = first + USERS_PER_BATCH
      if (done % USERS_PER_LINE === 0) say(`filled ${done} of ${USERS} users`)
    }
  })
  return {
    ...catalogue,
    people: Array.from({ length: USERS }, (_, index) => ({
      userId: userIdOf(index),
      input: userInputOf(index),
      walletId: walletIdOf(index),
    })),
    addNewcomers: (count) =>
      withClient(databaseUrl, async (client) => {
        const added: string[] = []
        while (added.length < count) {
          const indexes = await insertUsers(client, newcomerRows, Math.min(USERS_PER_BATCH, count - added.length))
          added.push(...indexes.map(userIdOf))
        }
        return added
      }),
    settle: () => settle(stage),
    checkNothingWasWritten: () =>
      withClient(databaseUrl, async (client) => {
        const { rows } = await client.query<{ users: number; changed: number }>(
          'select count(*)::int as users, (count(*) filter (where revision > 1))::int as changed from users',
        )
        assert.deepEqual(rows[0], { users, changed: 0 })
      }),
  }
}

/** Lets the database finish pending maintenance before a measurement. */
export const settle = ({ config }: Stage): Promise<void> =>
  withClient(config.migrationDatabaseUrl, async (owner) => {
    await owner.query('vacuum analyze')
    await owner.query('checkpoint')
  })

export async function withClient<T>(url: string | null, work: (client: pg.Client) => Promise<T>): Promise<T> {
  assert(url, 'the bench sets both database URLs')
  const client = new pg.Client(connectionOptions(url, { withoutTimeouts: true }))
  client.on('error', () => {}) // a lost connection shows at the statement that runs
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

function mergeRows(families: Rows[]): Rows {
  const rows: Rows = {}
  for (const family of families) {
    for (const [table, some] of Object.entries(family)) (rows[table] ??= []).push(...some)
  }
  return rows
}

/** Inserts with one statement per table: the rows are sent as one JSON document. */
async function insertBatch(client: pg.Client, rows: Rows): Promise<void> {
  await client.query('begin')
  for (const table of TABLES.filter((name) => rows[name])) {
    const columns = Object.keys(rows[table]?.[0] ?? {}).join(', ')
    await client.query(
      `insert into ${table} (${columns}) select ${columns} from jsonb_populate_recordset(null::${table}, $1)`,
      [JSON.stringify(rows[table])],
    )
  }
  await client.query('commit')
}
