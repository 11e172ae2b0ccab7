import { PDF_DEFECTS, type PdfDefect } from './pdf-inspection/pdf-defects.ts'

const INPUT_ERROR_CODES = [
  'required',
  'type',
  'format',
  'unknown',
  'not_allowed',
  'too_short',
  'too_long',
  'too_few',
  'too_many',
  'too_small',
  'too_large',
  'duplicate',
  'unknown_reference',
  'expired',
  'unstorable_text',
] as const

export type InputErrorCode = (typeof INPUT_ERROR_CODES)[number]
export type FieldErrorCode = InputErrorCode | PdfDefect

/** The codes of `errors[].code`. What callers read about them is in `domains/problem-descriptions.ts`. */
export const FIELD_ERROR_CODES: readonly FieldErrorCode[] = [
  ...INPUT_ERROR_CODES,
  ...(Object.keys(PDF_DEFECTS) as PdfDefect[]),
]
