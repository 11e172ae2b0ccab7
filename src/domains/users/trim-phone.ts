import type { FieldError } from '../../kernel/problem-error.ts'
import { isDialCode } from './is-dial-code.ts'

const E164_DIGITS_MAX = 15
const DIAL_CODE = /^\s*\+([1-9][0-9]{0,3})\s*$/

type Phone = { phone_country_code: string; phone_number: string }

/** Blanks around dial code and number do not count. */
export const trimPhone = ({ phone_country_code, phone_number }: Phone): Phone => ({
  phone_country_code: phone_country_code.trim(),
  phone_number: phone_number.trim(),
})

const MEMBERS = ['phone_country_code', 'phone_number'] as const

/** Dial code and number are found as one, so neither comes alone. */
export function halfPhone({ body }: { body: unknown }): FieldError[] {
  const missing = MEMBERS.filter((name) => !Object.hasOwn(body ?? {}, name))
  if (missing.length !== 1) return []
  return missing.map((name) => ({
    pointer: `/${name}`,
    code: 'required',
    detail: 'Dial code and number come together.',
  }))
}

/** Dial code and number are each of the right form; the dial code is assigned, and together they are an E.164 number. */
export function errorsOfPhone({ body }: { body: unknown }): FieldError[] {
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
  detail: 'A dial code is one that the ITU has assigned to a country, as +91, or +1 with an area code, as +1242.',
}

const TOO_MANY_DIGITS: FieldError = {
  pointer: '/phone_number',
  code: 'too_long',
  detail: `Must have, with the dial code, at most ${E164_DIGITS_MAX} digits.`,
}
