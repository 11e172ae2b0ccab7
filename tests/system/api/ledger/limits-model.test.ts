import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Actor } from '../../../../src/access/caller.ts'
import { limitsOn, type WalletLimits } from '../../../../src/access/wallet-limits.ts'
import { book } from '../../../../src/domains/money/ledger/book.ts'
import { verifyLedger } from '../../../../src/domains/money/ledger/index.ts'
import { ProblemError } from '../../../../src/kernel/problem-error.ts'
import { type Author, applyWithRetry } from '../../../../src/record/index.ts'
import { openTestApp } from '../../../support/app.ts'

/** How many bookings are tried; a longer run is asked for by hand. */
const BOOKINGS = Number(process.env['LIMITED_BOOKINGS'] ?? 3_000)
const WALLETS = Math.ceil(BOOKINGS / 375)
const AT_ONCE = 64

const LIMITS: WalletLimits[] = [
  { from_day: '2027-01-01', balance: 900, credits_a_month: 700, credits_a_year: 2_500, debits_a_month: 400 },
  { from_day: '2027-04-20', balance: 600, credits_a_month: 800, debits_a_year: 900 },
]
const [FIRST, LAST] = ['2027-02-10T00:00:00Z', '2027-06-20T00:00:00Z'].map((text) => Date.parse(text)) as [
  number,
  number,
]

const t = await openTestApp({ own: true })
const platform = await t.platform()
const users: string[] = []
for (let n = 0; n < WALLETS; n++) {
  const user = await t.user(platform)
  await t.wallet(platform, user)
  users.push(user.id)
}
await t.made('PUT', `/v1/platforms/${platform.id}/wallet_limits`, {
  token: t.operator,
  body: { wallet_limits: LIMITS },
})
await t.deps.walletLimits.read()
const by: Actor = {
  caller: { kind: 'platform', platformId: platform.id, epoch: 0, credentialId: 'model' },
  requestId: 'req_model',
}

type Booked = {
  id: string
  type: 'CREDIT' | 'DEBIT'
  amount: number
  refund_of: string | null
  at: number
  balance: number
}

const DAY_MS = 86_400_000
const INDIA_MS = 330 * 60_000
/** The day in India, written without the functions that are tried. */
const dayOf = (at: number) => new Date(at + INDIA_MS).toISOString().slice(0, 10)
const yearOf = (day: string) => (day.slice(5, 7) >= '04' ? Number(day.slice(0, 4)) : Number(day.slice(0, 4)) - 1)

/** Returns what of the limits a wallet with these bookings exceeds with the last of them. */
function exceeded(bookings: readonly Booked[]): string[] {
  const last = bookings.at(-1)
  const limits = last && limitsOn(LIMITS, dayOf(last.at))
  if (!last || !limits || last.refund_of !== null) return []
  const day = dayOf(last.at)
  const sum = (type: Booked['type'], isIn: (day: string) => boolean) =>
    bookings
      .filter((one) => one.type === type && one.refund_of === null && isIn(dayOf(one.at)))
      .reduce((total, { amount }) => total + amount, 0)
  const inMonth = (other: string) => other.slice(0, 7) === day.slice(0, 7)
  const inYear = (other: string) => yearOf(other) === yearOf(day)
  const used = {
    balance: last.type === 'CREDIT' ? last.balance : 0,
    credits_a_month: last.type === 'CREDIT' ? sum('CREDIT', inMonth) : 0,
    credits_a_year: last.type === 'CREDIT' ? sum('CREDIT', inYear) : 0,
    debits_a_month: last.type === 'DEBIT' ? sum('DEBIT', inMonth) : 0,
    debits_a_year: last.type === 'DEBIT' ? sum('DEBIT', inYear) : 0,
  }
  return Object.entries(used).flatMap(([name, amount]) =>
    amount > (limits[name as keyof typeof used] ?? Number.POSITIVE_INFINITY) ? [name] : [],
  )
}

const stored = (userId: string) =>
  t.sql<Booked>(
    `select transaction_id as id, transaction_type as type, amount_paise::int as amount, refund_of,
            (extract(epoch from created_at) * 1000)::float8 as at, balance_after_paise::int as balance
       from ledger_transactions where user_id = $1 order by position`,
    [userId],
  )

const random = (below: number) => Math.floor(Math.random() * below)

describe('limits of wallets under bookings at once', () => {
  it('are exceeded by no booking, nor is more given back than was booked; what is refused would have exceeded one', async () => {
    const known = new Map<string, string[]>(users.map((id) => [id, []]))
    const seen: Record<string, number> = {}
    let next = 0
    const worker = async () => {
      for (let n = next++; n < BOOKINGS; n = next++) {
        const userId = users[random(users.length)] as string
        const type = random(5) < 3 ? 'CREDIT' : 'DEBIT'
        const ids = known.get(userId) ?? []
        const refund_of = ids.length > 0 && random(4) === 0 ? ids[random(ids.length)] : undefined
        const input = { amount: 1 + random(120), reference: `no-${n}`, ...(refund_of && { refund_of }) }
        const at = new Date(FIRST + ((LAST - FIRST) * n) / BOOKINGS)
        const outcome = await applyWithRetry(
          t.deps,
          by,
          (now: Author) => book(t.deps, { userId, type, input }, { ...now, at }),
          { serializeBy: userId },
        ).then(
          ({ id }) => {
            ids.push(id)
            return refund_of ? 'refunded' : 'booked'
          },
          (error: unknown) => {
            assert(error instanceof ProblemError, String(error))
            const { limit, reason } = error.members as { limit?: string; reason?: string }
            return limit ?? reason ?? error.code
          },
        )
        seen[outcome] = (seen[outcome] ?? 0) + 1
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, worker))

    for (const userId of users) {
      const bookings = await stored(userId)
      const refunds = new Map<string, number>()
      for (const [index, { refund_of, amount, type }] of bookings.entries()) {
        assert.deepEqual(exceeded(bookings.slice(Math.max(0, index - 4_000), index + 1)), [])
        if (refund_of === null) continue
        const refunded = bookings.find(({ id }) => id === refund_of)
        const total = (refunds.get(refund_of) ?? 0) + amount
        refunds.set(refund_of, total)
        assert(refunded && refunded.type !== type && refunded.refund_of === null && total <= refunded.amount)
      }
    }
    for (const outcome of ['booked', 'refunded', 'balance', 'credits_a_month', 'debits_a_month', 'refund_exceeds'])
      assert((seen[outcome] ?? 0) > 0, `${outcome} was never the outcome: ${JSON.stringify(seen)}`)
    assert.equal(seen['internal'], undefined)
    const report = await verifyLedger(t.db, () => {})
    assert.deepEqual(report.wrong, [])
  })

  it('refuse only what would exceed them, one booking after the other', async () => {
    const userId = (await holderOf()).id
    const bookings: Booked[] = []
    let at = FIRST
    for (let n = 0; n < 400; n++) {
      at += random((2 * DAY_MS * 130) / 400)
      const type = random(5) < 3 ? 'CREDIT' : 'DEBIT'
      const amount = 1 + random(150)
      const before = bookings.at(-1)?.balance ?? 0
      const balance = type === 'CREDIT' ? before + amount : before - amount
      const attempt: Booked = { id: '', type, amount, refund_of: null, at, balance }
      const expected = balance < 0 ? ['insufficient_balance'] : exceeded([...bookings, attempt])
      const write = applyWithRetry(t.deps, by, (now: Author) =>
        book(t.deps, { userId, type, input: { amount, reference: `no-${n}` } }, { ...now, at: new Date(at) }),
      )
      const refused = await write.then(
        () => undefined,
        (error: unknown) => (error instanceof ProblemError ? error.members : assert.fail(String(error))),
      )
      if (refused === undefined) {
        assert.deepEqual(expected, [])
        bookings.push(attempt)
      } else
        assert(expected.includes(String(refused['limit'] ?? refused['reason'])), JSON.stringify([refused, expected]))
    }
    assert(bookings.length > 20)
  })
})

async function holderOf() {
  const user = await t.user(platform)
  await t.wallet(platform, user)
  return user
}
