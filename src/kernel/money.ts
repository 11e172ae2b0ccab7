import assert from 'node:assert/strict'

/** The currencies of premiums (contract 2.6). Wallets and the ledger are in rupees alone and name none. */
export const CURRENCIES = ['INR'] as const
export type Currency = (typeof CURRENCIES)[number]

/** Paise, an exact integer up to 2^53−1. Money is never a float inside the program. */
export type Paise = number

/** Largest rupee amount on the wire whose paise are still exact. */
export const RUPEES_MAX = 90_000_000_000_000

/** True for a number with at most two decimals, as amounts in major units are sent. */
export function hasPaisePrecision(rupees: number): boolean {
  return Math.round(rupees * 100) / 100 === rupees
}

/** Major units from the wire to paise. */
export function toPaise(rupees: number): Paise {
  const paise = Math.round(rupees * 100)
  assert(Number.isSafeInteger(paise), 'an amount was checked before it came here')
  return paise
}

/** Paise to major units for the wire. */
export function toRupees(paise: Paise): number {
  return paise / 100
}

const formats: Record<Currency, Intl.NumberFormat> = {
  INR: new Intl.NumberFormat('en-IN', { style: 'currency', currency: 'INR' }),
}

/** As it is written in India: `₹1,23,456.00`. */
export const formatMoney = (paise: Paise, currency: Currency): string => formats[currency].format(toRupees(paise))
