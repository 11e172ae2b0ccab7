import { BYTE_ORDER_MARK } from '../../../kernel/http/json.ts'
import { oauthError } from './errors.ts'

/** A body of 60,000 fields takes 200 ms to read, and anybody can send it. */
const FORM_FIELDS_MAX = 100

/** Returns the fields of a form. Throws 400 when there are too many, or one is repeated. */
export function formFields(body: string): Record<string, string> {
  if (body.split('&', FORM_FIELDS_MAX + 1).length > FORM_FIELDS_MAX)
    throw oauthError('invalid_request', `A form has at most ${FORM_FIELDS_MAX} fields.`)
  const fields = new URLSearchParams(body.replace(BYTE_ORDER_MARK, ''))
  if (new Set(fields.keys()).size !== fields.size)
    throw oauthError('invalid_request', 'A form field is repeated. Send each field once.')
  return Object.fromEntries(fields)
}
