import type { FieldError } from '../../../kernel/problem-error.ts'

const E164_DIGITS_MAX = 15
const DIAL_CODE = /^\s*\+([1-9][0-9]{0,3})\s*$/

type Phone = { phone_country_code: string; phone_number: string }

/** Removes whitespace around dial code and number. */
export const trimPhone = ({ phone_country_code, phone_number }: Phone): Phone => ({
  phone_country_code: phone_country_code.trim(),
  phone_number: phone_number.trim(),
})

const MEMBERS = ['phone_country_code', 'phone_number'] as const

/** Returns an error when only one of dial code and number is sent, or is `null`: a phone is matched as a whole. */
export function validateWholePhone({ body }: { body: unknown }): FieldError[] {
  const sent = (body ?? {}) as Record<string, unknown>
  const isSent = (name: string) => Object.hasOwn(sent, name)
  const missing = MEMBERS.filter(
    (name) => !isSent(name) || (sent[name] === null && MEMBERS.some((one) => isSent(one) && sent[one] !== null)),
  )
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
  if (dialCode !== undefined && /^\s*0/.test(phone_number) && !LEADING_ZERO.has(dialCode)) errors.push(TRUNK_ZERO)
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

const TRUNK_ZERO: FieldError = {
  pointer: '/phone_number',
  code: 'format',
  detail: 'Must be without the 0 in front, which is dialled only within the country: with +91, 9876543210.',
}

/**
 * Dial codes under which a number can begin with 0 when it is called from abroad: Italy and its neighbours, what moved its
 * former trunk prefix into the number (Benin, Burkina Faso, Côte d’Ivoire, Congo, Gabon), and networks without a country.
 */
const LEADING_ZERO = new Set('225 226 229 241 242 378 379 39 800 808 870 878 881 882 883 979'.split(' '))

/**
 * Country codes that are assigned, from the list of ITU-T Recommendation E.164 (annex to the Operational Bulletin 1114 of 15
 * December 2016), those of satellite and other networks included, without trials and what was given back since (888); one
 * line for each world zone. 379 is assigned and not in use yet. After 1 an area code may follow, as for +1242.
 */
const ASSIGNED = new Set(
  `1
   20 211 212 213 216 218 220 221 222 223 224 225 226 227 228 229 230 231 232 233 234 235 236 237 238 239 240 241 242 243 244 245
   246 247 248 249 250 251 252 253 254 255 256 257 258 260 261 262 263 264 265 266 267 268 269 27 290 291 297 298 299
   30 31 32 33 34 350 351 352 353 354 355 356 357 358 359 36 370 371 372 373 374 375 376 377 378 379 380 381 382 383 385 386 387 389 39
   40 41 420 421 423 43 44 45 46 47 48 49
   500 501 502 503 504 505 506 507 508 509 51 52 53 54 55 56 57 58 590 591 592 593 594 595 596 597 598 599
   60 61 62 63 64 65 66 670 672 673 674 675 676 677 678 679 680 681 682 683 685 686 687 688 689 690 691 692
   7
   800 808 81 82 84 850 852 853 855 856 86 870 878 880 881 882 883 886
   90 91 92 93 94 95 960 961 962 963 964 965 966 967 968 970 971 972 973 974 975 976 977 979 98 992 993 994 995 996 998`.split(
    /\s+/,
  ),
)

const NORTH_AMERICAN = /^1[2-9][0-9]{2}$/

/** True for an assigned dial code, without the plus. */
const isDialCode = (digits: string): boolean => ASSIGNED.has(digits) || NORTH_AMERICAN.test(digits)
