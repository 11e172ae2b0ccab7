import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type TestResponse, openTestApp, ORIGIN } from '../../../support/app.ts'
import { beginSession, FROM_OUR_PAGE, openLoginApp, openNode, SESSION_COOKIE } from '../../../support/administrators.ts'
import { claimsOf } from '../../../support/sessions.ts'
import { DEADLINE_MS } from '../../../support/deadline.ts'

const MINUTE_MS = 60_000
const PLATFORMS = '/v1/platforms'

const t = await openTestApp({ own: true })
const other = (await openNode(t, { origin: ORIGIN, login: null })).app

afterEach(() => (t.clock.at = undefined))

type Session = Awaited<ReturnType<typeof beginSession>>
const cookieOf = ({ cookie }: { cookie: string }) => ({ cookie: `${SESSION_COOKIE}=${cookie}` })
const fromOurPage = (session: { cookie: string }) => ({ ...FROM_OUR_PAGE, ...cookieOf(session) })
const later = (minutes: number) => (t.clock.at = new Date((t.clock.at?.getTime() ?? Date.now()) + minutes * MINUTE_MS))

/** Returns the status of both processes for the cookie and for the access token. */
async function statuses({ cookie, token }: Session): Promise<number[]> {
  const shown = [{ authorization: `Bearer ${token}` }, cookieOf({ cookie })]
  const calls = shown.flatMap((headers) =>
    [t.app, other].map((app) => app.inject({ method: 'GET', url: PLATFORMS, headers })),
  )
  return (await Promise.all(calls)).map(({ statusCode }) => statusCode)
}

async function isDeadWithinASecond(session: Session): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS
  for (;;) {
    const seen = await statuses(session)
    assert.deepEqual(seen.slice(2), [401, 401], 'the cookie is dead at once')
    if (seen.every((status) => status === 401)) return
    assert(performance.now() < deadline, `after ${DEADLINE_MS} ms the processes still return ${String(seen)}`)
    await sleep(20)
  }
}

const isAlive = async (session: Session) => assert.deepEqual(await statuses(session), [200, 200, 200, 200])

describe('a page that asks by itself', () => {
  const seenAt = async ({ cookie }: Session) => {
    const { body } = await t.call('GET', '/v1/auth/session', { headers: { ...cookieOf({ cookie }), ...POLL } })
    return String(body.expires_at)
  }
  const POLL = { 'session-use': 'none' }

  it('does not prolong a session by it, and any other request does', async () => {
    const session = await beginSession(t, 'viewer')
    const before = await seenAt(session)
    later(10)
    assert.equal((await t.call('GET', PLATFORMS, { headers: { ...cookieOf(session), ...POLL } })).status, 200)
    assert.equal(await seenAt(session), before)
    assert.equal((await t.call('GET', PLATFORMS, { headers: cookieOf(session) })).status, 200)
    assert.notEqual(await seenAt(session), before)
  })

  it('ends with 30 minutes without use, however often it asks', async () => {
    const session = await beginSession(t, 'viewer')
    for (let minute = 0; minute < 28; minute += 7) {
      later(7)
      assert.equal((await t.call('GET', PLATFORMS, { headers: { ...cookieOf(session), ...POLL } })).status, 200)
    }
    later(3)
    assert.equal((await t.call('GET', PLATFORMS, { headers: cookieOf(session) })).status, 401)
  })
})

describe('the session cookie', () => {
  it('200 for what its role may read, 403 for the rest, and an access token takes precedence', async () => {
    const viewer = await beginSession(t, 'viewer')
    const headers = cookieOf(viewer)
    assert.equal((await t.call('GET', PLATFORMS, { headers })).status, 200)
    assert.equal((await t.call('GET', '/v1/administrators', { headers })).status, 403)
    const body = { name: 'Another platform' }
    assert.equal((await t.call('POST', PLATFORMS, { headers: fromOurPage(viewer), body })).status, 403)
    assert.equal((await t.call('GET', '/v1/administrators', { headers, token: t.owner })).status, 200)
    assert.equal((await t.call('GET', PLATFORMS, { headers, token: `${t.owner}x` })).status, 401)
  })

  it('gives no access to the wallet or to operations of the administrator key', async () => {
    const headers = fromOurPage(await beginSession(t, 'owner'))
    assert.equal((await t.call('GET', '/wallet/v1/wallet', { headers })).status, 401)
    assert.equal((await t.call('GET', '/v1/account_providers', { headers })).status, 401)
  })

  it('401 for one that was never issued', async () => {
    const { cookie } = await beginSession(t, 'owner')
    for (const wrong of ['', 'x', cookie.slice(0, -1), `${cookie}x`, cookie.replace('byn_ads', 'byn_crd')]) {
      const { status, headers } = await t.call('GET', PLATFORMS, { headers: cookieOf({ cookie: wrong }) })
      assert.equal(status, 401, wrong)
      assert(headers['www-authenticate'])
    }
  })

  it('records the administrator as the actor', async () => {
    const owner = await beginSession(t, 'owner')
    const { body } = await t.call('POST', PLATFORMS, { headers: fromOurPage(owner), body: { name: 'By cookie' } })
    const actors = await t.sql('select actor from catalogue_status_changes where entity_id = $1', [body.id])
    assert.deepEqual(actors, [{ actor: `owner:${owner.administratorId}` }])
  })
})

describe('a request that another site may have caused', () => {
  const write = (headers: Record<string, string>, body: unknown = { name: 'Planted' }) =>
    t.call('POST', PLATFORMS, { headers, body })
  const names = () => t.sql(`select 1 from platforms where name = 'Planted'`)

  it('403 for a write by cookie that does not come from one of our pages', async () => {
    const session = await beginSession(t, 'owner')
    for (const site of [undefined, 'cross-site', 'same-site', 'none', 'SAME-ORIGIN', 'same-origin, cross-site']) {
      const headers = { ...cookieOf(session), ...(site !== undefined && { 'sec-fetch-site': site }) }
      const response = await write({ ...headers, 'content-type': 'application/json' })
      assert.deepEqual([response.status, response.body.code], [403, 'forbidden'], site)
    }
    assert.deepEqual(await names(), [])
    assert.equal((await write(fromOurPage(session))).status, 201)
  })

  it('403 for a write by cookie that a form could send, and for one without a body', async () => {
    const headers = { ...cookieOf(await beginSession(t, 'owner')), 'sec-fetch-site': 'same-origin' }
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'x/json',
    ]) {
      assert.equal((await write({ ...headers, 'content-type': type }, '{"name":"Planted too"}')).status, 403, type)
    }
    const { id } = await t.platform()
    const credentials = `${PLATFORMS}/${id}/credentials`
    assert.equal((await t.call('POST', credentials, { headers })).status, 403)
    assert.equal((await t.call('POST', credentials, { headers, body: {} })).status, 201)
    assert.equal((await t.call('DELETE', `${credentials}/crd_missing`, { headers })).status, 200)
    const { 'sec-fetch-site': _, ...crossSite } = headers
    assert.equal((await t.call('DELETE', `${credentials}/crd_missing`, { headers: crossSite })).status, 403)
    assert.deepEqual(await t.sql(`select 1 from platforms where name = 'Planted too'`), [])
  })

  it('403 for a read by cookie that another site triggers; 200 for a URL that the person typed', async () => {
    const headers = cookieOf(await beginSession(t, 'viewer'))
    for (const site of ['cross-site', 'same-site']) {
      assert.equal(
        (await t.call('GET', PLATFORMS, { headers: { ...headers, 'sec-fetch-site': site } })).status,
        403,
        site,
      )
    }
    assert.equal((await t.call('GET', PLATFORMS, { headers: { ...headers, 'sec-fetch-site': 'none' } })).status, 200)
  })

  it('needs no such check with an access token, which no browser sends by itself', async () => {
    const { token } = await beginSession(t, 'owner')
    const body = { name: 'By access token' }
    assert.equal((await t.call('POST', PLATFORMS, { token, body })).status, 201)
  })
})

describe('a session', () => {
  it('401 after 30 minutes without use, and not before', async () => {
    const session = await beginSession(t, 'viewer')
    const headers = cookieOf(session)
    const read = () => t.call('GET', '/v1/auth/session', { headers })
    for (const minutes of [29, 29]) {
      later(minutes)
      const { status, body } = await read()
      assert.equal(status, 200)
      assert.equal(Date.parse(`${body.expires_at}Z`) / MINUTE_MS, Math.floor(t.clock.now().getTime() / 1000) / 60 + 30)
    }
    later(30)
    assert.equal((await read()).status, 401)
  })

  it('401 after 8 hours, however much it is used', async () => {
    const headers = cookieOf(await beginSession(t, 'viewer'))
    for (let minutes = 20; minutes < 480; minutes += 20) {
      later(20)
      assert.equal((await t.call('GET', '/v1/auth/session', { headers })).status, 200, `${minutes} minutes`)
    }
    later(20)
    assert.equal((await t.call('GET', '/v1/auth/session', { headers })).status, 401)
  })

  it('can be read with its access token; 404 with a token made on the host, 401 without either', async () => {
    const { token, administratorId } = await beginSession(t, 'operator')
    const { status, body } = await t.call('GET', '/v1/auth/session', { token })
    assert.deepEqual([status, body.administrator_id, body.role], [200, administratorId, 'operator'])
    assert.equal((await t.call('GET', '/v1/auth/session', { token: t.owner })).status, 404)
    assert.equal((await t.call('GET', '/v1/auth/session')).status, 401)
  })
})

describe('an access token of a session', () => {
  const ask = (headers: Record<string, string>) => t.call('POST', '/v1/auth/session/token', { headers, body: {} })

  it('lives for 15 minutes, and no longer than the session', async () => {
    later(0) // the clock stands, however busy the machine is
    const session = await beginSession(t, 'operator')
    const { status, body } = await ask(fromOurPage(session))
    assert.equal(status, 200)
    assert.deepEqual([body.token_type, body.expires_in], ['Bearer', 900])
    const { role, sub, sid } = claimsOf(body.access_token)
    assert.deepEqual({ role, sub, sid }, { role: 'operator', sub: session.administratorId, sid: session.id })
    assert.equal((await t.call('GET', PLATFORMS, { token: body.access_token })).status, 200)
    for (let minutes = 0; minutes < 475; minutes += 25) {
      later(25)
      await ask(fromOurPage(session))
    }
    assert.equal((await ask(fromOurPage(session))).body.expires_in, 5 * 60)
  })

  it('401 for an access token, which would renew itself; 403 for another site', async () => {
    const session = await beginSession(t, 'owner')
    assert.equal((await t.call('POST', '/v1/auth/session/token', { token: session.token, body: {} })).status, 401)
    assert.equal((await t.call('POST', '/v1/auth/session/token', { body: {} })).status, 401)
    assert.equal((await ask({ ...fromOurPage(session), 'sec-fetch-site': 'cross-site' })).status, 403)
  })
})

describe('logging out', () => {
  const out = (headers: Record<string, string>, body: object = {}): Promise<TestResponse> =>
    t.call('POST', '/v1/auth/logout', { headers, body })

  it('200, and 401 within a second for the cookie and its access tokens, in every process; nobody else is logged out', async () => {
    const [session, same] = [await beginSession(t, 'owner'), await beginSession(t, 'owner')]
    await isAlive(session)
    const { status, body, headers } = await out(fromOurPage(session))
    assert.deepEqual([status, body], [200, { success: true, end_session_url: null }])
    assert.match(String(headers['set-cookie']), new RegExp(`^${SESSION_COOKIE}=; Path=/; Max-Age=0; HttpOnly; Secure`))
    await isDeadWithinASecond(session)
    await isAlive(same)
  })

  it('200 without a session, and when repeated', async () => {
    const session = await beginSession(t, 'viewer')
    for (const headers of [fromOurPage(session), fromOurPage(session), fromOurPage({ cookie: 'x' }), {}]) {
      assert.deepEqual((await out(headers)).body, { success: true, end_session_url: null })
    }
  })

  it('403 for another site, which cannot log anyone out', async () => {
    const session = await beginSession(t, 'viewer')
    assert.equal((await out({ ...fromOurPage(session), 'sec-fetch-site': 'cross-site' })).status, 403)
    assert.equal((await t.call('POST', '/v1/auth/logout', { headers: cookieOf(session) })).status, 403)
    await isAlive(session)
    const body = { return_to: 'https://example.com' }
    assert.equal((await out(fromOurPage(session), body)).status, 422)
  })

  it('does not touch the cookie for the form of another site, with which browsers send none', async () => {
    const planted = { 'sec-fetch-site': 'cross-site', 'content-type': 'application/x-www-form-urlencoded' }
    const headers = { ...planted, 'content-length': '0' }
    const response = await t.call('POST', '/v1/auth/logout', { headers })
    assert.equal(response.status, 200)
    assert.equal(response.headers['set-cookie'], undefined)
  })

  it('deletes the cookie of a session, also of one that has ended', async () => {
    const session = await beginSession(t, 'viewer')
    for (const _ of ['live', 'ended']) {
      const { headers } = await out(fromOurPage(session))
      assert.match(String(headers['set-cookie']), new RegExp(`^${SESSION_COOKIE}=; Path=/; Max-Age=0;`))
    }
  })

  it('redirects to the identity provider, which then asks for a login', async () => {
    const site = await openLoginApp(t)
    const browser = site.openBrowser()
    await browser.logIn('sandbox-owner')
    const callback = /\/v1\/auth\/oidc\/callback/
    assert.match(await browser.callbackUrl('sandbox-owner'), callback)
    const { body } = await browser.fetch('POST', '/v1/auth/logout', { body: { return_to: '/dashboard' } })
    const url = new URL(body.end_session_url)
    assert.equal(url.origin, site.sandbox)
    assert.equal(url.searchParams.get('post_logout_redirect_uri'), `${site.origin}/dashboard`)
    const { text } = await browser.go(url.href)
    assert.match(text, /Log out here too\?/)
  })
})
