import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { claimAt } from '../../../../src/domains/administration/administrators/claim-at.ts'
import { openTestApp } from '../../../support/app.ts'
import { BY_OUR_LINK, openLoginApp } from '../../../support/administrators.ts'
import { startIdentityProviderDouble } from '../../../support/identity-provider-double.ts'

const t = await openTestApp({ own: true })
const double = await startIdentityProviderDouble()
const site = await openLoginApp(t, { issuer: double.issuer })

type Behaviour = Parameters<typeof double.behave>[0]

/** Completes a login at the double, which behaves as given; an installation of its own reads the metadata again. */
async function completeLogin(behaviour: Behaviour, to = site) {
  double.behave(behaviour)
  const browser = to.openBrowser()
  return { ...(await browser.go(await browser.callbackUrl('sandbox-owner'))), browser }
}

const another = () => openLoginApp(t, { issuer: double.issuer })
const BASIC = 'client_secret_basic'
const POST = 'client_secret_post'

describe('how the program authenticates at the token endpoint', () => {
  it('is Basic where the metadata say nothing, and what they say where they do', async () => {
    assert.equal((await completeLogin({ accepts: BASIC }, await another())).status, 302)
    assert.deepEqual(double.tried, [BASIC])
    assert.equal((await completeLogin({ methods: [BASIC, 'none'], accepts: BASIC }, await another())).status, 302)
    assert.deepEqual(double.tried, [BASIC])
    assert.equal((await completeLogin({ methods: [POST], accepts: POST }, await another())).status, 302)
    assert.deepEqual(double.tried, [POST])
  })

  it('is the other one that the provider names where this client is registered for that, from then on', async () => {
    const to = await another()
    const behaviour: Behaviour = { methods: [POST, BASIC], accepts: POST }
    assert.equal((await completeLogin(behaviour, to)).status, 302)
    assert.deepEqual(double.tried, [BASIC, POST])
    assert.equal((await completeLogin(behaviour, to)).status, 302)
    assert.deepEqual(double.tried, [POST])
  })

  it('400 that names the error of OAuth when id or secret is wrong: nothing is unavailable', async () => {
    const { status, text, browser } = await completeLogin({ accepts: 'none of them' }, await another())
    assert.equal(status, 400, text)
    const { code, detail } = JSON.parse(text) as { code: string; detail: string }
    assert.equal(code, 'login_failed')
    assert.match(detail, /\(invalid_client\).*OIDC_CLIENT_ID, OIDC_CLIENT_SECRET/)
    assert.equal(browser.cookie(), undefined)
    for (const error of ['unauthorized_client', 'unsupported_grant_type']) {
      const other = await completeLogin({ tokenStatus: 400, userinfo: { error } })
      assert.equal(other.status, 400)
      assert.match(JSON.parse(other.text).detail, new RegExp(error))
    }
    assert.equal((await completeLogin({ tokenStatus: 503 })).status, 503)
  })
})

describe('what the program believes of an identity provider', () => {
  it('302 at once with a key that is new, under its old id or another', async () => {
    for (const kid of ['one', 'two']) {
      assert.equal((await completeLogin({})).status, 302)
      assert.equal((await completeLogin({ newKey: { kid } })).status, 302, kid)
    }
  })

  it('503 for a response that is too large, and 400 for an ID token of the future', async () => {
    assert.equal((await completeLogin({ padding: 100_000 })).status, 302)
    assert.equal((await completeLogin({ padding: 300_000 })).status, 503)
    const iat = Math.floor(Date.now() / 1000) + 3_600
    assert.equal((await completeLogin({ claims: { iat, exp: iat + 300 } })).status, 400)
  })

  it('is a role by a path whose names hold dots, the longest name first', () => {
    const claims = {
      resource_access: { 'banyan.api': { roles: ['owner'] }, banyan: { api: { roles: ['viewer'] }, other: 1 } },
      'https://example.com/roles': 'operator',
    }
    assert.deepEqual(claimAt(claims, 'resource_access.banyan.api.roles'), ['owner'])
    assert.equal(claimAt(claims, 'resource_access.banyan.other'), 1)
    assert.equal(claimAt(claims, 'https://example.com/roles'), 'operator')
    assert.equal(claimAt(claims, 'resource_access.banyan.api.none'), undefined)
    assert.equal(claimAt(claims, 'resource_access.banyan.api.roles.length.x'), undefined)
  })

  it('is a name in the user info only, which need not be there', async () => {
    const { browser } = await completeLogin({ claims: { sub: 'named' }, userinfo: { name: 'Asha Example' } })
    assert.equal((await browser.fetch('GET', '/v1/auth/session')).body.name, 'Asha Example')
    const other = await completeLogin({
      claims: { sub: 'named' },
      userinfo: { sub: 'somebody-else', name: 'Ravi Example' },
    })
    assert.equal((await other.browser.fetch('GET', '/v1/auth/session')).body.name, null)
  })

  it('403 without a role, which ends the sessions of that person and of nobody else', async () => {
    const [loses, stays] = [
      await completeLogin({ claims: { sub: 'loses' } }),
      await completeLogin({ claims: { sub: 'stays' } }),
    ]
    const none = await completeLogin({ claims: { sub: 'loses', roles: ['staff'] } })
    assert.equal(none.status, 403, none.text)
    assert.equal((await loses.browser.fetch('GET', '/v1/auth/session')).status, 401)
    assert.equal((await stays.browser.fetch('GET', '/v1/auth/session')).status, 200)
    assert.equal((await completeLogin({ claims: { sub: 'nobody-known', roles: [] } })).status, 403)
  })
})

describe('the page of a login that did not succeed', () => {
  const asBrowser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8', ...BY_OUR_LINK }
  const visit = (path: string, headers: Record<string, string> = asBrowser) =>
    fetch(`${site.origin}${path}`, { headers, redirect: 'manual' })

  it('is HTML with a way back for a browser, and a problem for everyone else', async () => {
    const response = await visit('/v1/auth/oidc/callback?error=access_denied')
    assert.deepEqual([response.status, response.headers.get('content-type')], [400, 'text/html; charset=utf-8'])
    const page = await response.text()
    assert.match(page, /No login was started in this browser/)
    assert.match(page, /href="\/v1\/auth\/oidc\/login\?return_to=%2Fdashboard"/)
    assert.match(response.headers.get('content-security-policy') ?? '', /style-src 'sha256-/)
    for (const accept of ['*/*', 'application/json', 'application/problem+json, text/html;q=0.5']) {
      const other = await visit('/v1/auth/oidc/callback', { ...asBrowser, accept })
      assert.match(other.headers.get('content-type') ?? '', /^application\/problem\+json/, accept)
    }
    assert.equal(
      (await visit('/v1/auth/oidc/login?return_to=/elsewhere')).headers.get('content-type'),
      'text/html; charset=utf-8',
    )
  })

  it('302 to the dashboard instead, when it is loaded again by somebody who is logged in', async () => {
    const { browser } = await completeLogin({})
    const again = await browser.go('/v1/auth/oidc/callback?code=a-code&state=x')
    assert.deepEqual([again.status, again.location], [302, '/dashboard'])
  })
})
