import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { openTestApp } from '../../support/app.ts'
import { FLOW_COOKIE, openLoginApp, SESSION_COOKIE } from '../../support/administrators.ts'

const t = await openTestApp()
const site = await openLoginApp(t)
const CALLBACK = '/v1/auth/oidc/callback'

afterEach(() => (t.clock.at = undefined))

const PEOPLE = [
  { person: 'sandbox-viewer', name: 'Meera Example', role: 'viewer' },
  { person: 'sandbox-operator', name: 'Ravi Example', role: 'operator' },
  { person: 'sandbox-owner', name: 'Asha Example', role: 'owner' },
] as const

const count = async () => {
  const [row] = await t.sql<{ people: number; sessions: number }>(
    'select (select count(*)::int from administrators) as people, (select count(*)::int from administrator_sessions) as sessions',
  )
  return row
}

/** Returns the callback URL of a login started here, with other parameters. */
const altered = (url: string, name: string, value: string) => {
  const changed = new URL(url)
  changed.searchParams.set(name, value)
  return changed.href
}

describe('an administrator returning from the identity provider', () => {
  for (const { person, name, role } of PEOPLE) {
    it(`302 to the requested page, with a session of the right role: ${person}`, async () => {
      const browser = site.openBrowser()
      const response = await browser.logIn(person, '/docs/errors?from=here#not_found')
      assert.equal(response.location, '/docs/errors?from=here#not_found')
      const { status, body } = await browser.fetch('GET', '/v1/auth/session')
      assert.equal(status, 200)
      const { administrator_id, expires_at, ...rest } = body
      assert.deepEqual(rest, { name, role, owner_id: null })
      assert.match(administrator_id, /^adm_/)
      assert(Math.abs(Date.parse(`${expires_at}Z`) - Date.now() - 30 * 60_000) < 60_000, expires_at)
    })
  }

  it('gets a cookie that scripts and other hosts never see, and nothing of the login is kept', async () => {
    const browser = site.openBrowser()
    const begun = await site.beginLogin()
    assert.match(
      String(begun.cookies),
      new RegExp(`^${FLOW_COOKIE}=[^;]+; Path=/; Max-Age=600; HttpOnly; Secure; SameSite=Lax$`),
    )
    const response = await browser.logIn('sandbox-owner')
    assert.equal(response.location, '/docs')
    const [flow = '', session = ''] = 'cookies' in response ? response.cookies : []
    assert.match(flow, new RegExp(`^${FLOW_COOKIE}=; Path=/; Max-Age=0;`))
    assert.match(
      session,
      new RegExp(`^${SESSION_COOKIE}=byn_ads_[^;]+; Path=/; Max-Age=28800; HttpOnly; Secure; SameSite=Lax$`),
    )
    assert.equal(browser.cookie(FLOW_COOKIE), undefined)
  })

  it('is the same administrator each time, with a new session each time', async () => {
    const browsers = [site.openBrowser(), site.openBrowser()]
    for (const browser of browsers) await browser.logIn('sandbox-viewer')
    const seen = await Promise.all(browsers.map((browser) => browser.fetch('GET', '/v1/auth/session')))
    assert.equal(new Set(seen.map(({ body }) => body.administrator_id)).size, 1)
    assert.equal(new Set(browsers.map((browser) => browser.cookie())).size, 2)
  })

  it('is one administrator after two concurrent first logins', async () => {
    await t.sql('delete from administrator_sessions')
    await t.sql('delete from administrators')
    const browsers = [site.openBrowser(), site.openBrowser(), site.openBrowser()]
    const addresses = await Promise.all(browsers.map((browser) => browser.callbackUrl('sandbox-operator')))
    const responses = await Promise.all(browsers.map((browser, index) => browser.go(addresses[index] ?? '')))
    assert.deepEqual(
      responses.map(({ status }) => status),
      [302, 302, 302],
    )
    assert.deepEqual(await count(), { people: 1, sessions: 3 })
  })

  it('gets a new session; one it arrived with is worthless to anyone who knows it', async () => {
    const browser = site.openBrowser()
    await browser.logIn('sandbox-viewer')
    const before = browser.cookie() ?? ''
    await browser.logIn('sandbox-viewer')
    assert.notEqual(browser.cookie(), before)
    const headers = { cookie: `${SESSION_COOKIE}=${before}` }
    assert.equal((await site.call('GET', '/v1/auth/session', { headers })).status, 401)
  })

  it('never continues a session that somebody else has chosen', async () => {
    const browser = site.openBrowser()
    const planted = 'byn_ads_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA_0000000'
    browser.setCookie(SESSION_COOKIE, planted)
    await browser.logIn('sandbox-owner')
    assert.notEqual(browser.cookie(), planted)
    const headers = { cookie: `${SESSION_COOKIE}=${planted}` }
    assert.equal((await site.call('GET', '/v1/auth/session', { headers })).status, 401)
  })
})

describe('a callback that proves nothing', () => {
  /** Asserts a 400 that creates neither an administrator nor a session. */
  async function refused(browser: ReturnType<typeof site.openBrowser>, url: string, said: RegExp): Promise<void> {
    const before = await count()
    const response = await browser.go(url)
    assert.equal(response.status, 400, response.text)
    const { code, detail } = JSON.parse(response.text) as { code: string; detail: string }
    assert.equal(code, 'login_failed')
    assert.match(detail, said)
    assert.equal(browser.cookie(), undefined)
    assert.deepEqual(await count(), before)
  }

  it('400 in a browser that has not started a login, whatever it sends', async () => {
    const url = await site.openBrowser().callbackUrl('sandbox-owner')
    for (const forged of [url, CALLBACK, `${CALLBACK}?code=x&state=y`, `${CALLBACK}?error=access_denied`]) {
      await refused(site.openBrowser(), forged, /No login was started/)
    }
    const browser = site.openBrowser()
    for (const cookie of ['', 'x', 'AAAA'.repeat(40), '%']) {
      browser.setCookie(FLOW_COOKIE, cookie)
      await refused(browser, url, /No login was started/)
    }
  })

  it('400 for the callback of a login that somebody else has started', async () => {
    const victim = site.openBrowser()
    await victim.go('/v1/auth/oidc/login')
    await refused(victim, await site.openBrowser().callbackUrl('sandbox-owner'), /could not be verified/)
  })

  for (const [name, value] of [
    ['state', 'of-somebody-else'],
    ['iss', 'http://identity.test'],
    ['code', 'guessed'],
  ] as const) {
    it(`400 for another ${name}`, async () => {
      const browser = site.openBrowser()
      const url = await browser.callbackUrl('sandbox-owner')
      await refused(browser, altered(url, name, value), /could not be verified/)
    })
  }

  it('400 without the issuer, which this provider promises to send', async () => {
    const browser = site.openBrowser()
    const url = new URL(await browser.callbackUrl('sandbox-owner'))
    url.searchParams.delete('iss')
    await refused(browser, url.href, /could not be verified/)
  })

  it('400 for a code already used', async () => {
    const browser = site.openBrowser()
    const url = await browser.callbackUrl('sandbox-owner')
    const flow = browser.cookie(FLOW_COOKIE) ?? ''
    assert.equal((await browser.go(url)).status, 302)
    const again = site.openBrowser()
    again.setCookie(FLOW_COOKIE, flow)
    await refused(again, url, /could not be verified/)
  })

  it('400 more than ten minutes later', async () => {
    const browser = site.openBrowser()
    const url = await browser.callbackUrl('sandbox-owner')
    t.clock.at = new Date(Date.now() + 10 * 60_000)
    await refused(browser, url, /ten minutes/)
  })

  it('400 when the provider rejected the person', async () => {
    const browser = site.openBrowser()
    const url = new URL(await browser.callbackUrl('sandbox-owner'))
    url.searchParams.delete('code')
    await refused(browser, altered(url.href, 'error', 'access_denied'), /could not be verified/)
  })
})
