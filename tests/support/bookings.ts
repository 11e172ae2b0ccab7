import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { TestResponse, TestApp, TestPlatform, TestUser, TestWallet } from './app.ts'

/** A user of a platform of its own who has a wallet. */
export type Holder = { platform: TestPlatform; user: TestUser; wallet: TestWallet }

/** Credits and debits as a platform makes them, and their expected results. */
export function openBookings(t: TestApp) {
  async function holder(status: 'ACTIVE' | 'BLOCKED' = 'ACTIVE'): Promise<Holder> {
    const platform = await t.platform()
    const user = await t.user(platform)
    return { platform, user, wallet: await t.wallet(platform, user, status) }
  }

  /** With a key of its own by default. */
  const book =
    (type: 'credits' | 'debits') =>
    ({ platform, user }: Pick<Holder, 'user'> & { platform: { token: string } }, input: object, key?: string) =>
      t.call('POST', `/v1/users/${user.id}/wallet/${type}`, {
        token: platform.token,
        body: input,
        headers: { 'idempotency-key': key ?? randomUUID() },
      })
  const credit = book('credits')
  const debit = book('debits')

  async function credited(holder: Holder, amount: number): Promise<TestResponse['body']> {
    const response = await credit(holder, { amount, reference: `credit-${randomUUID()}` })
    assert.equal(response.status, 201, response.text)
    return response.body
  }

  /** The balance everywhere it is shown: in the wallet, in the last transaction and as the sum of the entries. */
  async function assertBooked({ user, wallet }: Holder, expected: { balance: number; transactions: number }) {
    const { body } = await t.call('GET', '/wallet/v1/wallet', { token: wallet.token })
    const [row] = await t.sql(
      `select (select coalesce(sum(amount_paise), 0)::text from ledger_entries
                where user_id = $1 and ledger_account = 'WALLET') as wallet_entries,
              (select coalesce(sum(amount_paise), 0)::text from ledger_entries where user_id = $1) as all_entries,
              (select count(*)::int from ledger_entries where user_id = $1) as entries,
              (select count(*)::int from ledger_transactions where user_id = $1) as transactions,
              (select count(*)::int from events where subject = $2 and type = 'wallet.balance_changed') as events,
              coalesce((select balance_after_paise::text from ledger_transactions where user_id = $1
                         order by position desc limit 1), '0') as balance_after`,
      [user.id, wallet.id],
    )
    const { balance, transactions } = expected
    assert.equal(body.balance, balance)
    assert.deepEqual(row, {
      wallet_entries: String(balance),
      all_entries: '0',
      entries: 2 * transactions,
      transactions,
      events: transactions,
      balance_after: String(balance),
    })
  }

  return { holder, credit, debit, credited, assertBooked }
}
