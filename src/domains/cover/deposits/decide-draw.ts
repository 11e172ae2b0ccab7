import { type Day, daysBetween, lastDayOfTerm } from '../../../kernel/date.ts'
import { formatMoney, type Paise, shareOf } from '../../../kernel/money.ts'
import { depositShort } from '../../../kernel/problem-error.ts'
import { isShortTerm } from '../policies/states.ts'

/** What a deposit holds, and what its entries of each day add up to, the earliest day first. */
export type DailyBalance = { balancePaise: Paise; days: readonly { on: Day; paise: Paise }[] }

type Term = { startDate: Day; endDate: Day; termsFrom: Day | null; termMonths: number; premiumAnnualPaise: Paise }

/**
 * Returns the premium of a term: the annual amount × its months ÷ 12; of a first term that ends earlier than the plan's, by its days of the
 * year that begins with it, as refunds are estimated. Pure.
 */
export function premiumOf({ startDate, endDate, termsFrom, termMonths, premiumAnnualPaise }: Term): Paise {
  const share = isShortTerm({ termsFrom, endDate })
    ? { parts: daysBetween(startDate, endDate), of: daysBetween(startDate, lastDayOfTerm(startDate, 12)) }
    : { parts: termMonths, of: 12 }
  return shareOf(premiumAnnualPaise, share)
}

/**
 * Returns the first day from `from` on since which a deposit has held an amount without a break, which is `from` at the earliest and today at the
 * latest. Pure. Throws 409 `deposit_short` when it does not hold the amount today.
 */
export function decideDraw(deposit: DailyBalance, paise: Paise, from: Day): Day {
  const missing = paise - deposit.balancePaise
  if (missing > 0) throw lacks(missing, paise)
  return balancesBefore(deposit, from).find(({ before }) => before < paise)?.on ?? from
}

/** What a deposit held before each day after one on which it changed, the last day first. */
function balancesBefore({ balancePaise, days }: DailyBalance, from: Day): { on: Day; before: Paise }[] {
  let before = balancePaise
  const later = days.filter(({ on }) => on > from).toReversed()
  return later.map(({ on, paise }) => ({ on, before: (before -= paise) }))
}

/** Creates the 409 of a deposit that lacks some of an amount. */
const lacks = (missing: Paise, paise: Paise) =>
  depositShort(
    `The deposit lacks ${formatMoney(missing, 'INR')}: it holds ${formatMoney(paise - missing, 'INR')} of ${formatMoney(paise, 'INR')}.`,
    missing,
  )

/** Throws 409 `deposit_short` when a deposit has held an amount only since a later day than the one that cover begins on. Pure. */
export function checkHeldSince(deposit: DailyBalance, paise: Paise, from: Day): void {
  const since = decideDraw(deposit, paise, from)
  if (since <= from) return
  const lowest = Math.min(...balancesBefore(deposit, from).map(({ before }) => before))
  const detail = `The deposit has held ${formatMoney(paise, 'INR')} since ${since} only. No day before can be covered for it.`
  throw depositShort(detail, paise - lowest, since)
}
