import assert from 'node:assert/strict'

/** The currencies of premiums. Wallets and the ledger are in rupees only and have no currency field. */
export const CURRENCIES = ['INR'] as const
export type Currency = (typeof CURRENCIES)[number]

/** Paise, an exact integer up to 2^53−1. Money is never a float internally. */
export type Paise = number

/** The largest rupee amount on the wire that is exact in paise. */
export const RUPEES_MAX = 90_000_000_000_000

/** Returns true for an amount in major units with at most two decimals. */
export function hasPaisePrecision(rupees: number): boolean {
  return Math.round(rupees * 100) / 100 === rupees
}

/** Converts major units from the wire to paise. */
export function toPaise(rupees: number): Paise {
  const paise = Math.round(rupees * 100)
  assert(Number.isSafeInteger(paise), 'an amount is validated before conversion')
  return paise
}

/** Converts paise to major units for the wire. */
export function toRupees(paise: Paise): number {
  return paise / 100
}

/** Presents an amount with its currency, in major units. */
export const toMoney = (paise: Paise, currency: Currency) => ({ currency, value: toRupees(paise) })

/** Returns so many parts of an amount, rounded to the paisa. Exact: the product may be larger than a double holds. */
export function shareOf(paise: Paise, { parts, of }: { parts: number; of: number }): Paise {
  const [whole, divisor] = [BigInt(paise) * BigInt(parts), BigInt(of)]
  return Number((2n * whole + divisor) / (2n * divisor))
}

// Made at first use: the data of languages that they load cost every start 20 ms of CPU time and 8 MB.
const formats: Partial<Record<Currency, Intl.NumberFormat>> = {}

/** Formats an amount for printed documents in India: `₹1,23,456.00`. */
export function formatMoney(paise: Paise, currency: Currency): string {
  const format = (formats[currency] ??= new Intl.NumberFormat('en-IN', { style: 'currency', currency }))
  return format.format(toRupees(paise))
}
