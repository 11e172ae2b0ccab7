import { PDF_DEFECTS, type PdfDefect } from './pdf-inspection/pdf-defects.ts'

/** What a partner needs to know about a code: what is wrong, how to fix it, and an example of the error. */
type FieldErrorKind = { meaning: string; remedy: string; example: { pointer: string; detail: string } }

const INPUT_ERRORS = {
  required: {
    meaning: 'Something that is needed is not there.',
    remedy: 'Send it.',
    example: { pointer: '/phone_number', detail: 'Is missing; send it.' },
  },
  type: {
    meaning: 'The value is of another JSON type. Nothing is converted: `"5"` is text and not a number.',
    remedy: 'Send the type that `detail` names.',
    example: { pointer: '/amount', detail: 'Must be a whole number.' },
  },
  format: {
    meaning: 'The value does not have the form that it must have.',
    remedy: 'Bring it into the form that `detail` describes.',
    example: {
      pointer: '/pan',
      detail: 'A PAN is five letters, four digits and a letter, in capitals, as AAAPL1234C.',
    },
  },
  unknown: {
    meaning: 'There is no such query parameter; in a body, with `Prefer: handling=strict`, no such member.',
    remedy: 'Look for a misspelt name, else leave it out.',
    example: { pointer: 'query:page', detail: 'Is not known here; leave it out.' },
  },
  not_allowed: {
    meaning: 'The value is not one of those allowed.',
    remedy: 'Choose one of those that `detail` lists. Capitals count.',
    example: { pointer: '/gender', detail: 'Must be one of: MALE, FEMALE, OTHER.' },
  },
  too_short: {
    meaning: 'The text has too few characters.',
    remedy: 'Send more of it, or leave the member out where it may be left out.',
    example: { pointer: '/first_name', detail: 'Must have at least 1 character.' },
  },
  too_long: {
    meaning: 'The text has too many characters.',
    remedy: 'Shorten it to the length that `detail` names.',
    example: { pointer: '/first_name', detail: 'Must have at most 200 characters.' },
  },
  too_few: {
    meaning: 'The list has too few entries.',
    remedy: 'Send at least as many as `detail` names.',
    example: { pointer: '/dependants', detail: 'Must have at least 1 entry.' },
  },
  too_many: {
    meaning: 'The list has too many entries.',
    remedy: 'Send the rest in further calls.',
    example: { pointer: '/dependants', detail: 'Must have at most 50 entries.' },
  },
  too_small: {
    meaning: 'The number is too small.',
    remedy: 'Send one within the bounds.',
    example: { pointer: 'query:limit', detail: 'Must be 1 or more.' },
  },
  too_large: {
    meaning: 'The number is too large.',
    remedy: 'Send one within the bounds.',
    example: { pointer: 'query:limit', detail: 'Must be 100 or less.' },
  },
  duplicate: {
    meaning: 'The same entry is in the list before.',
    remedy: 'Send each entry once.',
    example: { pointer: '/dependants/1', detail: 'Is the same as an entry before it; send each once.' },
  },
  unknown_reference: {
    meaning: 'A member of the body, or a parameter, names a thing that is not there, or is not yours.',
    remedy: 'Send the id of a thing that you can read.',
    example: { pointer: '/benefit_id', detail: 'There is no such benefit.' },
  },
  expired: {
    meaning: 'The place to go on from is further back than the list reaches.',
    remedy: 'Begin again without it. If you asked last within the time that the list reaches back, you miss nothing.',
    example: {
      pointer: 'query:after',
      detail: 'This event is older than 30 days; begin again without it.',
    },
  },
  unstorable_text: {
    meaning: 'The text holds U+0000 or half of a surrogate pair, which no JSON text should.',
    remedy: 'Take that character out; it usually comes from a text that was cut within a character.',
    example: { pointer: '/first_name', detail: 'Holds U+0000 or half of a surrogate pair; take it out.' },
  },
} as const satisfies Record<string, FieldErrorKind>

/** Every code an input error can have. */
export type FieldErrorCode = keyof typeof INPUT_ERRORS | PdfDefect

const PDF_REMEDY = 'Make another file, as `detail` says, and upload that one.'

/** The codes of `errors[].code`, with their documentation. */
export const FIELD_ERROR_CODES: Record<FieldErrorCode, FieldErrorKind> = {
  ...INPUT_ERRORS,
  ...mapValues(PDF_DEFECTS, (detail) => ({
    meaning: 'The uploaded file cannot be handed out as a document.',
    remedy: PDF_REMEDY,
    example: { pointer: '', detail },
  })),
}

function mapValues<Key extends string, From, To>(table: Record<Key, From>, map: (value: From) => To) {
  return Object.fromEntries(Object.entries<From>(table).map(([key, value]) => [key, map(value)])) as Record<Key, To>
}
