import type { FieldError } from '../../../kernel/problem-error.ts'
import { isDialCode } from './is-dial-code.ts'

const E164_DIGITS_MAX = 15
const DIAL_CODE = /^\s*\+([1-9][0-9]{0,3})\s*$/

type Phone = { phone_country_code: string; phone_number: string }

/** Removes whitespace around dial code and number. */
export const trimPhone = ({ phone_country_code, phone_number }: Phone): Phone => ({
  phone_country_code: phone_country_code.trim(),
  phone_number: phone_number.trim(),
})

const MEMBERS = ['phone_country_code', 'phone_number'] as const

/** Returns an error when only one of dial code and number is sent: a phone is matched as a whole. */
export function validateWholePhone({ body }: { body: unknown }): FieldError[] {
  const missing = MEMBERS.filter((name) => !Object.hasOwn(body ?? {}, name))
  if (missing.length !== 1) return []
  return missing.map((name) => ({
    pointer: `/${name}`,
    code: 'required',
    detail: 'Required: dial code and number are sent together.',
  }))
}

/** Returns errors unless the dial code is assigned and code and number together fit E.164; each is well-formed already. */
export function validatePhone({ body }: { body: unknown }): FieldError[] {
  const { phone_country_code, phone_number } = (body ?? {}) as Record<string, unknown>
  if (typeof phone_country_code !== 'string') return []
  const dialCode = DIAL_CODE.exec(phone_country_code)?.[1]
  const errors = dialCode === undefined || isDialCode(dialCode) ? [] : [UNASSIGNED]
  if (typeof phone_number !== 'string') return errors
  const digits = `${phone_country_code}${phone_number}`.replaceAll(/[^0-9]/g, '').length
  return digits <= E164_DIGITS_MAX ? errors : [...errors, TOO_MANY_DIGITS]
}

const UNASSIGNED: FieldError = {
  pointer: '/phone_country_code',
  code: 'format',
  detail: 'Must be a dial code that the ITU has assigned, such as +91, or +1 with an area code, such as +1242.',
}

const TOO_MANY_DIGITS: FieldError = {
  pointer: '/phone_number',
  code: 'too_long',
  detail: `Must have at most ${E164_DIGITS_MAX} digits, including the dial code.`,
}
