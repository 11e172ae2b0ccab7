import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp } from '../support/app.ts'

const t = await openTestApp()
const platform = await t.platform()

/** One of each kind of response: record, error of each stage, page, file of a page, document, check of a card. */
const RESPONSES = [
  { url: '/v1/benefit_providers', headers: { authorization: `Bearer ${platform.token}` }, status: 200 },
  { url: '/v1/benefit_providers', headers: {}, status: 401 },
  { url: '/v1/audit_log', headers: { authorization: `Bearer ${platform.token}` }, status: 403 },
  { url: '/nowhere', headers: {}, status: 404 },
  { url: '/v1/users/%E0%A4%A', headers: {}, status: 400 },
  { url: '/livez', headers: {}, status: 200 },
  { url: '/openapi.json', headers: {}, status: 200 },
  { url: '/.well-known/jwks.json', headers: {}, status: 200 },
  { url: '/docs', headers: {}, status: 200 },
  { url: '/docs/try', headers: {}, status: 200 },
  { url: '/docs/reference/states/policy.svg', headers: {}, status: 200 },
  { url: '/docs/assets/handbook.css', headers: {}, status: 200 },
  { url: '/docs/errors', headers: {}, status: 200 },
  { url: '/docs/events', headers: {}, status: 200 },
  { url: '/docs/try/static/swagger-ui.css', headers: {}, status: 200 },
  { url: '/verify/health_card/none', headers: { accept: 'text/html' }, status: 200 },
]

/** The directives of a content security policy, each once. */
function directivesIn(policy: unknown): Map<string, string[]> {
  const directives = String(policy)
    .split('; ')
    .map((directive) => directive.split(' '))
  const names = directives.map(([name]) => name)
  assert.deepEqual(names, [...new Set(names)], 'no directive stands twice')
  return new Map(directives.map(([name = '', ...sources]) => [name, sources]))
}

describe('what every response says to a browser', () => {
  for (const { url, headers, status } of RESPONSES) {
    it(`loads nothing from elsewhere, is shown in no frame and sends no referrer: ${status} ${url}`, async () => {
      const response = await t.app.inject({ url, headers })
      assert.equal(response.statusCode, status)
      const policy = directivesIn(response.headers['content-security-policy'])
      assert.deepEqual(policy.get('default-src'), ["'none'"])
      assert.deepEqual(policy.get('base-uri'), ["'none'"])
      assert.deepEqual(policy.get('frame-ancestors'), ["'none'"])
      assert(policy.has('form-action'))
      for (const source of [...policy.values()].flat()) assert.match(source, /^('none'|'self'|data:|'sha256-.+')$/)
      assert.equal(response.headers['referrer-policy'], 'no-referrer')
      assert.equal(response.headers['x-content-type-options'], 'nosniff')
      assert.deepEqual(
        Object.keys(response.headers).filter((name) => name.startsWith('access-control-')),
        [],
        'no other origin reads it',
      )
    })
  }

  it('keeps no credential that was entered on /docs/try in the storage of the browser', async () => {
    const { body } = await t.app.inject({ url: '/docs/try/static/try.js' })
    assert.match(body, /persistAuthorization: false/)
  })
})
