import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { verifyDeposits } from '../../../../src/domains/cover/deposits/index.ts'
import { compiledCode } from '../../../../src/kernel/compiled-code.ts'
import { openTestApp } from '../../../support/app.ts'
import { type Parties, withDeposits } from '../../../support/deposits.ts'
import { runCommand } from '../../../support/server.ts'

const t = await openTestApp({ own: true })
const { on, parties, paid, issued, setStatus } = withDeposits(t)

/** A deposit of ₹20,000, from which the premium of ₹12,045 was taken, and given back in part. */
async function booked(): Promise<Parties> {
  const at = await parties()
  on('2026-04-01')
  await paid(at, 20_000, '2026-04-01')
  const policy = await issued(at)
  assert.equal((await setStatus(policy, { status: 'ISSUED' })).status, 200)
  return at
}

const OF = 'sponsor_id = $1 and benefit_provider_id = $2'

/** Manipulations by somebody with full access to the database, as statements on the rows of one deposit. */
const TAMPERINGS: Record<string, string> = {
  'a balance that is higher': `update deposits set balance_paise = balance_paise + 1 where ${OF}`,
  'a balance that is lower': `update deposits set balance_paise = 0 where ${OF}`,
  'an amount that was paid in': `update deposit_entries set amount_paise = amount_paise + 1 where kind = 'TOP_UP' and ${OF}`,
  'the sign of a premium': `update deposit_entries set amount_paise = -amount_paise where kind = 'PREMIUM' and ${OF}`,
  'an entry that is gone': `delete from deposit_entries where kind = 'PREMIUM' and ${OF}`,
  'entries that are gone': `delete from deposit_entries where ${OF}`,
  'an entry that is of another deposit': `update deposit_entries set sponsor_id = 'spn_other' where kind = 'PREMIUM' and ${OF}`,
  'a deposit that is gone': `delete from deposits where ${OF}`,
}

const nameOf = ({ sponsor, provider }: Parties) => ({ sponsorId: sponsor, benefitProviderId: provider.id })

/** So that the next test does not find what another has broken. */
async function remove({ sponsor, provider }: Parties): Promise<void> {
  for (const table of ['deposits', 'deposit_entries'])
    await t.sql(`delete from ${table} where ${OF} or sponsor_id = 'spn_other'`, [sponsor, provider.id])
}

describe('verifyDeposits', () => {
  it('proves every balance from the entries, one without an entry and one below zero, too', async () => {
    const all = [await booked(), await booked()]
    const below = await booked()
    await paid(below, 20_000, '2026-04-01', 'REVERSAL')
    const empty = await parties()
    const low = { token: empty.provider.token, body: { amount: { currency: 'INR', value: 1 } } }
    assert.equal((await t.call('PUT', `${empty.deposit}/low_below`, low)).status, 200)
    assert.deepEqual(await verifyDeposits(t.db), { deposits: 4, wrong: [] })
    for (const at of [...all, below, empty]) await remove(at)
  })

  for (const [kind, text] of Object.entries(TAMPERINGS)) {
    it(`finds ${kind}, and nothing wrong with the others`, async () => {
      const [at, other] = [await booked(), await booked()]
      assert.deepEqual((await verifyDeposits(t.db)).wrong, [])
      await t.sql(text, [at.sponsor, at.provider.id])
      const { wrong } = await verifyDeposits(t.db)
      assert.deepEqual(
        wrong.filter(({ sponsorId }) => sponsorId !== 'spn_other'),
        [nameOf(at)],
      )
      for (const one of [at, other]) await remove(one)
    })
  }

  it('checks all of many deposits, batch by batch', async () => {
    const insert = (from: number, to: number) =>
      t.sql(
        `insert into deposits (sponsor_id, benefit_provider_id, created_at, last_modified_at)
         select 'spn_' || n / 10, 'bpr_' || n % 10, now(), now() from generate_series($1::int, $2::int) n`,
        [from, to],
      )
    await insert(0, 99)
    assert.deepEqual(await verifyDeposits(t.db), { deposits: 100, wrong: [] })
    await insert(100, 123)
    await t.sql(`update deposits set balance_paise = 1 where sponsor_id = 'spn_9' and benefit_provider_id = 'bpr_9'`)
    assert.deepEqual(await verifyDeposits(t.db), {
      deposits: 124,
      wrong: [{ sponsorId: 'spn_9', benefitProviderId: 'bpr_9' }],
    })
    await t.sql(`delete from deposits where sponsor_id ~ '^spn_[0-9]{1,2}$'`)
  })
})

describe('banyan ledger verify', () => {
  const dataDir = mkdtemp(join(tmpdir(), 'banyan-ledger-'))
  after(async () => rm(await dataDir, { recursive: true, force: true }))

  async function verify(...options: string[]) {
    const own = { PATH: String(process.env['PATH']), DATA_DIR: await dataDir, DATABASE_URL: t.appUrl }
    return runCommand(['ledger', 'verify', ...options], { ...compiledCode(), ...own })
  }

  it('exits with 0 when all balances of deposits are right and with 1 when one is wrong, naming it', async () => {
    const at = await booked()
    const right = await verify()
    assert.deepEqual([right.code, right.stdout], [0, '0 wallets, 0 transactions, 1 deposits, 0 wrong\n'], right.stderr)
    await t.sql(`update deposits set balance_paise = 1 where ${OF}`, [at.sponsor, at.provider.id])
    const name = `deposit:${at.sponsor}:${at.provider.id}`
    const wrong = await verify()
    assert.deepEqual(
      [wrong.code, wrong.stdout],
      [1, `wrong: ${name}\n0 wallets, 0 transactions, 1 deposits, 1 wrong\n`],
      wrong.stderr,
    )
    const json = await verify('--json')
    assert.deepEqual(JSON.parse(json.stdout), { wallets: 0, transactions: 0, deposits: 1, wrong: [name] })
    await remove(at)
    assert.equal((await verify()).stdout, '0 wallets, 0 transactions, 0 wrong\n', 'who has none sees nothing of them')
  })
})
