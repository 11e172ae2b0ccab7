import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import pg from 'pg'
import { createVault, type Vault } from '../src/kernel/crypto/vault.ts'
import { connectionOptions } from '../src/kernel/db/database.ts'
import { serviceSession } from '../src/kernel/db/session.ts'
import { type Catalogue, makeCatalogue } from './catalogue.ts'
import { inTransaction } from '../src/kernel/db/in-transaction.ts'
import { copyRows } from './copy-rows.ts'
import { familyRows, type UserInput, userInputOf, newcomerRows, type Rows, userIdOf, walletIdOf } from './families.ts'
import type { Say, Stage } from './stage.ts'

const USERS = 20_000
const USERS_PER_BATCH = 1_000
const USERS_PER_LINE = 5_000
const LINES_MAX = 10
/** Sealed before the database's responses are looked at. */
const USERS_AT_A_TIME = 50

/** In the order of their foreign keys. */
export const FILLED_TABLES = [
  'users',
  'user_phones',
  'user_id_proofs',
  'user_providers',
  'dependants',
  'insurance_policies',
  'wallets',
  'wallet_ids',
  'user_status_changes',
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

type FilledStage = Pick<Stage, 'config' | 'productUrl' | 'administrator'>

/** Fills the database with 20,000 users, 40,000 dependants, 60,000 policies and 10,000 wallets. */
export async function fill(stage: FilledStage, say: Say): Promise<Tenant> {
  const catalogue = await makeCatalogue(stage)
  const vault = createVault(stage.config.keys)
  const { databaseUrl } = stage.config
  const add = (rowsOf: typeof familyRows, from: number, to: number) =>
    withClient(databaseUrl, (client) => addUsers(client, { vault, catalogue, rowsOf, from, to, say }))
  await add(familyRows, 0, USERS)
  let users = USERS
  return {
    ...catalogue,
    people: Array.from({ length: USERS }, (_, index) => ({
      userId: userIdOf(index),
      input: userInputOf(index),
      walletId: walletIdOf(index),
    })),
    async addNewcomers(count) {
      const from = users
      users += count
      await add(newcomerRows, from, users)
      return Array.from({ length: count }, (_, position) => userIdOf(from + position))
    },
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
export const settle = ({ config }: Pick<Stage, 'config'>): Promise<void> =>
  withClient(config.migrationDatabaseUrl, async (owner) => {
    await owner.query('vacuum analyze')
    await owner.query('checkpoint')
  })

export async function withClient<T>(url: string | null, work: (client: pg.Client) => Promise<T>): Promise<T> {
  assert(url, 'the bench sets both database URLs')
  const client = new pg.Client(connectionOptions(url, serviceSession({ withoutTimeouts: true })))
  client.on('error', () => {}) // a lost connection shows at the statement that runs
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

type NewUsers = {
  vault: Vault
  catalogue: Catalogue
  rowsOf: typeof familyRows
  /** The first index, and the one after the last. */
  from: number
  to: number
  say: Say
}

/** Adds users; the database takes some while the next ones are sealed. */
export async function addUsers(
  client: pg.Client,
  { vault, catalogue, rowsOf, from, to, say }: NewUsers,
): Promise<void> {
  const usersPerLine = Math.max(USERS_PER_LINE, (to - from) / LINES_MAX)
  let inserting = Promise.resolve()
  let said = from
  for (let first = from; first < to; first += USERS_PER_BATCH) {
    const rows: Rows = {}
    for (let index = first; index < Math.min(first + USERS_PER_BATCH, to); index++) {
      for (const [table, some] of Object.entries(rowsOf(vault, catalogue, index))) (rows[table] ??= []).push(...some)
      if (index % USERS_AT_A_TIME === 0) await setImmediate()
    }
    await inserting
    inserting = insertBatch(client, rows)
    inserting.catch(() => {}) // thrown when it is awaited
    if (first - said < usersPerLine) continue
    said = first
    say(`filled ${first} of ${to} users`)
  }
  await inserting
}

async function insertBatch(client: pg.Client, rows: Rows): Promise<void> {
  await inTransaction(client, async () => {
    for (const table of FILLED_TABLES) {
      const some = rows[table]
      if (some) await copyRows(client, table, some)
    }
  })
}
