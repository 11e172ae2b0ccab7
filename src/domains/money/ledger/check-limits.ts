import { LIMIT_NAMES, type LimitName, type WalletLimits } from '../../../access/wallet-limits.ts'
import { addMonths, type Day } from '../../../kernel/date.ts'
import type { Paise } from '../../../kernel/money.ts'
import { limitReached } from '../../../kernel/problem-error.ts'

/** What the bookings of a wallet add up to in the month and the financial year of a day, without refunds. */
export type Booked = Record<Exclude<LimitName, 'balance'>, Paise>

/** The limits that hold for a wallet on a day, and what of them is used. */
export type Counted = { day: Day; limits: WalletLimits; booked: Booked }

export const monthOf = (day: Day): Day => `${day.slice(0, 7)}-01`

/** Returns the first day of the financial year of a day: 1 April. */
export function financialYearOf(day: Day): Day {
  const year = Number(day.slice(0, 4))
  return `${day.slice(5) < '04-01' ? year - 1 : year}-04-01`
}

/** Returns the day on which a count begins again; null for the balance, which has none. */
function freeOn(name: LimitName, day: Day): Day | null {
  if (name === 'balance') return null
  return name.endsWith('month') ? addMonths(monthOf(day), 1) : addMonths(financialYearOf(day), 12)
}

const WORDS: Record<LimitName, string> = {
  balance: 'A balance',
  credits_a_month: 'Credits of a month',
  credits_a_year: 'Credits of a financial year',
  debits_a_month: 'Debits of a month',
  debits_a_year: 'Debits of a financial year',
}

type Direction = 'CREDIT' | 'DEBIT'

const LIMITS_OF: Record<Direction, readonly LimitName[]> = {
  CREDIT: ['balance', 'credits_a_year', 'credits_a_month'],
  DEBIT: ['debits_a_year', 'debits_a_month'],
}

/**
 * Throws 409 `conflict` `limit_reached` when a booking would exceed a limit, and names the one that is free last. Refunds
 * are not checked: what is due to a person is not lost, and a correction is no spending.
 */
export function checkLimits(counted: Counted, booking: { type: Direction; amount: Paise; balancePaise: Paise }): void {
  const { type, amount, balancePaise } = booking
  for (const name of LIMITS_OF[type]) {
    const { limit, left, free_on } = countOf(name, counted, balancePaise) ?? {}
    if (limit === undefined || left === undefined || amount <= left) continue
    const until = free_on ? ` The count begins again on ${free_on}.` : ''
    const detail = `${WORDS[name]} may be at most ${counted.limits[name]} paise; ${left} are left.${until}`
    throw limitReached(detail, { limit, left_paise: left, free_on: free_on ?? null })
  }
}

/** Returns one limit with what is used and left of it; undefined where it does not hold. */
function countOf(name: LimitName, { day, limits, booked }: Counted, balancePaise: Paise) {
  const amount = limits[name]
  if (amount === undefined) return undefined
  const used = name === 'balance' ? balancePaise : booked[name]
  return { limit: name, amount, used, left: Math.max(0, amount - used), free_on: freeOn(name, day) }
}

/** Presents the limits that hold for a wallet. */
export const presentLimits = (counted: Counted, balancePaise: Paise) =>
  LIMIT_NAMES.flatMap((name) => countOf(name, counted, balancePaise) ?? [])
