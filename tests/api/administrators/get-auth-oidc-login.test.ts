import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp } from '../../support/app.ts'
import { BY_OUR_LINK, openLoginApp } from '../../support/administrators.ts'

const t = await openTestApp()
const site = await openLoginApp(t)
const LOGIN = '/v1/auth/oidc/login'

describe('the start of a login', () => {
  it('302 to the identity provider, with everything that ties the response to this browser', async () => {
    const responses = await Promise.all([site.beginLogin(), site.beginLogin()])
    const [first, second] = responses.map(({ status, headers }) => {
      assert.equal(status, 302)
      return new URL(headers['location'] ?? '')
    })
    assert(first && second)
    assert.equal(first.origin, site.sandbox)
    const { state, nonce, code_challenge, ...rest } = Object.fromEntries(first.searchParams)
    assert.deepEqual(rest, {
      client_id: 'banyan',
      response_type: 'code',
      scope: 'openid profile email',
      redirect_uri: `${site.origin}/v1/auth/oidc/callback`,
      code_challenge_method: 'S256',
    })
    for (const [name, value = ''] of Object.entries({ state, nonce, code_challenge })) {
      assert(value.length >= 43, name)
      assert.notEqual(second.searchParams.get(name), value, name)
    }
    for (const { cookies } of responses) assert.doesNotMatch(String(cookies), new RegExp(`${state}|${nonce}`))
  })

  it('302 for our own pages, as a browser resolves them', async () => {
    const pages = ['/docs', '/docs/', '/docs?a=b', '/dashboard#top', '/dashboard/people?page=2', '/docs/../dashboard/x']
    for (const page of pages) {
      const { status, text } = await site.beginLogin(`?return_to=${encodeURIComponent(page)}`)
      assert.equal(status, 302, `${page} ${text}`)
    }
  })

  it('every page to return to exists', async () => {
    for (const page of ['/docs', '/docs/try', '/dashboard', '/dashboard/', '/dashboard/people?page=2']) {
      const { status, headers } = await site.call('GET', page)
      assert.deepEqual([status, headers['content-type']], [200, 'text/html; charset=utf-8'], page)
    }
    assert.equal((await site.call('GET', '/dashboards')).status, 404)
  })

  it('422 for any other page to return to', async () => {
    const elsewhere = ['http://example.com/docs', '//example.com/docs', '/\\example.com/docs', 'docs', '/', '/v1/users']
    const tricks = [
      '/docs/../v1/users',
      '/docs/%2e%2e/v1/users',
      '/docsx',
      '/docs\\..\\v1',
      '/\t/example.com/docs',
      'javascript:alert(1)',
    ]
    for (const page of [...elsewhere, ...tricks]) {
      const { status, body, cookies } = await site.beginLogin(`?return_to=${encodeURIComponent(page)}`)
      assert.equal(status, 422, page)
      assert.equal(body.errors[0].pointer, 'query:return_to', page)
      assert.deepEqual(cookies, [])
    }
    assert.equal((await site.beginLogin('?return_to=/docs&return_to=/docs')).status, 422)
    assert.equal((await site.beginLogin('?client_id=other')).status, 422)
  })

  it('302 by a link of our pages, in the address bar, by a bookmark and by a program; 403 by anything of another site', async () => {
    const by = (from: string | undefined, query = '') =>
      site.call('GET', `${LOGIN}${query}`, { headers: from === undefined ? {} : { 'sec-fetch-site': from } })
    for (const from of ['same-origin', 'none', undefined]) assert.equal((await by(from)).status, 302, from)
    for (const from of ['cross-site', 'same-site', 'Same-Origin', '']) {
      for (const query of ['', '?return_to=/docs', '?return_to=//example.com']) {
        const { status, body, headers, cookies } = await by(from, query)
        assert.deepEqual([status, body.code], [403, 'forbidden'], `${from} ${query}`)
        assert.match(body.detail, /Open \/docs and log in there/)
        assert.deepEqual([headers['location'], cookies], [undefined, []], 'nothing of a login has begun')
      }
    }
  })

  it('404 with an explanation where no identity provider is configured', async () => {
    for (const url of [LOGIN, '/v1/auth/oidc/callback?code=x']) {
      const { status, body } = await t.call('GET', url, { headers: BY_OUR_LINK })
      assert.deepEqual([status, body.code], [404, 'not_found'])
      assert.match(body.detail, /OIDC_ISSUER is not set/)
    }
    assert.doesNotMatch((await t.call('GET', '/docs/try')).text, /session\.js/)
    const page = await site.call('GET', '/docs/try')
    assert.match(page.text, /src="\/docs\/try\/static\/session\.js"/)
    assert.doesNotMatch(String(page.headers['content-security-policy']), /unsafe/)
  })
})
