import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import { parseRoles } from '../../../src/settings/read-oidc.ts'
import { createLogin } from '../../../src/boot/api.ts'
import type { Database } from '../../../src/kernel/db/database.ts'
import type { UserId } from '../../../src/access/user-id.ts'
import { cardOfMember } from '../../../src/domains/cover/documents/card-of-member.ts'
import { FLOW_COOKIE, SESSION_COOKIE, beginSession } from '../../support/administrators.ts'
import { openTestApp, ORIGIN, type TestApp } from '../../support/app.ts'
import { issueToFamily } from '../../support/issued-policies.ts'
import { OPERATOR_SECRET } from '../../support/operator.ts'
import { openSessions, phoneInput } from '../../support/sessions.ts'
import { pathsBelow, readText } from '../../support/sources.ts'

type Headers = Record<string, string>
export type Sent = { method: 'GET' | 'POST' | 'LINK'; url: string; headers?: Headers; payload?: string }
type Making = () => Sent | Promise<Sent>

/** Of a request line and its headers; Node refuses more than 16 KiB. */
const HEAD_BYTES = 15_000
/** What is read without a token. */
const BODY_BYTES = 4 * 1_024
const QUERY_LENGTH = 100

const repeated = (part: string, bytes = HEAD_BYTES) => part.repeat(Math.floor(bytes / part.length))

/** Headers that something reads, each as long as it may be, made of what it is split by, or of what looks right for long. */
const HEADERS: Headers[] = [
  { accept: repeated('a/b;q=0.1,') },
  { accept: repeated('*/*,') },
  { 'accept-encoding': repeated('br ,') },
  { authorization: `Basic ${repeated('YWE6', HEAD_BYTES)}` },
  { authorization: `Bearer ${repeated('a.')}` },
  { authorization: `Bearer ${repeated('eyJh')}.e.e` },
  { cookie: repeated('a=b;') },
  { cookie: `${SESSION_COOKIE}=${repeated('byn_ads')}`, 'sec-fetch-site': 'same-origin' },
  { cookie: `${FLOW_COOKIE}=${repeated('e30.')}` },
  { 'content-type': repeated('application/json;') },
  { 'content-type': `application/json; ${repeated('charset ')}` },
  { 'if-none-match': repeated('W/"a",') },
  { 'operator-signature': repeated('t=1,v1=') },
  { prefer: repeated('handling = ') },
  { traceparent: repeated('00-') },
  { 'x-forwarded-for': repeated(' ,') },
  { 'x-forwarded-for': repeated('[::1]:80,') },
  { 'x-request-id': repeated('a') },
  Object.fromEntries(Array.from({ length: 1_500 }, (_, index) => [`x${index.toString(36)}`, ''])),
]

const QUERIES = ['a&', 'a=&', '%61=&', '=', '+', 'q=%20&'].map((part) => `?${repeated(part)}`)

/** Members with this value until the body is full. */
function membersOf(value: string, nameOf = (index: number) => index.toString(36)): string {
  const members: string[] = []
  for (let left = BODY_BYTES - 2; ; ) {
    const member = `"${nameOf(members.length)}":${value}`
    if ((left -= member.length + 1) < 0) return `{${members.join(',')}}`
    members.push(member)
  }
}

const BODIES = [
  membersOf('0'),
  membersOf('""', (index) => `\\u0000${index.toString(36)}`),
  `{"a":${repeated('[', BODY_BYTES - 6)}`,
  `{"a":[${repeated('{},', BODY_BYTES - 10)}0]}`,
  `{"a":"${repeated(String.raw`\u0041`, BODY_BYTES - 10)}"}`,
  `{"a":0.${repeated('1', BODY_BYTES - 10)}}`,
]
const FORMS = [repeated('&', BODY_BYTES), repeated('a=%41&', BODY_BYTES), repeated('%', BODY_BYTES)]

/** The most common of these in the handbook, which find most. */
function commonest(pattern: RegExp): string[] {
  const sections = pathsBelow('docs').flatMap((path) => (path.endsWith('.md') ? readText(path).split(/^#/m) : []))
  const counts = new Map<string, number>()
  for (const section of sections)
    for (const word of new Set(section.toLowerCase().match(pattern))) counts.set(word, (counts.get(word) ?? 0) + 1)
  return [...counts].toSorted(([, one], [, other]) => other - one).map(([word]) => word)
}

const SEARCHES = [
  'wallet',
  repeated('s ', QUERY_LENGTH),
  'a b c d e f g h i j k l m n o p q r s t u v w x y z',
  'a'.repeat(QUERY_LENGTH),
  commonest(/\b[a-z]+/g)
    .slice(0, 8)
    .join(' '),
  commonest(/\b[a-z]{3}/g)
    .slice(0, 8)
    .join(' '),
  commonest(/\b[a-z]{8,11}\b/g)
    .slice(0, 8)
    .join(' '),
  Array.from({ length: 8 }, (_, index) => 'abcdefghijklmnopqr'.slice(index, index + 11)).join(' '),
]

const LONGEST_PAGES = pathsBelow('docs')
  .filter((path) => path.endsWith('.md'))
  .toSorted((one, other) => readText(other).length - readText(one).length)
  .slice(0, 5)

/** An installation with a case of everything that a caller without a token may reach. */
export async function prepareWorld(issuer: string) {
  const t = await openTestApp({ own: true })
  const roles = parseRoles('owner=owner') ?? assert.fail()
  const oidc = {
    issuer,
    clientId: 'banyan',
    clientSecret: 'secret',
    scope: 'openid',
    roleClaim: 'roles',
    roles,
    requiredAcr: [],
  }
  let statements = 0
  const watched = (db: Database): Database => ({
    ...db,
    query: (...given) => ((statements += 1), db.query(...given)),
    pipeline: (steps) => ((statements += steps.length), db.pipeline(steps)),
  })
  const { app } = await t.openNode({ trustedProxies: 1, login: createLogin({ oidc, origin: ORIGIN }), watched })
  const inject = async (sent: Sent) => app.inject(sent)
  return { app, statements: () => statements, dearest: await dearestOf(t, inject) }
}

/** The dearest requests to each route that needs no token; the headers, queries and bodies above are added to the first. */
async function dearestOf(t: TestApp, inject: (sent: Sent) => Promise<{ headers: Record<string, unknown> }>) {
  const at = await issueToFamily(t, { dependants: Array.from({ length: 20 }, (_, index) => `Ravi ${index}`) })
  const card = t.deps.cards.issue(
    cardOfMember(t.deps.vault, { userId: at.user.id as UserId, policyId: at.id, memberId: at.dependants.at(-1) ?? '' })
      .id,
  )
  const sessions = openSessions(t)
  const administrator = await beginSession(t, 'owner')
  const html = { accept: 'text/html' }
  const json = { 'content-type': 'application/json' }
  const pair = await sessions.signIn(at.platform, at.user)
  await t.wallet(at.platform, at.user)
  const get =
    (url: string, headers: Headers = {}): Making =>
    () => ({ method: 'GET', url, headers })
  const post =
    (url: string, payload: string | object, headers: Headers = {}): Making =>
    () => ({
      method: 'POST',
      url,
      headers: { ...json, ...headers },
      payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
    })
  const cards = (path: string) => [
    get(`${path}${card}`, html),
    get(`${path}${card.slice(0, -4)}AAAA`),
    get(
      `${path}${Buffer.from('{"alg":"EdDSA","kid":"key-1","typ":"card+jwt"}').toString('base64url')}.${'e'.repeat(100)}.${'e'.repeat(86)}`,
    ),
    get(path + repeated('A')),
    get(path + repeated('%41')),
  ]
  const paths = (path: string) => ['a/', '%41', '../', '.md/'].map((part) => get(path + repeated(part), html))
  const searches = (path: string) => SEARCHES.map((query) => get(`${path}?q=${encodeURIComponent(query)}`))
  const pages = LONGEST_PAGES.flatMap((path) => [get(`/${path.replace(/\.md$/, '')}`, html), get(`/${path}`)])
  const login = (returnTo: string): Making =>
    get(`/v1/auth/oidc/login?return_to=${returnTo}`, { 'sec-fetch-site': 'same-origin' })
  /** The way back from the provider, by a login of its own. */
  async function callback(): Promise<Sent> {
    const begun = await inject(await login('/docs')())
    const [flow = ''] = String(begun.headers['set-cookie']).split(';')
    const provided = await fetch(String(begun.headers['location']), { redirect: 'manual' })
    const { pathname, search } = new URL(provided.headers.get('location') ?? '')
    return { method: 'GET', url: pathname + search, headers: { cookie: `${flow}; ${SESSION_COOKIE}=none` } }
  }
  function event(): Sent {
    const body = JSON.stringify({
      event_id: randomUUID(),
      reference: 'wal_nobody',
      status: 'BLOCKED',
      sequence: 2,
      more: 'x'.repeat(3_900),
    })
    const time = Math.floor(Date.now() / 1000)
    const signature = createHmac('sha256', OPERATOR_SECRET).update(`${time}.${body}`).digest('hex')
    return {
      method: 'POST',
      url: '/wallet/v1/operator/events',
      headers: { ...json, 'operator-signature': `t=${time},v1=${signature}` },
      payload: body,
    }
  }
  /** Of a page that the platform named: whose code or token it is, is read first. */
  const page = { origin: 'https://app.example.com' }
  const named = { web_origins: [page.origin] }
  await t.made('PUT', `/v1/platforms/${at.platform.id}/web_origins`, { token: at.platform.token, body: named })
  await t.webOrigins.read()
  const basic = { authorization: `Basic ${at.platform.basicToken}` }
  const wrong = {
    authorization: `Basic ${Buffer.from(`${at.platform.credentialId}:${Buffer.from(at.provider.basicToken, 'base64').toString().split(':')[1]}`).toString('base64')}`,
  }
  return {
    'GET /': [get('/', html)],
    'GET /livez': [get('/livez')],
    'GET /readyz': [get('/readyz')],
    'GET /.well-known/jwks.json': [get('/.well-known/jwks.json')],
    'GET /.well-known/oauth-authorization-server': [get('/.well-known/oauth-authorization-server')],
    'GET /verify/health_card/:token': cards('/verify/health_card/'),
    'GET /verify/health_card/*': cards('/verify/health_card/a/'),
    'GET /C/*': cards('/C/'),
    'GET /c/*': cards('/c/'),
    'GET /docs/try': [get('/docs/try', html)],
    'GET /docs/try/': [get('/docs/try/', html)],
    'GET /docs/try/static/*': [get('/docs/try/static/swagger-ui-bundle.js'), ...paths('/docs/try/static/')],
    'GET /openapi.json': [get('/openapi.json')],
    'GET /asyncapi.json': [get('/asyncapi.json')],
    'GET /events.schema.json': [get('/events.schema.json')],
    'GET /docs': [get('/docs', html)],
    'GET /docs/*': [...paths('/docs/'), ...pages],
    'GET /docs/search': searches('/docs/search'),
    'GET /docs/search.json': searches('/docs/search.json'),
    'GET /llms.txt': [get('/llms.txt')],
    'GET /docs/assets/:name': [get('/docs/assets/handbook.js'), get(`/docs/assets/${repeated('a')}`)],

    'GET /dashboard': [get('/dashboard', html)],
    'GET /dashboard/*': [get('/dashboard/people', html), ...paths('/dashboard/')],
    'GET /v1/auth/oidc/login': [login('/dashboard'), login(repeated('/'))],
    'GET /v1/auth/oidc/callback': [callback, get(`/v1/auth/oidc/callback?${repeated('state=a&')}`)],
    'POST /v1/auth/logout': [
      post(
        '/v1/auth/logout',
        {},
        { cookie: `${SESSION_COOKIE}=${administrator.cookie}`, 'sec-fetch-site': 'same-origin' },
      ),
    ],
    'POST /v1/oauth/token': [
      post('/v1/oauth/token', { grant_type: 'client_credentials' }, basic),
      post('/v1/oauth/token', { grant_type: 'client_credentials' }, wrong),
      ...FORMS.map((payload) =>
        post('/v1/oauth/token', payload, { ...basic, 'content-type': 'application/x-www-form-urlencoded' }),
      ),
    ],
    'POST /wallet/v1/auth/otp': [
      async () => (await sessions.resetLimits(), post('/wallet/v1/auth/otp', phoneInput(at.platform, at.user.phone))()),
      async () => (
        await sessions.resetLimits(), post('/wallet/v1/auth/otp', phoneInput(at.platform, '9'.repeat(20)))()
      ),
    ],
    'POST /wallet/v1/auth/otp/verify': [
      async () => {
        const { id: challenge_id, code: otp } = await sessions.challengeFor(at.platform, at.user)
        return post('/wallet/v1/auth/otp/verify', { challenge_id, otp }, page)()
      },
      post('/wallet/v1/auth/otp/verify', { challenge_id: 'x'.repeat(100), otp: '1'.repeat(20) }),
    ],
    'POST /wallet/v1/auth/token/refresh': [
      post('/wallet/v1/auth/token/refresh', { refresh_token: pair.refresh_token }, page),
      post('/wallet/v1/auth/token/refresh', { refresh_token: repeated('byn_rt_', 3_900) }),
    ],
    'POST /wallet/v1/auth/logout': [
      async () => {
        const { refresh_token } = await sessions.signIn(at.platform, at.user)
        return post('/wallet/v1/auth/logout', { refresh_token }, page)()
      },
    ],
    'POST /wallet/v1/operator/events': [event],
  } satisfies Record<string, Making[]>
}

/** What a caller without a token can send where one is needed, or where nothing is. */
export const ELSEWHERE: Sent[] = [
  { method: 'GET', url: '/v1/users' },
  { method: 'GET', url: '/v1/account_providers', headers: { 'admin-api-key': repeated('a') } },
  { method: 'GET', url: '/wallet/v1/wallet' },
  { method: 'POST', url: '/v1/users/search', headers: { 'content-type': 'application/json' }, payload: '{}' },
  { method: 'GET', url: '/v1/oauth/token' },
  { method: 'GET', url: `/${repeated('a/')}` },
  { method: 'GET', url: `/${repeated('%41')}` },
  { method: 'LINK', url: '/livez' },
  { method: 'LINK', url: `/${repeated('a/')}` },
  { method: 'LINK', url: `/v1/users/${repeated('%41')}` },
]

/** A request with each of the headers, queries and bodies. */
export function variantsOf({ url, headers, payload, ...sent }: Sent): Sent[] {
  const [path = ''] = url.split('?')
  return [
    ...HEADERS.map((more) => ({
      ...sent,
      url,
      headers: { ...headers, ...more },
      ...(payload !== undefined && { payload }),
    })),
    ...(path.length < QUERY_LENGTH
      ? QUERIES.map((query) => ({ ...sent, url: path + query, headers: headers ?? {} }))
      : []),
    ...(payload === undefined ? [] : BODIES).flatMap((body) =>
      [{}, { prefer: 'handling=strict' }].map((more) => ({
        ...sent,
        url,
        headers: { ...headers, ...more },
        payload: body,
      })),
    ),
  ]
}
