import { SESSION_COOKIE } from './administrator-sessions.ts'

/** How callers authenticate, for the OpenAPI document; the names are those of `CREDENTIALS`. */
export const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'An access token (RFC 9068).' },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: SESSION_COOKIE,
    description:
      'The session cookie of an administrator. Writes also need `Sec-Fetch-Site: same-origin`, which browsers send, and a JSON body.',
  },
  admin_key: { type: 'apiKey', in: 'header', name: 'admin-api-key', description: 'The administrator key.' },
  wallet_bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'A wallet access token, obtained with a one-time code or by refresh.',
  },
  basic: {
    type: 'http',
    scheme: 'basic',
    description:
      'A `basic_token`, sent as it is: `Authorization: Basic <basic_token>`. It is the Base64 of `credential_id:secret` already. A client that encodes user name and password itself needs the two parts: decode the token and split it at the colon.',
  },
  signature: {
    type: 'apiKey',
    in: 'header',
    name: 'operator-signature',
    description:
      '`t=<unix seconds>,v1=<hex>`: HMAC-SHA256 of `<t>.<body>`, keyed with the secret shared with the operator.',
  },
}
