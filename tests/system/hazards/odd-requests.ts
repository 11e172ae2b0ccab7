import assert from 'node:assert/strict'

/** Several hundred odd requests of a platform that has this token and this user. */
export function oddRequests({ token: ownToken, user }: { token: string; user: string }) {
  /** What is sent, in parts with a pause between them. */
  const requests = new Map<string, readonly (string | Buffer)[]>()

  const odd = (name: string, ...parts: (string | Buffer)[]): void => {
    assert(!requests.has(name), `${name} is there twice`)
    requests.set(name, parts)
  }

  type Sent = {
    host?: string | null
    lines?: readonly string[]
    body?: string
    token?: string | null
    version?: string
    stays?: boolean
  }

  /** A whole request; with a token, the length of its body and `Connection: close`, unless it says otherwise. */
  function http(
    head: string,
    { host = 'x', lines = [], body, token = ownToken, version = '1.1', stays = false }: Sent = {},
  ): string {
    const framed = lines.some((line) => /^(content-length|transfer-encoding)\b/i.test(line))
    return [
      `${head} HTTP/${version}`,
      ...(host === null ? [] : [`host: ${host}`]),
      ...(token === null ? [] : [`authorization: Bearer ${token}`]),
      ...(stays ? [] : ['connection: close']),
      ...lines,
      ...(body === undefined || framed ? [] : [`content-length: ${Buffer.byteLength(body, 'latin1')}`]),
      '',
      body ?? '',
    ].join('\r\n')
  }

  const JSON_TYPE = 'content-type: application/json'
  const PHONE = JSON.stringify({ phone_country_code: '+91', phone_number: '9800000016' })
  const PDF = 'content-type: application/pdf'
  const URL_ENCODED = 'content-type: application/x-www-form-urlencoded'
  const LIST = `/v1/users/${user}/dependants`
  const RECORD = `/v1/users/${user}`
  const POLICY = `/v1/users/${user}/insurance_policies/pol_06bnv3m2r8f1s4k7q9t3v6w0y2`
  const NEXT = http('GET /livez', { token: null })
  const chunked = (body: string) => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`

  const ADDRESSES = `/ /livez /readyz /openapi.json /docs /docs/ /docs/nowhere /docs/errors /docs/search?q=wallet
    /docs/search.json?q= /docs/assets/icon.svg /docs/try /docs/try/ /docs/try/static/index.css
    /docs/try/static/nowhere /docs/try/json /docs/events /dashboard /dashboard/users
    /dashboard/assets/none.js /llms.txt /.well-known/jwks.json /.well-known/oauth-authorization-server
    /verify/health_card/abc /asyncapi.json /v1 /v1/ /v1/nowhere /nowhere /v1/auth/token /v1/oauth/token
    /v1/users/search /v1/users/0 ${RECORD} ${LIST} ${LIST}/bulk ${POLICY}/documents/policy_certificate
    /v1/auth/oidc/login /v1/benefit_providers /wallet/v1/operator/events /wallet/v1/otp`.split(/\s+/) // prettier-ignore

  for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'OPTIONS', 'PROPFIND'])
    for (const address of ADDRESSES) odd(`${method} ${address.replace(user, 'USER')}`, http(`${method} ${address}`))
  for (const method of ['get', 'FOO', 'TRACE', 'CONNECT', 'M-SEARCH', 'QUERY', 'PRI', ''])
    odd(`method ${method}`, http(`${method} ${RECORD}`))

  for (const [what, host] of Object.entries({
    no: null,
    empty: '',
    port: 'x:8080',
    'a bad port': 'x:80a',
    blanks: 'x y',
    path: 'x/y',
    user: 'a@x',
    list: 'x, y',
    ipv6: '[::1]:80',
    'half ipv6': '[::1',
    backslash: 'x\\',
    percent: 'x%2e',
  } as Record<string, string | null>))
    odd(`host: ${what}`, http('GET /livez', { host, token: null })) // prettier-ignore
  odd('host: two', http('GET /livez', { lines: ['host: y'], token: null }))
  odd('host: none before HTTP/1.1', http('GET /livez', { host: null, version: '1.0', token: null }))
  for (const version of ['1.0', '0.9', '2.0', '9.9'])
    odd(`version ${version}`, http('GET /livez', { version, token: null }))
  for (const name of [
    'authorization: Bearer a',
    JSON_TYPE,
    'content-length: 0',
    'accept: text/html',
    'x-request-id: abcdefgh',
  ])
    odd(`twice ${name}`, http(`GET ${LIST}`, { lines: [name, name], token: null }))

  for (const path of [
    '/v1/users/%',
    '/v1/users/%zz',
    '/v1/users/%c3',
    '/v1/users/%00',
    '/v1/users/%2f',
    '/v1/users/%20012345678901%20',
    '/v1/%75sers/0',
    '/v1//users/0',
    '//v1/users/0',
    '/v1/users/0/',
    '/V1/users/0',
    '/v1/users/../users/0',
    '/v1/users/%2e%2e/x',
    '/v1/users/0;a=b',
    '/v1/users/0?',
    '/v1/users/0??',
    '/v1/users/0?a',
    '/v1/users/0?a=%',
    '/v1/users/0?%00',
    '/v1/users/0#x',
    '/livez#',
    '/nowhere#',
    '/%',
    '/docs/%',
    '*',
    'x',
    '?',
    '/v1/users/é',
    'http://x/livez',
    'http://y/v1/users/0',
    'https://',
    '/livez?x=1',
    '/livez%20',
    '/docs/try/static/..%2f..%2fpackage.json',
    '/dashboard/../livez',
    `/v1/users/${'9'.repeat(300)}`,
    `/v1/users/${'9'.repeat(17_000)}`,
    `/v1/users/search?${'a=1&'.repeat(1_500)}`,
  ])
    odd(`path ${path.length > 100 ? `of ${path.length} characters` : path}`, http(`GET ${path}`)) // prettier-ignore
  for (const query of [
    'limit=0',
    'limit=x',
    'limit=1&limit=2',
    'limit=01',
    'limit=1.0',
    'limit=%31',
    'limit=',
    'limit',
    'offset=-1',
    'unknown=1',
    'limit=1&limit=1&unknown',
    '__proto__=1',
    'constructor=1',
    'a[b]=1',
    'limit=1;offset=2',
    '+=1',
    '&&',
    'limit=1%202',
    'limit=99999999999999999999',
  ])
    odd(`query ${query}`, http(`GET ${LIST}?${query}`)) // prettier-ignore

  for (const address of ['/v1/auth/token', LIST, '/v1/oauth/token', '/wallet/v1/operator/events', `${LIST}/bulk`]) {
    const of = address.replace(user, 'USER')
    for (const [what, lines] of Object.entries({
      no: [],
      json: [JSON_TYPE],
      capitals: ['content-type: Application/JSON'],
      'utf-8': [`${JSON_TYPE}; charset=utf-8`],
      quoted: [`${JSON_TYPE};charset="UTF-8"`],
      latin1: [`${JSON_TYPE}; charset=latin1`],
      patch: ['content-type: application/merge-patch+json'],
      text: ['content-type: text/plain'],
      'url-encoded': [URL_ENCODED],
      pdf: [PDF],
      multipart: ['content-type: multipart/form-data; boundary=a'],
      empty: ['content-type:'],
      bad: ['content-type: json'],
      parameters: [`${JSON_TYPE}; a=b; c`],
      problem: ['content-type: application/problem+json'],
    }))
      odd(`media type ${what} to ${of}`, http(`POST ${address}`, { lines, body: PHONE })) // prettier-ignore
    for (const body of [
      '',
      '{',
      '[]',
      '""',
      '1',
      'null',
      '{}',
      '{"a":1,"a":2}',
      '{"__proto__":{}}',
      '\u{ef}\u{bb}\u{bf}{}',
      '{"a":"\xff"}',
      '{"a":"\\u0000"}',
      ' {} ',
      '{}x',
      '{"a":1e999}',
      `${'['.repeat(300)}${']'.repeat(300)}`,
      `{"a":"${'x'.repeat(5_000)}"}`,
      `{"a":[${'1,'.repeat(6_000)}1]}`,
    ])
      odd(
        `body ${body.length > 50 ? `of ${body.length} bytes` : JSON.stringify(body)} to ${of}`,
        http(`POST ${address}`, { lines: [JSON_TYPE], body }),
      ) // prettier-ignore
  }
  odd(
    'patch with a patch',
    http(`PATCH ${RECORD}`, { lines: ['content-type: application/merge-patch+json'], body: '{}' }),
  )
  odd('patch with JSON', http(`PATCH ${RECORD}`, { lines: [JSON_TYPE], body: '{}' }))
  odd('an announced type of an empty body', http('POST /v1/auth/token', { lines: [URL_ENCODED, 'content-length: 0'] }))
  odd('a PDF that is none', http(`PUT ${POLICY}/documents/policy_certificate`, { lines: [PDF], body: 'x' }))
  odd('a GET with a body', http(`GET ${LIST}`, { lines: [JSON_TYPE], body: '{"a":1}' }))
  odd('a DELETE with a body', http(`DELETE ${RECORD}`, { lines: [JSON_TYPE], body: '{' }))

  for (const accept of [
    '',
    '*/*',
    'application/json',
    'text/html',
    'text/html, */*;q=0.1',
    'application/*',
    'application/json;q=0',
    'application/problem+json',
    'image/png, text/*',
    'x',
    'application/json; charset=utf-8',
    '*/*;q=0',
  ])
    for (const address of [LIST, '/v1/auth/token', '/livez', '/docs', '/nowhere'])
      odd(
        `accept ${accept} at ${address.replace(user, 'USER')}`,
        http(`GET ${address}`, { lines: [`accept: ${accept}`] }),
      ) // prettier-ignore
  for (const expect of ['100-continue', '100-Continue', '200-maybe', 'x', '100-continue, x', ''])
    odd(`expect ${expect}`, http('POST /v1/auth/token', { lines: [JSON_TYPE, `expect: ${expect}`], body: PHONE }))
  odd(
    'expect, rejected',
    http('POST /v1/auth/token', { lines: [JSON_TYPE, 'expect: 100-continue'], body: PHONE, token: null }),
  )
  for (const encoding of ['gzip', 'identity', 'Identity', 'identity, gzip', 'br'])
    odd(
      `content-encoding ${encoding}`,
      http('POST /v1/auth/token', { lines: [JSON_TYPE, `content-encoding: ${encoding}`], body: PHONE }),
    )
  for (const coding of ['chunked', 'CHUNKED', 'xchunked', 'gzip, chunked', 'identity', ''])
    odd(
      `transfer-encoding ${coding}`,
      http('POST /v1/auth/token', { lines: [JSON_TYPE, `transfer-encoding: ${coding}`], body: chunked(PHONE) }),
    )
  for (const length of ['0', '1', '+1', '-1', '0x10', '1, 1', '', '300000', '99999999999999999999999'])
    odd(
      `content-length ${length}`,
      http('POST /v1/auth/token', { lines: [JSON_TYPE, `content-length: ${length}`], body: PHONE }),
    )
  odd(
    'a coding and a length',
    http('POST /v1/auth/token', {
      lines: [JSON_TYPE, 'transfer-encoding: chunked', 'content-length: 3'],
      body: chunked(PHONE),
    }),
  )
  odd(
    'chunks that grow too large',
    http('POST /v1/auth/token', {
      lines: [JSON_TYPE, 'transfer-encoding: chunked'],
      body: `10000\r\n${'x'.repeat(65_536)}\r\n`.repeat(5),
    }),
  )
  odd('a bad chunk', http('POST /v1/auth/token', { lines: [JSON_TYPE, 'transfer-encoding: chunked'], body: 'zz\r\n' }))
  odd(
    'too large, and all of it is sent',
    http('POST /v1/auth/token', { lines: [JSON_TYPE], body: 'x'.repeat(300_000), stays: true }) + NEXT,
  )
  odd(
    'too large for no caller',
    http('POST /wallet/v1/otp', { lines: [JSON_TYPE], body: 'x'.repeat(5_000), token: null, stays: true }) + NEXT,
  )
  odd(
    'too large without a token',
    http('POST /v1/auth/token', { lines: [JSON_TYPE], body: 'x'.repeat(300_000), token: null, stays: true }) + NEXT,
  )
  odd('endless headers', http('GET /livez', { lines: [`x-long: ${'a'.repeat(40_000)}`] }))
  odd('no request', 'HELLO\r\n\r\n')
  odd('zeros', '\0\0\0\0\r\n\r\n')
  odd('TLS', '\x16\x03\x01\x02\x00\x01\x00\r\n')
  odd('a folded header', http('GET /livez', { lines: ['x-folded: a', ' b'] }))
  odd('a NUL in a header', http('GET /livez', { lines: ['x-nul: a\0b'] }))
  odd('line feeds only', 'GET /livez HTTP/1.1\nhost: x\nconnection: close\n\n')

  odd('half a request line', 'POST /v1/auth/token HTT')
  odd('half a head', 'POST /v1/auth/token HTTP/1.1\r\nhost: x\r\nx-slow: ')
  odd(
    'half a body',
    http('POST /v1/auth/token', { lines: [JSON_TYPE, 'content-length: 100'], body: '{"phone', stays: true }),
  )
  odd(
    'half a chunk',
    http('POST /v1/auth/token', {
      lines: [JSON_TYPE, 'transfer-encoding: chunked'],
      body: 'ff\r\n{"phone',
      stays: true,
    }),
  )
  odd(
    'half a PDF',
    http(`PUT ${POLICY}/documents/policy_certificate`, {
      lines: [PDF, 'content-length: 100'],
      body: '%PDF-1.7',
      stays: true,
    }),
  )
  odd(
    'half a body without a token',
    http('POST /v1/auth/token', { lines: [JSON_TYPE, 'content-length: 100'], body: '{', token: null, stays: true }),
  )
  odd('a slow head', http('GET /livez', { token: null }).slice(0, 20), http('GET /livez', { token: null }).slice(20))
  odd('a slow body', http('POST /v1/auth/token', { lines: [JSON_TYPE], body: '{}' }).slice(0, -1), '}')
  odd('nothing')

  odd('pipelined reads', http('GET /livez', { stays: true, token: null }) + http(`GET ${LIST}`, { stays: true }) + NEXT)
  odd('pipelined behind a write', http('POST /v1/auth/token', { lines: [JSON_TYPE], body: '{}', stays: true }) + NEXT)
  odd(
    'pipelined behind a 401',
    http('POST /v1/auth/token', { lines: [JSON_TYPE], body: PHONE, token: null, stays: true }) + NEXT,
  )
  odd('pipelined behind a 404', http('POST /nowhere', { lines: [JSON_TYPE], body: PHONE, stays: true }) + NEXT)
  odd('pipelined behind a 405', http('PUT /livez', { lines: [JSON_TYPE], body: PHONE, stays: true }) + NEXT)
  odd(
    'pipelined behind a 415',
    http('POST /v1/auth/token', { lines: ['content-type: text/plain'], body: PHONE, stays: true }) + NEXT,
  )
  odd('pipelined behind a HEAD', http(`HEAD ${LIST}`, { stays: true }) + NEXT)
  odd('pipelined behind no HTTP', `${http('GET /livez', { stays: true, token: null })}HELLO\r\n\r\n`)
  odd('pipelined behind a close', NEXT + NEXT)

  for (const token of ['', 'a', 'a.b.c', ownToken.slice(0, -1), `${ownToken} `])
    odd(`token ${token.length}`, http(`GET ${LIST}`, { token }))
  odd('no token', http(`GET ${LIST}`, { token: null }))
  odd('an administrator’s key', http('GET /v1/account_providers', { token: null, lines: ['admin-api-key: x'] }))
  odd('no administrator’s key', http('GET /v1/account_providers'))
  odd(
    'basic',
    http('POST /v1/oauth/token', {
      token: null,
      lines: [URL_ENCODED, 'authorization: Basic YTpi'],
      body: 'grant_type=client_credentials',
    }),
  )
  odd(
    'a form with a repeated field',
    http('POST /v1/oauth/token', { token: null, lines: [URL_ENCODED, 'authorization: Basic YTpi'], body: 'a=1&a=2' }),
  )
  odd(
    'a signature',
    http('POST /wallet/v1/operator/events', {
      token: null,
      lines: [JSON_TYPE, 'operator-signature: t=1,v1=a'],
      body: '{}',
    }),
  )
  odd('no role', http('POST /v1/platforms', { lines: [JSON_TYPE], body: '{}' }))
  for (const id of ['short', 'a-good-one-0', 'with blank', 'ümlaut-12345', 'a'.repeat(65)])
    odd(`request id ${id.length} ${id.slice(0, 12)}`, http('GET /nowhere', { lines: [`x-request-id: ${id}`] }))
  for (const prefer of ['handling=strict', 'handling="strict"', 'respond-async, handling=strict', 'handling=lenient'])
    odd(
      `prefer ${prefer}`,
      http('POST /v1/auth/token', { lines: [JSON_TYPE, `prefer: ${prefer}`], body: `{"unknown":1,${PHONE.slice(1)}` }),
    )
  odd('prefer of a read', http(`GET ${LIST}`, { lines: ['prefer: handling=strict'] }))
  for (const purpose of ['', 'care', ' care', 'a'.repeat(201), 'é'])
    odd(`purpose ${purpose.length} ${purpose.slice(0, 9)}`, http(`GET ${RECORD}`, { lines: [`purpose: ${purpose}`] }))
  for (const tag of ['*', '"x"', 'x', 'W/"x"', '"x", "y"', '']) {
    odd(`if-match ${tag}`, http(`PATCH ${RECORD}`, { lines: [JSON_TYPE, `if-match: ${tag}`], body: '{}' }))
    odd(`if-none-match ${tag}`, http(`GET ${RECORD}`, { lines: [`if-none-match: ${tag}`] }))
  }
  for (const key of ['k', 'a good key', 'a-good-key-12345', 'x'.repeat(300)])
    odd(`key ${key.length}`, http(`POST ${LIST}`, { lines: [JSON_TYPE, `idempotency-key: ${key}`], body: '{}' }))

  /** One after the other, because each depends on those before it. */
  const IN_ORDER = [
    [
      'a first write',
      http('POST /v1/auth/token', { lines: [JSON_TYPE, 'idempotency-key: odd-key-000001'], body: PHONE }),
    ],
    [
      'the same again',
      http('POST /v1/auth/token', { lines: [JSON_TYPE, 'idempotency-key: odd-key-000001'], body: PHONE }),
    ],
    [
      'the same, spelt otherwise',
      http('POST /v1/%61uth/token', { lines: [JSON_TYPE, 'idempotency-key: odd-key-000001'], body: PHONE }),
    ],
    [
      'the same key, another body',
      http('POST /v1/auth/token', {
        lines: [JSON_TYPE, 'idempotency-key: odd-key-000001'],
        body: PHONE.replace('16', '17'),
      }),
    ],
  ] as const // prettier-ignore

  return { requests, inOrder: IN_ORDER, http, NEXT }
}
