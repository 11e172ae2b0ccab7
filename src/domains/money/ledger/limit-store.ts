import { startOfDay, todayIn } from '../../../kernel/clock.ts'
import { columns, integer } from '../../../kernel/db/columns.ts'
import { onlyRow, statement } from '../../../kernel/db/database.ts'
import type { Deps } from '../../../record/index.ts'
import { type Counted, financialYearOf, monthOf } from './check-limits.ts'
import type { Wallet } from '../wallets/records.ts'

const BOOKED = columns('b', {
  credits_a_month: integer('credits_a_month'),
  credits_a_year: integer('credits_a_year'),
  debits_a_month: integer('debits_a_month'),
  debits_a_year: integer('debits_a_year'),
})

/** A sum above what is exact is above every limit. */
const sumOf = (column: string, which: string) =>
  `least(coalesce(sum(t.amount_paise) filter (where ${which}), 0), ${Number.MAX_SAFE_INTEGER})::bigint as ${column}`
const CREDITS = "t.transaction_type = 'CREDIT'"
const DEBITS = "t.transaction_type = 'DEBIT'"

/** The bookings of the wallet of a user `$1` in a month and the financial year around it, without refunds. */
const SUM = statement(
  'ledger_transactions_sum',
  `select ${sumOf('credits_a_month', `${CREDITS} and t.created_at >= $2`)},
          ${sumOf('credits_a_year', CREDITS)},
          ${sumOf('debits_a_month', `${DEBITS} and t.created_at >= $2`)},
          ${sumOf('debits_a_year', DEBITS)}
     from ledger_transactions t
    where t.user_id = $1 and t.created_at >= $3 and t.refund_of is null`,
)

/**
 * Returns the limits of a wallet with what its bookings use of them; undefined, without a query, where nothing is
 * limited. To be read after the wallet, whose revision then guards the sums.
 */
export async function countAgainstLimits(
  { db, walletLimits }: Deps,
  { userId, platformId }: Wallet,
  at: Date,
): Promise<Counted | undefined> {
  const day = todayIn({ now: () => at })
  const limits = walletLimits.on(platformId, day)
  if (!limits) return undefined
  const since = [monthOf(day), financialYearOf(day)].map((first) => startOfDay(first).toISOString())
  const row = onlyRow(await db.query<object>(SUM, [userId, ...since]))
  return { day, limits, booked: BOOKED.decode(row) }
}
