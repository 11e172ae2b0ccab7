import type { FieldError } from '../../kernel/problem-error.ts'

const E164_DIGITS_MAX = 15

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

/** Dial code and number are each of the right form; together they are an E.164 number. */
export function tooManyDigits({ body }: { body: unknown }): FieldError[] {
  const { phone_country_code, phone_number } = (body ?? {}) as Record<string, unknown>
  if (typeof phone_country_code !== 'string' || typeof phone_number !== 'string') return []
  if (`${phone_country_code}${phone_number}`.replaceAll(/[^0-9]/g, '').length <= E164_DIGITS_MAX) return []
  const detail = `Must have, with the dial code, at most ${E164_DIGITS_MAX} digits.`
  return [{ pointer: '/phone_number', code: 'too_long', detail }]
}
