import type { oddRequests } from './odd-requests.ts'

/** The origin that the platform of the odd requests named. */
export const NAMED_ORIGIN = 'https://app.example.com'

type Made = Pick<ReturnType<typeof oddRequests>, 'http'> & { user: { id: string; token: string } }

/** Requests of pages, of that platform and of others. */
export function oddOrigins({ http, user: { id, token } }: Made): [string, string][] {
  const record = `/v1/users/${id}`
  const question = 'access-control-request-method: PATCH'
  const at = (origin: string) => (origin === NAMED_ORIGIN ? 'a named origin' : `the origin ${origin}`)
  const each = [
    NAMED_ORIGIN,
    'https://app.example.com:443',
    'https://elsewhere.example',
    'null',
    'http://x',
    '',
  ].flatMap((origin): [string, string][] => {
    const lines = [`origin: ${origin}`]
    return [
      [`a user at ${at(origin)}`, http(`GET ${record}`, { token, lines })],
      [`a platform at ${at(origin)}`, http(`GET ${record}`, { lines })],
      [`nobody at ${at(origin)}`, http(`GET ${record}`, { token: null, lines })],
      [`a page at ${at(origin)}`, http('GET /docs/nowhere', { token: null, lines })],
      [`a preflight at ${at(origin)}`, http(`OPTIONS ${record}`, { token: null, lines: [...lines, question] })],
    ]
  })
  const lines = [`origin: ${NAMED_ORIGIN}`]
  const json = 'content-type: application/json'
  return [
    ...each,
    ['two origins', http(`GET ${record}`, { token, lines: [...lines, ...lines] })],
    ['a preflight of no path', http('OPTIONS /v1/nowhere', { token: null, lines: [...lines, question] })],
    ['a preflight without a question', http(`OPTIONS ${record}`, { token: null, lines })],
    ['a preflight with a token', http(`OPTIONS ${record}`, { token, lines: [...lines, question] })],
    [
      'a preflight with a body',
      http(`OPTIONS ${record}`, { token: null, lines: [...lines, question, json], body: '{}' }),
    ],
    ['a preflight of a bad host', http(`OPTIONS ${record}`, { host: 'a b', token: null, lines: [...lines, question] })],
    [
      'a page’s half body',
      http(`PATCH ${record}`, { token, lines: [...lines, json, 'content-length: 10'], body: '{' }),
    ],
    ['a page that varies', http('GET /', { token: null, lines: [...lines, 'accept: application/json'] })],
  ]
}
