import { checkCharset } from '../../../kernel/http/framing.ts'
import type { App } from '../../../kernel/http/server.ts'
import { oauthError, readableByOauthClients } from './errors.ts'

/** A body of 60,000 fields takes 200 ms to read, and anybody can send it. */
const FORM_FIELDS_MAX = 100

/** OAuth clients send form-encoded bodies, so only their operation accepts them, besides JSON. */
export function readFormFields(app: App): void {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    async ({ headers }: { headers: { 'content-type'?: string | undefined } }, body: string | Buffer) => {
      checkCharset(headers['content-type'])
      return formFields(String(body))
    },
  )
  app.setErrorHandler((error) => {
    throw readableByOauthClients(error)
  })
}

/** Returns the fields of a form. Throws 400 when there are too many, or one is repeated. */
function formFields(body: string): Record<string, string> {
  if (body.split('&', FORM_FIELDS_MAX + 1).length > FORM_FIELDS_MAX)
    throw oauthError('invalid_request', `A form has at most ${FORM_FIELDS_MAX} fields.`)
  const fields = new URLSearchParams(body)
  if (new Set(fields.keys()).size !== fields.size)
    throw oauthError('invalid_request', 'A form field is repeated. Send each field once.')
  return Object.fromEntries(fields)
}
