import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp } from '../support/app.ts'
import { errorsOf } from '../support/problems.ts'

const t = await openTestApp()
const platform = await t.platform()
const { token } = platform

const withAuthorization = (authorization: string, url = '/v1/users') =>
  t.call('GET', url, { headers: { authorization } })

describe('the detail of a 401 says which credential to send, and where to get it', () => {
  it('when none was sent, or a basic_token instead of an access token', async () => {
    const none = await t.call('GET', '/v1/users')
    assert.match(none.body.detail, /Authorization: Bearer/)
    for (const authorization of ['Basic Y3JkX3g6eA==', 'Bearer Y3JkX3g6eA==', 'token', 'Token abc']) {
      const { status, body } = await withAuthorization(authorization)
      assert.equal(status, 401)
      assert.match(body.detail, /Authorization: Bearer/, authorization)
      assert.match(body.detail, /POST \/v1\/oauth\/token/, authorization)
    }
  })

  it('when the token is for the other interface; not when it was issued elsewhere', async () => {
    const { id } = await t.user(platform)
    const { status, body } = await withAuthorization(`Bearer ${token}`, '/wallet/v1/wallet')
    assert.equal(status, 401)
    assert.match(body.detail, /\/wallet\/v1\/auth\/otp\/verify/)
    const wallet = await withAuthorization(`Bearer ${await t.walletToken(platform, { id })}`)
    assert.equal(wallet.status, 401)
    assert.match(wallet.body.detail, /\/wallet\/v1\/auth\/otp\/verify/)
    assert.doesNotMatch((await withAuthorization('Bearer abc.def.ghi')).body.detail, /wallet/)
  })

  it('when a client sends its credential in the form instead of the header', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const body = 'grant_type=client_credentials&client_id=crd_x&client_secret=x'
    const refused = await t.call('POST', '/v1/oauth/token', { headers, body })
    assert.equal(refused.status, 401)
    assert.match(refused.body.detail, /Authorization: Basic/)
  })
})

describe('the detail of a 415 names the media types that the operation reads', () => {
  const urlEncoded = { 'content-type': 'application/x-www-form-urlencoded' }

  it('JSON, a merge patch, a form or a PDF', async () => {
    const detailOf = async (method: 'POST' | 'PATCH' | 'PUT', url: string, headers: Record<string, string>) => {
      const { status, body } = await t.call(method, url, { token, headers, body: 'a=b' })
      assert.equal(status, 415, url)
      return body.detail as string
    }
    assert.match(await detailOf('POST', '/v1/auth/token', urlEncoded), /application\/json/)
    assert.doesNotMatch(await detailOf('POST', '/v1/auth/token', urlEncoded), /merge-patch|pdf/)
    const { id } = await t.user(platform)
    assert.match(
      await detailOf('PATCH', `/v1/users/${id}`, urlEncoded),
      /application\/json or application\/merge-patch\+json/,
    )
    assert.match(await detailOf('POST', '/v1/sponsors', { 'content-type': '' }), /application\/json/)
  })
})

describe('the detail of a 413', () => {
  it('says how large a body may be', async () => {
    const { status, body } = await t.call('POST', '/v1/sponsors', { token, body: { name: 'x'.repeat(300_000) } })
    assert.equal(status, 413)
    assert.match(body.detail, /256 KiB/)
  })
})

describe('the detail of a 404', () => {
  it('says how to create the wallet that its own user does not have yet', async () => {
    const { id } = await t.user(platform)
    const { status, body } = await withAuthorization(
      `Bearer ${await t.walletToken(platform, { id })}`,
      '/wallet/v1/wallet',
    )
    assert.deepEqual([status, body.code], [404, 'not_found'])
    assert.match(body.detail, /POST \/wallet\/v1\/wallet/)
  })
})

describe('If-Match that is not an ETag in its quotes', () => {
  it('422 that says so instead of a 412, which would send the caller to read again; unchanged', async () => {
    const { id } = await t.user(platform)
    const url = `/v1/users/${id}`
    const { headers, body: before } = await t.call('GET', url, { token })
    const tag = String(headers['etag'])
    const patch = (ifMatch: string) =>
      t.call('PATCH', url, { token, body: { email: 'new@example.com' }, headers: { 'if-match': ifMatch } })
    for (const malformed of [tag.slice(1, -1), `${tag}x`, `${tag} ${tag}`, "'x'", '']) {
      const { status, body } = await patch(malformed)
      assert.deepEqual([status, body.errors?.[0]?.pointer], [422, 'header:if-match'], malformed)
      assert.match(body.errors[0].detail, /quotes/)
    }
    assert.equal((await patch('"of-an-earlier-version"')).status, 412)
    assert.equal((await patch('W/"of-an-earlier-version"')).status, 412)
    assert.deepEqual((await t.call('GET', url, { token })).body, before)
    assert.equal((await patch(`"x", ${tag}`)).status, 200)
  })

  it('422 reports it together with the other errors of the input', async () => {
    const { id } = await t.user(platform)
    const headers = { 'if-match': 'no-quotes', 'idempotency-key': 'two words' }
    const body = { email: 'nobody', first_name: 5 }
    const refused = await t.call('PATCH', `/v1/users/${id}?unknown=1`, { token, body, headers })
    assert.deepEqual(errorsOf(refused).toSorted(), [
      '/email format',
      '/first_name type',
      'header:idempotency-key format',
      'header:if-match format',
      'query:unknown unknown',
    ])
  })
})
