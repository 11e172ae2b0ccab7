import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after } from 'node:test'
import { startSandbox } from '../../sandbox/server.ts'
import type { Administrator, PersonRole } from '../../src/access/caller.ts'
import { parseRoles, type OidcSettings } from '../../src/settings/read-oidc.ts'
import { createRevocations } from '../../src/access/revocations.ts'
import { createTokens } from '../../src/access/tokens.ts'
import type { AppSettings } from '../../src/app.ts'
import { buildTestApp } from './inject.ts'
import { beginSession as beginSessionOf } from '../../src/domains/administration/administrators/begin-session.ts'
import { findSessionOfCookie } from '../../src/domains/administration/administrators/store.ts'
import { connectDatabase } from '../../src/kernel/db/database.ts'
import { applyWithRetry } from '../../src/record/index.ts'
import { createLogin } from '../../src/boot/api.ts'
import { type TestResponse, ORIGIN, type TestApp } from './app.ts'
import { operatorInTests } from './operator.ts'
import { createContractCheck } from './contract.ts'
import { TIMEOUT_FACTOR } from './database.ts'
import { freePorts } from './server.ts'

export const SESSION_COOKIE = '__Host-banyan_session'
export const FLOW_COOKIE = '__Host-banyan_login'

const REQUEST_TIMEOUT_MS = 60_000

/** The header of a person who follows a link of our pages. */
export const BY_OUR_LINK = { 'sec-fetch-site': 'same-origin' }

/** The headers that our pages send with a write. */
export const FROM_OUR_PAGE = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' }

type Person = `sandbox-${Administrator | 'desk' | 'support'}`
/** The response; the cookies as they are set. */
type BrowserResponse = Omit<TestResponse, 'bytes'> & { cookies: string[] }
type Sending = { headers?: Record<string, string>; token?: string; body?: unknown }

/** The program over real HTTP, whose administrators log in at the sandbox, or at another provider. */
export async function openLoginApp(t: TestApp, oidc: Partial<OidcSettings> = {}) {
  const [port = 0, sandboxPort = 0] = await freePorts(2)
  const origin = `http://localhost:${port}`
  const sandbox = `http://localhost:${sandboxPort}`
  if (oidc.issuer === undefined) {
    const stop = await startSandbox({ host: 'localhost', port: sandboxPort, operatorSecret: '-', appOrigin: origin })
    after(stop)
  }
  const settings: OidcSettings = {
    issuer: `${sandbox}/oidc`,
    clientId: 'banyan',
    clientSecret: 'sandbox',
    scope: 'openid profile email',
    roleClaim: 'roles',
    roles: parseRoles('viewer=viewer,operator=operator,owner=owner') ?? assert.fail(),
    requiredAcr: [],
    ...oidc,
  }
  const node = await openNode(t, { origin, login: createLogin({ oidc: settings, origin }) })
  await node.app.listen({ host: 'localhost', port })
  const checkContract = createContractCheck(node.app.document())

  const call = callerOf(origin, checkContract)
  const beginLogin = (query = '') => call('GET', `/v1/auth/oidc/login${query}`, { headers: BY_OUR_LINK })
  // The first login loads the sandbox and reads its settings, which on a busy machine takes longer than a request may.
  if (oidc.issuer === undefined) while ((await beginLogin()).status === 503);
  return { origin, sandbox, call, beginLogin, ...node, openBrowser: () => openBrowser(call, origin) }
}

type Call = (method: string, path: string, sending?: Sending) => Promise<BrowserResponse>

/** Sends requests over the network, follows no redirect, and passes each response to a check. */
export function callerOf(origin: string, check: ReturnType<typeof createContractCheck> = () => {}): Call {
  return async (method, path, { headers = {}, token, body } = {}) => {
    const fetched = await fetch(new URL(path, origin), {
      method,
      headers: { ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      redirect: 'manual',
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    })
    const text = await fetched.text()
    const isJson = /json/.test(fetched.headers.get('content-type') ?? '')
    const response = {
      status: fetched.status,
      headers: Object.fromEntries(fetched.headers) as TestResponse['headers'],
      cookies: fetched.headers.getSetCookie(),
      text,
      body: isJson && text !== '' ? JSON.parse(text) : undefined,
    }
    check(method, path, response)
    return response
  }
}

/** Another process of the installation: its own connections and memory, the same database and keys. */
export async function openNode(t: TestApp, { origin, login }: Pick<AppSettings, 'origin' | 'login'>) {
  const { keys, clock, log, metrics, walletTokens, webOrigins, audit, cardChecks } = t
  const db = connectDatabase({
    url: t.appUrl,
    poolSize: 4,
    batching: t.db.batching,
    timeoutFactor: TIMEOUT_FACTOR,
    onLostConnection: () => {},
  })
  const tokens = createTokens({ keys: keys.signingKeys, issuer: ORIGIN, audience: `${ORIGIN}/v1`, clock })
  const revocations = createRevocations(db, log)
  await revocations.start()
  const settings = {
    version: '0.0.0',
    trustedProxies: 0,
    adminApiKeys: [],
    operator: operatorInTests(clock),
    audit,
    cardChecks,
  }
  const app = buildTestApp(
    { ...t.deps, db, tokens },
    { ...settings, origin, login, walletTokens, revocations, webOrigins, log, metrics },
  )
  after(async () => {
    await app.close()
    await revocations.stop()
    await db.close()
  })
  return { app, db }
}

/** A session without the login, for tests about something else: its cookie, and an access token made with it. */
export async function beginSession(t: Pick<TestApp, 'deps'>, role: Administrator, name = 'Asha Example') {
  const { id, administratorId, cookie, expiresAt } = await createSession(t, { role, ownerId: null }, name)
  const { token } = t.deps.tokens.issueToAdministrator({ role, subject: administratorId, session: { id, expiresAt } })
  return { cookie, token, id, administratorId }
}

/** The same for a person of a benefit provider. */
export async function beginDeskSession(t: Pick<TestApp, 'deps'>, benefitProviderId: string, name = 'Kiran Example') {
  const { id, administratorId, expiresAt } = await createSession(
    t,
    { role: 'provider', ownerId: benefitProviderId },
    name,
  )
  const session = { subject: administratorId, session: { id, expiresAt } }
  const { token } = t.deps.tokens.issueToPerson({ kind: 'provider', benefitProviderId, ...session })
  return { token, id, administratorId }
}

async function createSession(
  { deps }: Pick<TestApp, 'deps'>,
  person: { role: PersonRole; ownerId: string | null },
  name: string,
) {
  const identity = { subject: randomUUID(), claims: { name }, idToken: `an ID token of ${name}` }
  const actor = { caller: { kind: 'anyone' as const }, requestId: 'req_of_a_test' }
  const { secret } = await applyWithRetry(deps, actor, (by) =>
    beginSessionOf(deps, { issuer: ORIGIN, identity, ...person, epoch: null }, by),
  )
  const session = await findSessionOfCookie(deps.db, secret, deps.clock.now())
  assert(session)
  const { id, administratorId, endsAt } = session
  return { id, administratorId, cookie: secret, expiresAt: Math.floor(endsAt.getTime() / 1000) }
}

/** A browser as far as redirects and cookies are concerned, which it keeps by origin. */
export function openBrowser(call: Call, origin: string) {
  const jars = new Map<string, Map<string, string>>()
  const jarOf = (url: URL) => {
    const jar = jars.get(url.origin) ?? new Map<string, string>()
    jars.set(url.origin, jar)
    return jar
  }

  /** `site`: who leads there; unless given, the person by the address bar. */
  async function go(address: string, method = 'GET', site = 'none') {
    const url = new URL(address, origin)
    const jar = jarOf(url)
    const cookies = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { cookie: cookies, 'sec-fetch-site': site }
    if (url.origin === origin) {
      const response = await call(method, url.href.slice(origin.length), { headers })
      keep(jar, response.cookies)
      return { ...response, url, location: response.headers['location'] }
    }
    const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS)
    const response = await fetch(url, { method, headers, redirect: 'manual', signal })
    keep(jar, response.headers.getSetCookie())
    const location = response.headers.get('location') ?? undefined
    return { status: response.status, text: await response.text(), url, location }
  }

  /** Follows redirects until a URL satisfies or there is no further one. */
  async function follow(address: string, until = (_url: URL) => false, method = 'GET') {
    let response = await go(address, method)
    while (response.location !== undefined) {
      const next = new URL(response.location, response.url)
      if (until(next)) return { ...response, url: next }
      response = await go(next.href, 'GET', next.origin === response.url.origin ? 'none' : 'cross-site')
    }
    return response
  }

  const isCallback = ({ pathname }: URL) => pathname === '/v1/auth/oidc/callback'

  /** Starts a login and clicks on a person; returns the URL of the callback without requesting it. */
  async function callbackUrl(person: Person, returnTo?: string): Promise<string> {
    const query = returnTo === undefined ? '' : `?return_to=${encodeURIComponent(returnTo)}`
    const people = await follow(`/v1/auth/oidc/login${query}`, isCallback)
    if (isCallback(people.url)) return people.url.href
    assert.match(people.text, /Who are you\?/)
    const { url } = await follow(`${people.url.href}/${person}`, isCallback, 'POST')
    assert(isCallback(url), url.href)
    return url.href
  }

  const cookie = (name = SESSION_COOKIE) => jarOf(new URL(origin)).get(name)

  return {
    go,
    callbackUrl,
    cookie,
    setCookie: (name: string, value: string) => jarOf(new URL(origin)).set(name, value),
    async logIn(person: Person, returnTo?: string) {
      const response = await go(await callbackUrl(person, returnTo))
      assert.equal(response.status, 302, response.text)
      return response
    },
    /** As a script on one of our pages. */
    fetch: (method: string, path: string, { headers = {}, ...sending }: Sending = {}) =>
      call(method, path, { ...sending, headers: { ...ownHeaders(cookie()), ...FROM_OUR_PAGE, ...headers } }),
  }
}

const ownHeaders = (cookie: string | undefined): Record<string, string> =>
  cookie === undefined ? {} : { cookie: `other=1; ${SESSION_COOKIE}=${cookie}` }

function keep(jar: Map<string, string>, cookies: string[]): void {
  for (const cookie of cookies) {
    const [, name = '', value = '', attributes = ''] = /^([^=]+)=([^;]*)(.*)$/.exec(cookie) ?? []
    if (/max-age=0(;|$)|expires=Thu, 01 Jan 1970/i.test(attributes)) jar.delete(name)
    else jar.set(name, value)
  }
}
