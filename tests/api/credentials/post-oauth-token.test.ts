import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type TestResponse, openTestApp, ORIGIN, type TestPlatform } from '../../support/app.ts'
import { assertSameProblem } from '../../support/problems.ts'

const t = await openTestApp()

const GRANT = { grant_type: 'client_credentials' }
const TOKEN_SECONDS = 3600

const exchange = (authorization: string | undefined, body: unknown = GRANT, headers: Record<string, string> = {}) =>
  t.call('POST', '/v1/oauth/token', {
    body,
    headers: { ...(authorization !== undefined && { authorization }), ...headers },
  })

const basic = ({ basicToken }: TestPlatform) => `Basic ${basicToken}`

const partsOf = (token: string) =>
  token
    .split('.')
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()))

/** The same credential with another well-formed secret: that of another credential. */
function withSecretOf(own: TestPlatform, other: TestPlatform): string {
  const secret = Buffer.from(other.basicToken, 'base64').toString().split(':')[1]
  return `Basic ${Buffer.from(`${own.credentialId}:${secret}`).toString('base64')}`
}

function assertInvalidClient(response: TestResponse): void {
  assert.equal(response.status, 401, response.text)
  assert.equal(response.body.code, 'unauthenticated')
  assert.equal(response.body.error, 'invalid_client') // what OAuth clients check
  assert.equal(response.headers['www-authenticate'], 'Basic realm="banyan"')
  assert.equal(response.headers['cache-control'], 'no-store')
}

describe('POST /v1/oauth/token', () => {
  it('200 for a form and for JSON, with the basic token unchanged', async () => {
    const platform = await t.platform()
    const input = { 'content-type': 'application/x-www-form-urlencoded' }
    const responses = [
      await exchange(basic(platform)),
      await exchange(basic(platform), 'grant_type=client_credentials', input),
      await exchange(basic(platform), 'grant_type=client%5Fcredentials&scope=', {
        'content-type': 'application/x-www-form-urlencoded;charset=UTF-8',
      }),
      await exchange(`basic ${platform.basicToken}`, { ...GRANT, scope: 'ignored' }),
    ]
    for (const response of responses) {
      assert.equal(response.status, 200, response.text)
      const { access_token, ...rest } = response.body
      assert.deepEqual(rest, { token_type: 'Bearer', expires_in: TOKEN_SECONDS })
      assert.equal(response.headers['cache-control'], 'no-store')
      const own = await t.call('GET', `/v1/platforms/${platform.id}/credentials`, { token: access_token })
      assert.equal(own.status, 200)
    }
    assert.equal(new Set(responses.map(({ body }) => body.access_token)).size, responses.length)
  })

  it('200 for id and secret that are form-encoded, as RFC 6749 wants it, in a form with a byte order mark too', async () => {
    const platform = await t.platform()
    const [id = '', secret = ''] = Buffer.from(platform.basicToken, 'base64').toString().split(':')
    const encoders: ((text: string) => string)[] = [
      (text) => text.replaceAll('_', '%5F').replaceAll('-', '%2d'), // openid-client, oauth4webapi
      (text) => text.replaceAll(/[^]/g, (char) => `%${char.charCodeAt(0).toString(16)}`),
    ]
    for (const encode of encoders) {
      const header = `Basic ${Buffer.from(`${encode(id)}:${encode(secret)}`).toString('base64')}`
      const input = { 'content-type': 'application/x-www-form-urlencoded; charset=utf8' }
      const response = await exchange(header, '\uFEFFgrant_type=client_credentials', input)
      assert.equal(response.status, 200, response.text)
    }
    for (const wrong of [`${id}%00:${secret}`, `${id}:${secret}%zz`, `${id}:%20${secret}`, `%:${secret}`])
      assertInvalidClient(await exchange(`Basic ${Buffer.from(wrong).toString('base64')}`))
  })

  it('200 returns an RFC 9068 token with the subject, the client and the expiry, and nothing personal', async () => {
    const platform = await t.platform()
    const provider = await t.provider()
    const cases = [
      { of: platform, claims: { role: 'platform', platform_id: platform.id, epoch: 1 } },
      { of: provider, claims: { role: 'provider' } },
    ]
    for (const { of, claims } of cases) {
      const [header, { iat, exp, jti, ...payload }] = partsOf((await exchange(basic(of))).body.access_token)
      assert.deepEqual(header, { alg: 'EdDSA', typ: 'at+jwt', kid: 'test-1' })
      assert.equal(exp - iat, TOKEN_SECONDS)
      assert(Math.abs(iat - Date.now() / 1000) < 60)
      assert.match(jti, /^[A-Za-z0-9_-]{22}$/)
      const common = { iss: ORIGIN, aud: `${ORIGIN}/v1`, sub: of.id, client_id: of.credentialId }
      assert.deepEqual(payload, { ...common, ...claims })
    }
  })

  it('200 returns a token that lives 60 minutes and then gets `token_expired`', async () => {
    const platform = await t.platform()
    const address = `/v1/platforms/${platform.id}/credentials`
    t.clock.at = new Date()
    const { access_token: token } = (await exchange(basic(platform))).body
    const at = (seconds: number) => new Date(Number(partsOf(token)[1].iat) * 1000 + seconds * 1000)
    t.clock.at = at(TOKEN_SECONDS - 1)
    assert.equal((await t.call('GET', address, { token })).status, 200)
    t.clock.at = at(TOKEN_SECONDS)
    const expired = await t.call('GET', address, { token })
    t.clock.at = undefined
    assert.equal(expired.status, 401)
    assert.equal(expired.body.code, 'token_expired')
    assert.match(expired.headers['www-authenticate'] ?? '', /^Bearer error="invalid_token"/)
  })

  it('401, identical for a wrong secret, an unknown, a revoked and a disabled credential', async () => {
    const own = await t.platform()
    const other = await t.platform()
    const wrongSecret = await exchange(withSecretOf(own, other))
    assertInvalidClient(wrongSecret)

    const unknown = withSecretOf({ ...own, credentialId: own.credentialId.replace(/.$/, '!') }, own)
    assertSameProblem(await exchange(unknown), wrongSecret)

    const revoked = await t.platform()
    await t.made('DELETE', `/v1/platforms/${revoked.id}/credentials/${revoked.credentialId}`, { token: t.owner })
    assertSameProblem(await exchange(basic(revoked)), wrongSecret)

    const disabled = await t.platform()
    await t.made('PUT', `/v1/platforms/${disabled.id}/status`, { token: t.owner, body: { status: 'INACTIVE' } })
    assertSameProblem(await exchange(basic(disabled)), wrongSecret)

    assert.equal((await exchange(basic(own))).status, 200)
  })

  it('401 for anything but a basic token, before any error of the body is reported', async () => {
    const { basicToken, credentialId, token } = await t.platform()
    const plain = Buffer.from(basicToken, 'base64').toString()
    const encode = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
    const bad = [
      undefined,
      '',
      'Basic',
      'Basic ',
      basicToken,
      `Bearer ${token}`,
      `Bearer ${basicToken}`,
      `Basic ${plain}`,
      `Basic ${basicToken}!`,
      encode(credentialId),
      encode(`${credentialId}:`),
      encode(`:${plain.split(':')[1]}`),
      encode(plain.slice(0, -1)),
      encode(`${plain}x`),
      encode(plain.toUpperCase()),
      encode(`${credentialId}\u0000:${plain.split(':')[1]}`),
    ]
    for (const authorization of bad) {
      assertInvalidClient(await exchange(authorization))
      assertInvalidClient(await exchange(authorization, {}))
    }
    const inBody = { ...GRANT, client_id: credentialId, client_secret: plain.split(':')[1] }
    assertInvalidClient(await exchange(undefined, inBody)) // HTTP Basic is the only method
  })

  it('400 with the error code of RFC 6749 for another grant, a missing one and a query parameter', async () => {
    const platform = await t.platform()
    const input = { 'content-type': 'application/x-www-form-urlencoded' }
    const reported = ({ status, body }: TestResponse) => [
      status,
      body.code,
      body.error,
      ...body.errors.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`),
    ]
    const refused = async (body: unknown, headers?: Record<string, string>) =>
      reported(await exchange(basic(platform), body, headers))
    const bad = [400, 'malformed_request']

    assert.deepEqual(await refused({}), [...bad, 'invalid_request', '/grant_type required'])
    const password = [...bad, 'unsupported_grant_type', '/grant_type not_allowed']
    assert.deepEqual(await refused({ grant_type: 'password' }), password)
    assert.deepEqual(await refused('grant_type=password', input), password)
    assert.deepEqual(await refused('', input), [...bad, 'invalid_request', '/grant_type required'])
    const strictly = await refused({ ...GRANT, colour: 1 }, { prefer: 'handling=strict' })
    assert.deepEqual(strictly, [...bad, 'invalid_request', '/colour unknown'])
    const headers = { authorization: basic(platform) }
    const none = await t.call('POST', '/v1/oauth/token', { headers })
    assert.deepEqual(reported(none), [...bad, 'invalid_request', ' required'])
    const query = await t.call('POST', '/v1/oauth/token?grant_type=client_credentials', { headers, body: GRANT })
    assert.deepEqual(reported(query), [...bad, 'invalid_request', 'query:grant_type unknown'])
  })

  it('400 and 415 for an unreadable body', async () => {
    const platform = await t.platform()
    const input = 'application/x-www-form-urlencoded'
    const send = (body: string, type: string) => exchange(basic(platform), body, { 'content-type': type })
    const twice = await send('grant_type=client_credentials&grant_type=client_credentials', input)
    assert.deepEqual([twice.body.code, twice.body.error], ['malformed_request', 'invalid_request'])
    const withOthers = (count: number) => Array.from({ length: count }, (_, index) => `&f${index}=`).join('')
    assert.equal((await send(`grant_type=client_credentials${withOthers(99)}`, input)).status, 200)
    const large = await send(`grant_type=client_credentials${withOthers(100)}`, input)
    assert.deepEqual(
      [large.status, large.body.error, large.body.detail],
      [400, 'invalid_request', 'A form has at most 100 fields.'],
    )
    const unreadable = await send('grant_type=client_credentials', 'application/json')
    assert.deepEqual([unreadable.body.code, unreadable.body.error], ['malformed_json', 'invalid_request'])
    assert.match(
      unreadable.body.detail,
      /at byte 0\. A form needs the Content-Type application\/x-www-form-urlencoded\.$/,
    )
    for (const type of ['', 'text/plain', 'multipart/form-data; boundary=x']) {
      const refused = await send('grant_type=client_credentials', type)
      assert.equal(refused.status, 415)
      assert.match(refused.body.detail, /^Send the body as application\/x-www-form-urlencoded or application\/json,/)
    }
    for (const type of ['text/plain', `${input}; charset=utf-16`, 'application/json; charset=utf-16']) {
      assert.equal((await send('grant_type=client_credentials', type)).status, 415)
    }
  })
})
