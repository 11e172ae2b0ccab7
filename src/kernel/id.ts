import { V7Generator } from 'uuidv7'
import { BASE32_DIGITS, toBase32 } from './base32.ts'
import { type Clock, systemClock } from './clock.ts'
import { randomUint32 } from './crypto/random.ts'

const generator = new V7Generator({ nextUint32: randomUint32 })

/** A clock set back by less than this does not show in ids: they ascend within a process. */
const SET_BACK_MS_MAX = 10_000

let clock: Clock = systemClock

/** Makes ids begin with the time of this clock, the same for all processes. */
export const dateIdsBy = (author: Clock): void => void (clock = author)

/** A UUIDv7 begins with Unix milliseconds. */
const TIME_BYTES = 6

/**
 * Returns a new public id: the prefix and a time-ordered UUIDv7 in base 32, e.g. `pol_06bnv3…`. Ids of one process are
 * ascending.
 */
export function newId(prefix: string): string {
  return `${prefix}_${toBase32(generator.generateOrResetCore(clock.now().getTime(), SET_BACK_MS_MAX).bytes)}`
}

/** Returns a lower bound for all ids with this prefix created at or after a time: ids begin with their time. */
export function firstIdAt(prefix: string, at: Date): string {
  const bytes = Buffer.alloc(TIME_BYTES)
  bytes.writeUIntBE(Math.max(0, at.getTime()), 0, TIME_BYTES)
  return `${prefix}_${toBase32(bytes)}`
}

const ID = new RegExp(`^[a-z]{3}_[${BASE32_DIGITS}]{26}$`)

export const isId = (value: unknown): value is string => typeof value === 'string' && ID.test(value)

const TIME_BITS = 48
const TIME_DIGITS = Math.ceil(TIME_BITS / 5)

/** Returns the creation time of a public id, to the millisecond; undefined when the id is malformed. */
export function timeOfId(id: string): Date | undefined {
  const digits = Array.from((id.split('_').at(-1) ?? '').slice(0, TIME_DIGITS), (digit) => BASE32_DIGITS.indexOf(digit))
  if (digits.length < TIME_DIGITS || digits.includes(-1)) return undefined
  const value = digits.reduce((total, digit) => total * 32 + digit, 0)
  return new Date(Math.floor(value / 2 ** (TIME_DIGITS * 5 - TIME_BITS)))
}
