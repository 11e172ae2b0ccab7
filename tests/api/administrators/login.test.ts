import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp } from '../../support/app.ts'
import { FLOW_COOKIE, openLoginApp, SESSION_COOKIE } from '../../support/administrators.ts'

const t = await openTestApp()
const site = await openLoginApp(t)

const PEOPLE = [
  { person: 'sandbox-viewer', name: 'Meera Example', role: 'viewer' },
  { person: 'sandbox-operator', name: 'Ravi Example', role: 'operator' },
  { person: 'sandbox-owner', name: 'Asha Example', role: 'owner' },
] as const

describe('an administrator who logs in at the identity provider', () => {
  for (const { person, name, role } of PEOPLE) {
    it(`302 to the page asked for, with a session: ${person}`, async () => {
      const browser = site.openBrowser()
      const answer = await browser.logIn(person, '/docs/errors?from=here#not_found')
      assert.equal(answer.location, '/docs/errors?from=here#not_found')
      const { status, body } = await browser.fetch('GET', '/v1/auth/session')
      assert.equal(status, 200)
      const { administrator_id, expires_at, ...rest } = body
      assert.deepEqual(rest, { name, role })
      assert.match(administrator_id, /^adm_/)
      assert(Math.abs(Date.parse(`${expires_at}Z`) - Date.now() - 30 * 60_000) < 60_000, expires_at)
    })
  }

  it('gets a cookie that scripts and other hosts never see, and keeps nothing of the login', async () => {
    const browser = site.openBrowser()
    const { cookies } = await site.call('GET', (await browser.go('/v1/auth/oidc/login')).url.pathname)
    assert.match(
      String(cookies),
      new RegExp(`^${FLOW_COOKIE}=[^;]+; Path=/; Max-Age=600; HttpOnly; Secure; SameSite=Lax$`),
    )
    const answer = await browser.logIn('sandbox-owner')
    assert.equal(answer.location, '/docs')
    const [flow = '', session = ''] = 'cookies' in answer ? answer.cookies : []
    assert.match(flow, new RegExp(`^${FLOW_COOKIE}=; Path=/; Max-Age=0;`))
    assert.match(
      session,
      new RegExp(`^${SESSION_COOKIE}=byn_ads_[^;]+; Path=/; Max-Age=28800; HttpOnly; Secure; SameSite=Lax$`),
    )
    assert.equal(browser.cookie(FLOW_COOKIE), undefined)
  })
})
