import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp } from '../../../support/app.ts'
import { DEADLINE_MS, within } from '../../../support/deadline.ts'
import { openLoginApp } from '../../../support/administrators.ts'
import { startIdentityProviderDouble } from '../../../support/identity-provider-double.ts'

const t = await openTestApp({ own: true })
const double = await startIdentityProviderDouble()
const site = await openLoginApp(t, { issuer: double.issuer })
const strict = await openLoginApp(t, { issuer: double.issuer, requiredAcr: ['phr', 'urn:example:two-factors'] })

const seconds = (offset: number) => Math.floor(Date.now() / 1000) + offset

/** Completes a login at the double, which behaves as given. */
async function completeLogin(behaviour: Parameters<typeof double.behave>[0], to = site) {
  double.behave(behaviour)
  const browser = to.openBrowser()
  const response = await browser.go(await browser.callbackUrl('sandbox-owner'))
  return { ...response, browser }
}

async function roleAfter(behaviour: Parameters<typeof double.behave>[0], to = site): Promise<string> {
  const { status, text, browser } = await completeLogin(behaviour, to)
  assert.equal(status, 302, text)
  return (await browser.fetch('GET', '/v1/auth/session')).body.role
}

/** Replaces the header of a token. */
const withHeader = (header: object) => (token: string) =>
  token.replace(/^[^.]+/, Buffer.from(JSON.stringify(header)).toString('base64url'))

describe('an ID token that is not for this login', () => {
  const FORGED: [string, Parameters<typeof double.behave>[0]][] = [
    ['for another program', { claims: { aud: 'another-program' } }],
    ['for others too, and not asked for by us', { claims: { aud: ['banyan', 'other'], azp: 'other' } }],
    ['of another login', { claims: { nonce: 'of-another-login' } }],
    ['of no login', { claims: { nonce: undefined } }],
    ['of another issuer', { claims: { iss: 'http://identity.test' } }],
    ['of nobody', { claims: { sub: undefined } }],
    ['of nobody, by an empty name', { claims: { sub: '' } }],
    ['asked for by another program', { claims: { azp: 'other' } }],
    ['expired', { claims: { iat: seconds(-900), exp: seconds(-60) } }],
    ['signed with a key that is not published', { foreignKey: true }],
    ['not signed', { reshape: (token) => withHeader({ alg: 'none' })(token).replace(/[^.]+$/, '') }],
    ['signed with our own secret', { reshape: withHeader({ alg: 'HS256', kid: 'one' }) }],
    ['of an unknown kind', { reshape: withHeader({ alg: 'ES256', kid: 'one', crit: ['x'], x: 1 }) }],
    ['encrypted', { reshape: () => 'e30.e30.e30.e30.e30' }],
    ['in the URL, where any page can put it', { callback: { id_token: 'x' } }],
  ]
  for (const [what, behaviour] of FORGED) {
    it(`400 when it is ${what}`, async () => {
      const { status, text, browser } = await completeLogin(behaviour)
      assert.equal(status, 400, text)
      assert.equal(JSON.parse(text).code, 'login_failed')
      assert.equal(browser.cookie(), undefined)
    })
  }

  it('302 although its clock is half a minute off', async () => {
    assert.equal(await roleAfter({ claims: { iat: seconds(20), exp: seconds(300) } }), 'owner')
    assert.equal(await roleAfter({ claims: { iat: seconds(-300), exp: seconds(-20) } }), 'owner')
  })
})

describe('a required strength of the login', () => {
  it('is requested from the provider, and none where none is required', async () => {
    const requested = async (to: typeof site) =>
      new URL((await to.beginLogin()).headers['location'] ?? '').searchParams.get('acr_values')
    assert.equal(await requested(strict), 'phr urn:example:two-factors')
    assert.equal(await requested(site), null)
  })

  it('403 for a weaker login, or one of unknown strength, with what to do about it; nothing of it is kept', async () => {
    const known = await t.sql('select session_id from administrator_sessions')
    const WEAK: Parameters<typeof double.behave>[0][] = [
      {},
      { claims: { acr: '0' } },
      { claims: { acr: 'PHR' } },
      { claims: { acr: ['phr'] } },
      { claims: { acr: 'phr urn:example:two-factors' } },
      { claims: { roles: undefined }, userinfo: { acr: 'phr', roles: ['owner'] } },
    ]
    for (const behaviour of WEAK) {
      const { status, text, browser } = await completeLogin(behaviour, strict)
      assert.equal(status, 403, JSON.stringify(behaviour))
      assert.equal(JSON.parse(text).code, 'forbidden')
      assert.match(JSON.parse(text).detail, /OIDC_REQUIRED_ACR.*all factors/)
      assert.equal(browser.cookie(), undefined)
    }
    assert.deepEqual(await t.sql('select session_id from administrator_sessions'), known)
    for (const acr of ['phr', 'urn:example:two-factors'])
      assert.equal(await roleAfter({ claims: { acr } }, strict), 'owner')
  })
})

describe('the role of an administrator', () => {
  it('is the highest that the claim grants', async () => {
    assert.equal(await roleAfter({ claims: { roles: ['viewer', 'operator', 'something else'] } }), 'operator')
    assert.equal(await roleAfter({ claims: { roles: 'viewer' } }), 'viewer')
  })

  it('is that of the last login: changes at the provider apply from the next login', async () => {
    const first = await completeLogin({ claims: { sub: 'promoted', roles: ['viewer'] } })
    assert.equal(await roleAfter({ claims: { sub: 'promoted', roles: ['owner'] } }), 'owner')
    assert.equal((await first.browser.fetch('GET', '/v1/auth/session')).body.role, 'viewer')
  })

  it('is not exceeded by earlier sessions: a login with a lower role ends those with a higher one, and their tokens', async () => {
    const { browser: owner } = await completeLogin({ claims: { sub: 'demoted', roles: ['owner'] } })
    const { browser: bystander } = await completeLogin({ claims: { sub: 'another', roles: ['owner'] } })
    const { access_token: token } = (await owner.fetch('POST', '/v1/auth/session/token', { body: {} })).body
    const operator = await completeLogin({ claims: { sub: 'demoted', roles: ['operator'] } })
    assert.equal((await owner.fetch('GET', '/v1/auth/session')).status, 401)
    assert.equal((await operator.browser.fetch('GET', '/v1/auth/session')).status, 200)
    assert.equal((await bystander.fetch('GET', '/v1/auth/session')).status, 200, 'that of another person goes on')
    await within(DEADLINE_MS, async () => (await site.call('GET', '/v1/administrators', { token })).status === 401)
  })

  it('403 without a role: nobody else gets in', async () => {
    const known = await t.sql('select administrator_id from administrators')
    for (const roles of [undefined, [], ['somebody'], 'Owner', 7, { owner: true }, null, [['owner']], [[['owner']]]]) {
      const { status, text, browser } = await completeLogin({ claims: { sub: 'nobody', roles } })
      assert.equal(status, 403, JSON.stringify(roles))
      assert.match(JSON.parse(text).detail, /no role here/)
      assert.equal(browser.cookie(), undefined)
    }
    assert.deepEqual(await t.sql('select administrator_id from administrators'), known)
  })

  it('is fetched from the userinfo endpoint when the ID token lacks it, for the same person only', async () => {
    assert.equal(await roleAfter({ claims: { roles: undefined }, userinfo: { roles: ['operator'] } }), 'operator')
    const swapped = { claims: { roles: undefined }, userinfo: { sub: 'somebody else', roles: ['owner'] } }
    assert.equal((await completeLogin(swapped)).status, 400)
  })

  it('comes from the configured claim and values', async () => {
    const roles = new Map([['CN=Admins,OU=Groups', 'operator' as const]])
    const nested = await openLoginApp(t, { issuer: double.issuer, roleClaim: 'realm_access.roles', roles })
    const claims = { realm_access: { roles: ['owner', 'CN=Admins,OU=Groups'] } }
    assert.equal(await roleAfter({ claims }, nested), 'operator')
    assert.equal((await completeLogin({ claims: { roles: ['CN=Admins,OU=Groups'] } }, nested)).status, 403)
    const dotted = await openLoginApp(t, { issuer: double.issuer, roleClaim: 'https://example.com/roles' })
    assert.equal(await roleAfter({ claims: { 'https://example.com/roles': ['viewer'] } }, dotted), 'viewer')
  })
})

describe('the name of an administrator', () => {
  const nameAfter = async (claims: object) => {
    const { browser } = await completeLogin({ claims: { ...claims } })
    return (await browser.fetch('GET', '/v1/auth/session')).body.name
  }

  it('comes from the provider and is stored sealed', async () => {
    assert.equal(await nameAfter({ sub: 'a', name: 'Asha Example', email: 'asha@example.com' }), 'Asha Example')
    assert.equal(await nameAfter({ sub: 'b', preferred_username: 'ravi', email: 'ravi@example.com' }), 'ravi')
    assert.equal(await nameAfter({ sub: 'c', email: 'meera@example.com' }), 'meera@example.com')
    assert.equal(await nameAfter({ sub: 'd', name: { first: 'Asha' } }), null)
    assert.equal(await nameAfter({ sub: 'e', name: 'अ'.repeat(500) }), 'अ'.repeat(200))
    const rows = await t.sql<{ text: string }>(
      'select row::text as text from administrators row union all select row::text from administrator_sessions row',
    )
    assert(rows.length > 5)
    for (const { text } of rows) assert.doesNotMatch(text, /Asha|ravi|meera|example\.com|somebody|eyJ[\w-]+\./)
  })
})

describe('a failing identity provider', () => {
  it('503 when it returns an error, and nobody is logged in', async () => {
    const { status, headers, browser } = { headers: {}, ...(await completeLogin({ tokenStatus: 500 })) }
    assert.equal(status, 503)
    assert.equal((headers as Record<string, string>)['retry-after'], '2')
    assert.equal(browser.cookie(), undefined)
  })

  it('503 when its metadata are those of another issuer, which could log anybody in', async () => {
    double.behave({})
    const otherSpelling = double.issuer.replace('127.0.0.1', 'localhost')
    const to = await openLoginApp(t, { issuer: otherSpelling })
    const response = await to.beginLogin()
    assert.equal(response.status, 503, response.text)
    assert.deepEqual(
      double.asked,
      ['/.well-known/openid-configuration'],
      'it was there, and nothing else was asked for',
    )
  })

  it('503 while it is unreachable, and 302 as soon as it is back', async () => {
    const away = await startIdentityProviderDouble()
    const to = await openLoginApp(t, { issuer: `${away.issuer}/nothing-here` })
    const response = await to.beginLogin()
    assert.equal(response.status, 503, response.text)
    assert.equal(response.cookies.length, 0)
    await away.stop()
    const gone = await openLoginApp(t, { issuer: away.issuer })
    assert.equal((await gone.beginLogin()).status, 503)
  })
})
