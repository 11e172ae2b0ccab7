import { PDF_DEFECTS, type PdfDefect } from './pdf-inspection/pdf-defects.ts'

/** What a partner needs to know about a code: what is wrong, how to fix it, and an example of the error. */
type FieldErrorKind = { meaning: string; remedy: string; example: { pointer: string; detail: string } }

const INPUT_ERRORS = {
  required: {
    meaning: 'A required value is missing.',
    remedy: 'Send it.',
    example: { pointer: '/phone_number', detail: 'Required.' },
  },
  type: {
    meaning: 'The value has the wrong JSON type. Nothing is converted: `"5"` is a string, not a number.',
    remedy: 'Send the type that `detail` names.',
    example: { pointer: '/amount', detail: 'Must be a whole number.' },
  },
  format: {
    meaning: 'The value has the wrong format.',
    remedy: 'Send it in the format that `detail` describes.',
    example: {
      pointer: '/pan',
      detail: 'A PAN is five capital letters, four digits and a capital letter, such as AAAPL1234C.',
    },
  },
  unknown: {
    meaning: 'The query parameter is unknown; with `Prefer: handling=strict` also: the member of the body is unknown.',
    remedy: 'Check the spelling of the name, or remove it.',
    example: { pointer: 'query:page', detail: 'Unknown name. Check the spelling, or remove it.' },
  },
  not_allowed: {
    meaning: 'The value is not allowed.',
    remedy: 'Send one of the values that `detail` lists. Upper and lower case matter.',
    example: { pointer: '/gender', detail: 'Must be one of: MALE, FEMALE, OTHER.' },
  },
  too_short: {
    meaning: 'The string has too few characters.',
    remedy: 'Send a longer string, or omit the member if it is optional.',
    example: { pointer: '/first_name', detail: 'Must have at least 1 character.' },
  },
  too_long: {
    meaning: 'The string has too many characters.',
    remedy: 'Shorten it to the length given in `detail`.',
    example: { pointer: '/first_name', detail: 'Must have at most 200 characters.' },
  },
  too_few: {
    meaning: 'The list has too few entries.',
    remedy: 'Send at least the number given in `detail`.',
    example: { pointer: '/dependants', detail: 'Must have at least 1 entry.' },
  },
  too_many: {
    meaning: 'The list has too many entries.',
    remedy: 'Send the rest in further requests.',
    example: { pointer: '/dependants', detail: 'Must have at most 50 entries.' },
  },
  too_small: {
    meaning: 'The number is too small.',
    remedy: 'Send a number within the limit given in `detail`.',
    example: { pointer: 'query:limit', detail: 'Must be 1 or more.' },
  },
  too_large: {
    meaning: 'The number is too large, or the day too late.',
    remedy: 'Send a value within the limit given in `detail`.',
    example: { pointer: 'query:limit', detail: 'Must be 100 or less.' },
  },
  duplicate: {
    meaning: 'The entry repeats an earlier one.',
    remedy: 'Send each entry once.',
    example: { pointer: '/dependants/1', detail: 'Repeats an earlier entry. Send each entry once.' },
  },
  unknown_reference: {
    meaning: 'A member of the body or a parameter refers to a record that does not exist or is not yours.',
    remedy: 'Send the id of a record that you can read.',
    example: { pointer: '/benefit_id', detail: 'The user’s platform has no benefit with this id.' },
  },
  expired: {
    meaning: 'The cursor is older than the list.',
    remedy: 'Start again without it. If your last request was within the time that the list covers, you miss nothing.',
    example: {
      pointer: 'query:after',
      detail: 'This event is older than 30 days. Start again without a cursor.',
    },
  },
  unstorable_text: {
    meaning: 'The string contains U+0000 or an unpaired surrogate, which cannot be stored.',
    remedy: 'Remove that character; it usually comes from a string that was cut inside a character.',
    example: { pointer: '/first_name', detail: 'Contains U+0000 or an unpaired surrogate. Remove it.' },
  },
} as const satisfies Record<string, FieldErrorKind>

export type FieldErrorCode = keyof typeof INPUT_ERRORS | PdfDefect

const PDF_REMEDY = 'Create a new file as `detail` says, and upload it.'

/** The codes of `errors[].code`, with their documentation. */
export const FIELD_ERROR_CODES: Record<FieldErrorCode, FieldErrorKind> = {
  ...INPUT_ERRORS,
  ...mapValues(PDF_DEFECTS, (detail) => ({
    meaning: 'The uploaded file cannot be used as a document.',
    remedy: PDF_REMEDY,
    example: { pointer: '', detail },
  })),
}

function mapValues<Key extends string, From, To>(table: Record<Key, From>, map: (value: From) => To) {
  return Object.fromEntries(Object.entries<From>(table).map(([key, value]) => [key, map(value)])) as Record<Key, To>
}
