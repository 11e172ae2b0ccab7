import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import pg from 'pg'
import { verifyLedger } from '../../../../src/domains/money/ledger/index.ts'
import { compiledCode } from '../../../../src/kernel/compiled-code.ts'
import { openTestApp } from '../../../support/app.ts'
import { type Holder, openBookings } from '../../../support/bookings.ts'
import { runCommand } from '../../../support/server.ts'

const t = await openTestApp({ own: true })
const { holder, credit, debit } = openBookings(t)

const silent = () => {}

/** A wallet of four bookings, all of different amounts: 500 in, 200 out, 100 in, 30 out; the balance is 370. */
async function booked(): Promise<Holder> {
  const own = await holder()
  await credit(own, { amount: 500, reference: 'one' })
  await debit(own, { amount: 200, reference: 'two' })
  await credit(own, { amount: 100, reference: 'three' })
  await debit(own, { amount: 30, reference: 'four' })
  return own
}

const isTransaction = (reference: string) =>
  `user_id = $1 and transaction_id = (
     select transaction_id from ledger_transactions where user_id = $1 and reference = '${reference}')`

const deleted = (reference: string) => [
  `delete from ledger_entries where ${isTransaction(reference)}`,
  `delete from ledger_transactions where user_id = $1 and reference = '${reference}'`,
]

const inserted = `insert into ledger_transactions
    (user_id, transaction_id, transaction_type, amount_paise, balance_after_paise, position, reference, actor)
  values ($1, 'txn_forged', 'CREDIT', 1, 371, 5, 'forged', 'nobody')`

/** Manipulations by somebody with full access to the database, as statements on one user's rows. */
const TAMPERINGS: Record<string, string[]> = {
  'a balance that is higher': ['update wallets set balance_paise = 371 where user_id = $1'],
  'a balance that is lower': ['update wallets set balance_paise = 0 where user_id = $1'],
  'the wallet’s entry': [
    `update ledger_entries set amount_paise = 501 where ledger_account = 'WALLET' and ${isTransaction('one')}`,
  ],
  'the float’s entry': [
    `update ledger_entries set amount_paise = -501 where ledger_account = 'PLATFORM_FLOAT' and ${isTransaction('one')}`,
  ],
  'both entries, so that they still add up': [
    `update ledger_entries set amount_paise = amount_paise * 2 where ${isTransaction('two')}`,
  ],
  'both entries and the balance': [
    `update ledger_entries set amount_paise = sign(amount_paise) * 600 where ${isTransaction('one')}`,
    'update wallets set balance_paise = 470 where user_id = $1',
  ],
  'the signs of two entries': [`update ledger_entries set amount_paise = -amount_paise where ${isTransaction('one')}`],
  'an entry that is gone': [
    `delete from ledger_entries where ledger_account = 'PLATFORM_FLOAT' and ${isTransaction('two')}`,
  ],
  'entries that are gone': [`delete from ledger_entries where ${isTransaction('two')}`],
  'the amount of a transaction': [`update ledger_transactions set amount_paise = 199 where ${isTransaction('two')}`],
  'the type of a transaction': [
    `update ledger_transactions set transaction_type = 'CREDIT' where ${isTransaction('two')}`,
  ],
  'a running balance': [`update ledger_transactions set balance_after_paise = 301 where ${isTransaction('two')}`],
  'the last running balance': [
    `update ledger_transactions set balance_after_paise = 371 where ${isTransaction('four')}`,
  ],
  'a position': [`update ledger_transactions set position = 5 where ${isTransaction('four')}`],
  'the order': [
    `update ledger_transactions set position = 9 where ${isTransaction('two')}`,
    `update ledger_transactions set position = 2 where ${isTransaction('three')}`,
    `update ledger_transactions set position = 3 where ${isTransaction('two')}`,
  ],
  'the first transaction gone': deleted('one'),
  'a transaction in the middle gone': deleted('two'),
  'a transaction in the middle gone and the balance with it': [
    ...deleted('two'),
    'update wallets set balance_paise = balance_paise + 200 where user_id = $1',
  ],
  'the last transaction gone': deleted('four'),
  'the last transaction gone and the balance with it': [
    ...deleted('four'),
    'update wallets set balance_paise = balance_paise + 30 where user_id = $1',
  ],
  'every transaction gone': ['four', 'three', 'two', 'one'].flatMap(deleted),
  'a transaction without entries': [inserted],
  'a transaction that is balanced, but not in the balance': [
    inserted,
    `insert into ledger_entries values ($1, 'txn_forged', 'WALLET', 1), ($1, 'txn_forged', 'PLATFORM_FLOAT', -1)`,
  ],
}

describe('verifyLedger', () => {
  it('proves every balance from the entries', async () => {
    for (let n = 0; n < 3; n++) await booked()
    await holder()
    const { wallets, transactions, wrong } = await verifyLedger(t.db, silent)
    assert.deepEqual({ wallets, transactions, wrong }, { wallets: 4, transactions: 12, wrong: [] })
  })

  for (const [kind, statements] of Object.entries(TAMPERINGS)) {
    it(`finds ${kind}, and nothing wrong with the others`, async () => {
      const { user } = await booked()
      assert.deepEqual((await verifyLedger(t.db, silent)).wrong, [])
      const rows = await tamper(user.id, statements)
      assert(rows > 0, 'something was changed')
      assert.deepEqual((await verifyLedger(t.db, silent)).wrong, [user.id])
      await removeWallet(user.id)
    })
  }

  it('checks all of many wallets, batch by batch', async () => {
    const last = await manyWallets(2_050)
    const progress: number[][] = []
    const before = await verifyLedger(t.db, (...counts) => void progress.push(counts))
    assert(before.wallets >= 2_050)
    assert.deepEqual([before.wrong, progress], [[], [1_000, 2_000].map((wallets) => [wallets, before.wallets])])
    await t.sql('update wallets set balance_paise = 1 where user_id = $1', [last])
    assert.deepEqual((await verifyLedger(t.db, silent)).wrong, [last])
    await removeWallet(last)
  })
})

async function tamper(userId: string, statements: string[]): Promise<number> {
  const client = new pg.Client({ connectionString: t.ownerUrl, options: '-c search_path=banyan' })
  await client.connect()
  let rows = 0
  for (const text of statements) rows += (await client.query(text, [userId])).rowCount ?? 0
  await client.end()
  return rows
}

/** So that the next test does not find what another has broken. */
async function removeWallet(userId: string): Promise<void> {
  for (const table of ['ledger_entries', 'ledger_transactions', 'wallets'])
    await t.sql(`delete from ${table} where user_id = $1`, [userId])
}

/** Inserts wallets without bookings, whose users exist only as rows; returns the last id. */
async function manyWallets(count: number): Promise<string> {
  const platform = await t.platform()
  const { id } = await t.user(platform)
  const columns = await t.sql<{ name: string }>(
    `select column_name as name from information_schema.columns
      where table_schema = 'banyan' and table_name = 'users'
        and column_name not in ('user_id', 'phone_hash', 'id_proof_hash')`,
  )
  const names = columns.map(({ name }) => name).join(', ')
  await t.sql(
    `insert into users (user_id, phone_hash, ${names})
     select '9' || lpad(n::text, 11, '0'), sha256(n::text::bytea), ${names}
       from generate_series(1, $2::int) n, users where user_id = $1`,
    [id, count],
  )
  await t.sql(
    `insert into wallets (user_id, platform_id, partner_wallet_id, wallet_status, wallet_status_partner, queued_at)
     select user_id, platform_id, 'wal_' || user_id, 'COMPLETED', 'ACTIVE', now() from users where user_id like '9%'`,
  )
  return `9${String(count).padStart(11, '0')}`
}

describe('banyan ledger verify', () => {
  const dataDir = mkdtemp(join(tmpdir(), 'banyan-ledger-'))
  after(async () => rm(await dataDir, { recursive: true, force: true }))

  async function banyan(environment: Record<string, string>, ...words: string[]) {
    const own = { PATH: String(process.env['PATH']), DATA_DIR: await dataDir, DATABASE_URL: t.appUrl }
    return runCommand(['ledger', ...words], { ...compiledCode(), ...own, ...environment })
  }

  it('exits with 0 when all balances are right and with 1 when one is wrong, naming it', async () => {
    const { user } = await booked()
    const right = await banyan({}, 'verify')
    assert.equal(right.code, 0, right.stderr)
    assert.match(right.stdout, /^\d+ wallets, \d+ transactions, 0 wrong\n$/)
    await t.sql('update wallets set balance_paise = 1 where user_id = $1', [user.id])
    const wrong = await banyan({}, 'verify')
    assert.equal(wrong.code, 1, wrong.stderr)
    assert.match(wrong.stdout, new RegExp(`^wrong: user:${user.id}\n\\d+ wallets, \\d+ transactions, 1 wrong\n$`))
    await removeWallet(user.id)
  })

  it('exits with 1 when the database is unreachable and with 2 for wrong arguments', async () => {
    const [unreachable, settings, words] = await Promise.all([
      banyan({ DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/nothing' }, 'verify'),
      banyan({ DATABASE_URL: 'mysql://nobody@127.0.0.1:1/nothing' }, 'verify'),
      banyan({}, 'prove'),
    ])
    assert.equal(unreachable.code, 1, unreachable.stderr)
    assert.equal(settings.code, 2, settings.stderr)
    assert.equal(words.code, 2, words.stderr)
    for (const { stdout } of [unreachable, settings, words]) assert.doesNotMatch(stdout, /0 wrong/)
  })
})

describe('the ledger’s tables', () => {
  it('are append-only for the application’s role', async () => {
    const { user } = await booked()
    const client = new pg.Client({ connectionString: t.appUrl, options: '-c search_path=banyan' })
    await client.connect()
    after(() => client.end())
    for (const table of ['ledger_transactions', 'ledger_entries']) {
      const before = await t.sql(`select * from ${table} where user_id = $1`, [user.id])
      for (const text of [
        `update ${table} set amount_paise = 1 where user_id = $1`,
        `delete from ${table} where user_id = $1`,
        `truncate ${table} cascade`,
        `alter table ${table} disable trigger all`,
        `drop table ${table} cascade`,
      ]) {
        const values = text.includes('$1') ? [user.id] : []
        await assert.rejects(client.query(text, values), /permission denied|must be owner/, text)
      }
      assert.deepEqual(await t.sql(`select * from ${table} where user_id = $1`, [user.id]), before)
    }
  })

  it('reject amounts that are not positive, balances below zero and entries of zero', async () => {
    const { user } = await booked()
    const refused = [
      'update wallets set balance_paise = -1 where user_id = $1',
      'update wallets set balance_paise = 9007199254740992 where user_id = $1',
      inserted.replace("'CREDIT', 1,", "'CREDIT', 0,"),
      inserted.replace("'CREDIT', 1, 371", "'DEBIT', 371, -1"),
      inserted.replace("'forged'", "'one'"),
      inserted.replace('371, 5,', '371, 4,'),
      `update ledger_entries set amount_paise = 0 where user_id = $1`,
      `insert into ledger_entries values ($1, 'txn_nowhere', 'WALLET', 1)`,
    ]
    for (const text of refused) await assert.rejects(t.sql(text, [user.id]), /violates/, text)
    assert.deepEqual((await verifyLedger(t.db, silent)).wrong, [])
  })
})
