import type { HeaderDescription } from '../kernel/http/openapi-operations.ts'

const text = (description: string, ...examples: string[]) => ({ description, schema: { type: 'string', examples } })

const HEADERS: HeaderDescription['headers'] = {
  'X-Request-Id': text(
    'Identifies the request in our log. Your own value is kept if it is 8 to 64 letters, digits, `_` or `-`.',
    'req_06bnv3kq0r3cj8m3w0h2d8y6xg',
  ),
  ETag: text('The version of this record. Send it as `If-None-Match` or `If-Match`.', '"2jm8KdPq0rXb5nLw7TzYcA"'),
  Location: text('URL of the new record, or the target of a redirect.', '/v1/sponsors/spn_06bnv3m2r8f1s4k7q9t3v6w0y2'),
  Link: text(
    'Links to other pages (RFC 8288): `first`, `prev`, `next` and `last`, if they exist.',
    '</v1/sponsors?limit=20&offset=20>; rel="next"',
  ),
  'RateLimit-Policy': text(
    'Limits that apply to the caller, if any: requests (`q`) per window of seconds (`w`).',
    '"platform";q=200;w=1',
  ),
  RateLimit: text('Requests left (`r`), and seconds until the limit is fully restored (`t`).', '"platform";r=199;t=1'),
  'Retry-After': {
    description: 'Seconds to wait before the next attempt.',
    schema: { type: 'integer', examples: [2] },
  },
  'WWW-Authenticate': text('Authentication scheme to use (RFC 9110, 11.6.1).', 'Bearer error="invalid_token"'),
  Allow: text('Methods that the URL supports.', 'GET, HEAD, POST'),
  'Idempotent-Replayed': text('`true` if this is the stored response to an earlier request with the same key.', 'true'),
  'Preference-Applied': text('`handling=strict`, if it was requested.', 'handling=strict'),
  'Set-Cookie': text(
    'Sets or deletes a cookie that scripts cannot read. Can occur twice.',
    '__Host-banyan_session=0123456789abcdef; Path=/; Max-Age=28800; HttpOnly; Secure; SameSite=Lax',
  ),
  'Content-Disposition': text(
    'Suggested file name.',
    'attachment; filename="policy_certificate-pol_06bnv3m2r8f1s4k7q9t3v6w0y2.pdf"',
  ),
}

const header = (name: string, description: string, ...examples: string[]) => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string', examples },
})

const PARAMETERS: HeaderDescription['parameters'] = {
  IfMatch: header(
    'If-Match',
    'An `ETag`. The request is executed only if the record still has this version; otherwise 412.',
    '"2jm8KdPq0rXb5nLw7TzYcA"',
  ),
  IfNoneMatch: header(
    'If-None-Match',
    'An `ETag`. If the record still has this version, the response is a 304 without a body.',
    '"2jm8KdPq0rXb5nLw7TzYcA"',
  ),
  IdempotencyKey: header(
    'Idempotency-Key',
    'Unique for each new request, such as a UUID. Repeating the request with the same key within 24 hours returns the same response and does nothing twice.',
    '7f2c1c5e-5d0e-4c63-9d5b-1f9d0f6f2a11',
  ),
  Prefer: header(
    'Prefer',
    '`handling=strict` makes unknown members of the body an error; otherwise they are ignored (RFC 7240).',
    'handling=strict',
  ),
  Purpose: {
    ...header(
      'Purpose',
      'Why you access personal data, in a few words and without names. It is recorded in the audit, and the person can read it. It can be required of administrators.',
      'Ticket 4711: the card did not arrive',
    ),
    schema: { type: 'string', minLength: 1, maxLength: 200, examples: ['Ticket 4711: the card did not arrive'] },
  },
}

export const HEADER_DESCRIPTIONS: HeaderDescription = { headers: HEADERS, parameters: PARAMETERS }
