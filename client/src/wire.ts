import { readInstant, writeInstant } from './instant.ts'
import { Money } from './money.ts'

/**
 * Translates between the service's JSON and values that cannot be mistaken. It goes by the names of the fields, which
 * the generator holds against the document: a table for each schema would be ten times the size, and would not know
 * the fields that a newer service adds. Everything else is kept as it is.
 */
export const INSTANT_NAME = /(^|_)(at|since)$|^(as_of|timestamp)$/
export const PAISE_NAMES = [
  'amount',
  'balance',
  'balance_after',
  'used',
  'left',
  'credits_a_month',
  'credits_a_year',
  'debits_a_month',
  'debits_a_year',
]
/** What a benefit provider stores here is its own, whatever its members are called. */
export const FREE_FORM = 'provider_metadata'

/** Amounts with a currency, so that a record that is passed on has them again, whatever their names are. */
const READ_IN_RUPEES = new WeakSet<Money>()

type Json = Record<string, unknown>

export function decode(value: unknown, name = ''): unknown {
  if (typeof value === 'string') return INSTANT_NAME.test(name) ? readInstant(value) : value
  if (typeof value === 'number') return PAISE_NAMES.includes(name) ? Money.paise(value) : value
  if (typeof value !== 'object' || value === null || name === FREE_FORM) return value
  if (Array.isArray(value)) return value.map((one) => decode(one, name))
  const record = value as Json
  const { currency, value: amount } = record
  if (typeof currency === 'string' && typeof amount === 'number') {
    const money = Money.rupees(String(amount), currency)
    READ_IN_RUPEES.add(money)
    return money
  }
  for (const [member, inner] of Object.entries(record)) {
    const decoded = decode(inner, member)
    if (decoded !== inner) record[member] = decoded
  }
  return record
}

/**
 * Returns a body, or a record that was read, as the service writes it: `JSON.stringify` would write times with their zone,
 * and amounts for people. An amount of a wallet must be `Money`: a bare number would be paise or rupees. Some operations take it in
 * rupees, as premiums are.
 */
export function encode(body: object, inRupees = false): string {
  return JSON.stringify(body, function (this: Json, name, value: unknown) {
    const original = this[name] // before `toJSON`
    // Only events have milliseconds.
    if (original instanceof Date) return name === 'timestamp' ? value : writeInstant(original)
    if (original instanceof Money) {
      const { paise, currency, rupees } = original
      if (PAISE_NAMES.includes(name) && !inRupees && !READ_IN_RUPEES.has(original)) return paise
      const value = Number(rupees)
      // Beyond 70 trillion rupees neighbouring paise are one number.
      if (Money.rupees(String(value)).paise !== paise) throw new RangeError('JSON cannot hold this many rupees exactly')
      return { currency, value }
    }
    if (this === body && PAISE_NAMES.includes(name) && value !== null && !(inRupees && value === undefined))
      throw new TypeError(`${name} must be Money`)
    return value
  })
}
