import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { promisify } from 'node:util'
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import { clientOf, newWorkspace, runCommand, startServer } from '../support/server.ts'
import { type Proxy, startHaproxy, startNginx } from './proxies.ts'

const workspace = await newWorkspace()
const server = await startServer(workspace)
after(async () => {
  await server.stop()
  await workspace.remove()
})

const { origin } = workspace
const port = Number(new URL(origin).port)
const send = clientOf(origin)
const owner = (await runCommand(['token', '--role', 'owner'], workspace.environment)).stdout.trim()
const platform = (await send('POST', '/v1/platforms', { token: owner, body: { name: 'Partner' } })).body
const credential = (await send('POST', `/v1/platforms/${platform.id}/credentials`, { token: owner, body: {} })).body
const [id = '', secret = ''] = Buffer.from(credential.basic_token, 'base64').toString().split(':')

async function assertWorks(token: unknown): Promise<void> {
  assert.equal(typeof token, 'string')
  const { status, text } = await send('GET', '/v1/sponsors', { token: String(token) })
  assert.equal(status, 200, text)
}

describe('a partner gets an access token', () => {
  it('by openid-client, from the address alone', async () => {
    const options = { algorithm: 'oauth2' as const, execute: [openid.allowInsecureRequests] }
    const found = await openid.discovery(new URL(origin), id, secret, openid.ClientSecretBasic(secret), options)
    const { access_token: token, token_type, expires_in } = await openid.clientCredentialsGrant(found)
    assert.equal(token_type, 'bearer')
    assert((expires_in ?? 0) > 0)
    await assertWorks(token)
  })

  it('by oauth4webapi, which encodes id and secret as the standard says', async () => {
    const insecure = { [oauth.allowInsecureRequests]: true }
    const discovered = await oauth.discoveryRequest(new URL(origin), { algorithm: 'oauth2', ...insecure })
    const issuer = await oauth.processDiscoveryResponse(new URL(origin), discovered)
    const response = await oauth.clientCredentialsGrantRequest(
      issuer,
      { client_id: id },
      oauth.ClientSecretBasic(secret),
      new URLSearchParams(),
      insecure,
    )
    await assertWorks((await oauth.processClientCredentialsResponse(issuer, { client_id: id }, response)).access_token)
  })

  it('by curl with -u', async () => {
    const args = ['-fsS', '-u', `${id}:${secret}`, '-d', 'grant_type=client_credentials', `${origin}/v1/oauth/token`]
    const { stdout } = await promisify(execFile)('curl', args)
    await assertWorks(JSON.parse(stdout).access_token)
  })

  it('by the standard library of Python', async () => {
    const program = `
import base64, json, sys, urllib.parse, urllib.request
origin, id, secret = sys.argv[1:]
basic = base64.b64encode(f"{urllib.parse.quote_plus(id)}:{urllib.parse.quote_plus(secret)}".encode()).decode()
request = urllib.request.Request(origin + "/v1/oauth/token", b"grant_type=client_credentials", {"Authorization": "Basic " + basic})
print(json.load(urllib.request.urlopen(request))["access_token"])
`
    const { stdout } = await promisify(execFile)('python3', ['-c', program, origin, id, secret])
    await assertWorks(stdout.trim())
  })

  it('and with a wrong secret a 401 with the challenge of the standard, which these libraries read', async () => {
    const options = { algorithm: 'oauth2' as const, execute: [openid.allowInsecureRequests] }
    const wrong = 'not-the-secret'
    const found = await openid.discovery(new URL(origin), id, wrong, openid.ClientSecretBasic(wrong), options)
    await assert.rejects(openid.clientCredentialsGrant(found), (error) => {
      assert(error instanceof openid.WWWAuthenticateChallengeError)
      assert.deepEqual([error.status, error.cause[0]?.scheme], [401, 'basic'])
      return true
    })
  })
})

describe('behind a proxy that compresses', () => {
  const PROXIES: Record<string, (before: { folder: string; port: number }) => Promise<Proxy>> = {
    nginx: startNginx,
    HAProxy: startHaproxy,
  }
  for (const [name, start] of Object.entries(PROXIES)) {
    it(`${name}: what was read can be changed with its own ETag, once`, async () => {
      const proxy = await start({ folder: join(workspace.folder, name), port })
      try {
        const through = clientOf(`http://127.0.0.1:${proxy.port}`)
        const token = (await send('POST', '/v1/oauth/token', basic())).body.access_token
        const body = { phone_country_code: '+91', phone_number: name === 'nginx' ? '9800000011' : '9800000012' }
        const { user_id } = (await through('POST', '/v1/auth/token', { token, body })).body
        const path = `/v1/users/${user_id}`
        const read = await through('GET', path, { token })
        assert.equal(read.headers.get('content-encoding'), 'gzip')
        const etag = read.headers.get('etag') ?? ''
        assert.match(etag, /^W\//)
        const patch = (email: string) =>
          through('PATCH', path, { token, body: { email }, headers: { 'if-match': etag } })
        const changed = await patch('one@example.com')
        assert.deepEqual([changed.status, changed.body.email], [200, 'one@example.com'], changed.text)
        assert.equal((await patch('two@example.com')).status, 412, 'somebody has changed it since')
        const known = { 'if-none-match': changed.headers.get('etag') ?? '' }
        assert.equal((await through('GET', path, { token, headers: known })).status, 304)
      } finally {
        await proxy.stop()
      }
    })
  }
})

const basic = () => ({
  body: 'grant_type=client_credentials',
  headers: {
    authorization: `Basic ${credential.basic_token}`,
    'content-type': 'application/x-www-form-urlencoded',
  },
})
