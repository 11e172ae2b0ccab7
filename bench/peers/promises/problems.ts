// Errors as RFC 9457 has them, with the codes and titles of the product.

const TITLES = {
  malformed_json: { status: 400, title: 'Malformed JSON' },
  unauthenticated: { status: 401, title: 'Not authenticated' },
  token_expired: { status: 401, title: 'Token expired' },
  forbidden: { status: 403, title: 'Forbidden' },
  not_found: { status: 404, title: 'Not found' },
  conflict: { status: 409, title: 'Conflict' },
  validation_failed: { status: 422, title: 'Invalid input' },
  internal: { status: 500, title: 'Internal error' },
  unavailable: { status: 503, title: 'Unavailable' },
} as const

export type FieldError = { pointer: string; detail: string }

export class Problem extends Error {
  readonly code: keyof typeof TITLES
  readonly members: object

  constructor(code: keyof typeof TITLES, detail: string, members: object = {}) {
    super(detail)
    this.code = code
    this.members = members
  }
}

export const notFound = () => new Problem('not_found', 'Not found, or not yours.')

/** Several rules that one value breaks are one error. */
export function invalid(errors: FieldError[]): Problem {
  const each = [...new Map(errors.map((error) => [error.pointer, error])).values()]
  const detail = each.length === 1 ? 'The input has one error.' : `The input has ${each.length} errors.`
  return new Problem('validation_failed', detail, { errors: each })
}

/** Outside the body, the pointer of an error names the parameter. */
export const pointerIn = (source: string, path: string): string =>
  source === 'body' ? path : `${PARAMETERS[source] ?? source}:${path.split('/')[1] ?? ''}`

/** What the frameworks call the parts of a request. */
const PARAMETERS: Record<string, string> = { params: 'path', querystring: 'query' }

const HEADERS = { 'content-type': 'application/problem+json; charset=utf-8', 'cache-control': 'no-store' }

/** Anything but a `Problem` says nothing about itself. */
export function problemResponse(error: unknown, { issuer, requestId }: { issuer: string; requestId: string }) {
  if (!(error instanceof Problem)) console.error(error)
  const { code, message, members } =
    error instanceof Problem ? error : new Problem('internal', 'An internal error occurred.')
  const { status, title } = TITLES[code]
  const instance = `urn:banyan:request:${requestId}`
  const type = `${issuer}/docs/errors#${code}`
  const body = { type, title, status, detail: message, instance, code, request_id: requestId, ...members }
  return { status, headers: { ...HEADERS, 'x-request-id': requestId }, body: JSON.stringify(body) }
}
