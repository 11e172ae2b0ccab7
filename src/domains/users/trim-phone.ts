import type { FieldError } from '../../kernel/problem-error.ts'

const E164_DIGITS_MAX = 15

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

/** Returns an error when dial code and number are valid each but together exceed E.164. */
export function validatePhoneLength({ body }: { body: unknown }): FieldError[] {
  const { phone_country_code, phone_number } = (body ?? {}) as Record<string, unknown>
  if (typeof phone_country_code !== 'string' || typeof phone_number !== 'string') return []
  if (`${phone_country_code}${phone_number}`.replaceAll(/[^0-9]/g, '').length <= E164_DIGITS_MAX) return []
  const detail = `Must have at most ${E164_DIGITS_MAX} digits, including the dial code.`
  return [{ pointer: '/phone_number', code: 'too_long', detail }]
}
