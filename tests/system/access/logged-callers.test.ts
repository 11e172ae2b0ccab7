import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import pino from 'pino'
import { createRateLimits } from '../../../src/access/rate-limits.ts'
import { createTokens } from '../../../src/access/tokens.ts'
import { beginSession, FROM_OUR_PAGE, openLoginApp, SESSION_COOKIE } from '../../support/administrators.ts'
import { DEFAULT_LIMITS, openTestApp, ORIGIN, type TestPlatform } from '../../support/app.ts'
import { openSessions, phoneInput, wrongFor } from '../../support/sessions.ts'
import { eventually } from '../../support/server.ts'
import { hasWord } from '../../support/stored.ts'

type Line = Record<string, unknown>
const lines: Line[] = []
const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })

const t = await openTestApp({ own: true })
/** One wrong secret a minute is forgiven, so that the second is limited. */
const limits = { ...DEFAULT_LIMITS, tokenFailures: 1 }
const node = await t.openNode({ log, rates: (db) => createRateLimits(db, limits, { now: () => 0 }) })
const site = await openLoginApp({ ...t, log })
const sessions = openSessions({ ...t, call: node.call })
const [platform, provider] = [await t.platform(), await t.provider()]
const user = await t.user(platform)

beforeEach(() => void (lines.length = 0))

/** What the line of the last request says of its caller. */
function logged(): Line {
  const { caller, credential, tried } = lines.findLast(({ msg }) => msg === 'request') ?? assert.fail('no line')
  return Object.fromEntries(Object.entries({ caller, credential, tried }).filter(([, value]) => value !== undefined))
}

const ofPlatform = { caller: `platform:${platform.id}`, credential: platform.credentialId }
const exchange = (basicToken: string) =>
  node.call('POST', '/v1/oauth/token', {
    headers: { authorization: `Basic ${basicToken}` },
    body: { grant_type: 'client_credentials' },
  })
const withWrongSecret = async ({ basicToken }: TestPlatform) => {
  const [id] = Buffer.from(basicToken, 'base64').toString().split(':')
  const [, secret] = Buffer.from((await t.platform()).basicToken, 'base64')
    .toString()
    .split(':')
  return Buffer.from(`${id}:${secret}`).toString('base64')
}

describe('the log line of a request names its caller by kind and id', () => {
  const list = (token: string) => node.call('GET', '/v1/benefit_providers', { token })

  it('of every kind with an access token, and the credential it was issued for', async () => {
    assert.equal((await list(platform.token)).status, 200)
    assert.deepEqual(logged(), ofPlatform)
    await list(provider.token)
    assert.deepEqual(logged(), { caller: `provider:${provider.id}`, credential: provider.credentialId })
    await list(user.token)
    assert.deepEqual(logged(), { caller: `user:${user.id}`, credential: platform.credentialId })
    await list(t.viewer)
    assert.deepEqual(logged(), { caller: 'viewer:test-viewer' })
    const { cookie, id, administratorId } = await beginSession(t, 'owner')
    const headers = { cookie: `${SESSION_COOKIE}=${cookie}` }
    assert.equal((await node.call('GET', '/v1/administrators', { headers })).status, 200)
    assert.deepEqual(logged(), { caller: `owner:${administratorId}`, credential: id })
    const [key] = t.keys.adminApiKeys
    await node.call('GET', '/v1/account_providers', { adminKey: key?.key ?? '' })
    assert.deepEqual(logged(), { caller: `admin_key:${key?.name}` })
  })

  it('also when access is refused: by role, and to what belongs to others', async () => {
    const { status } = await node.call('POST', '/v1/platforms', { token: platform.token, body: { name: 'Mine' } })
    assert.equal(status, 403)
    assert.deepEqual(logged(), { ...ofPlatform, tried: 'bearer' })
    const stranger = await t.user(await t.platform())
    assert.equal((await node.call('GET', `/v1/users/${stranger.id}`, { token: platform.token })).status, 404)
    assert.deepEqual(logged(), ofPlatform)
    assert(!JSON.stringify(lines).includes(stranger.id), 'the one asked for is not in the log')
  })

  it('of nobody where nobody is asked for', async () => {
    for (const url of ['/docs/errors', '/nowhere', '/livez']) {
      await node.call('GET', url)
      assert.deepEqual(logged(), {}, url)
    }
  })
})

describe('the log line of an authentication', () => {
  it('by a credential names it, with a right secret, a wrong one, and after too many wrong ones', async () => {
    assert.equal((await exchange(platform.basicToken)).status, 200)
    assert.deepEqual(logged(), ofPlatform)
    const wrong = await withWrongSecret(platform)
    for (const status of [401, 429]) {
      assert.equal((await exchange(wrong)).status, status)
      assert.deepEqual(logged(), { credential: platform.credentialId, tried: 'basic' })
    }
  })

  it('by a credential that does not exist repeats nothing of it', async () => {
    const secret = Buffer.from(platform.basicToken, 'base64').toString().split(':')[1]
    assert.equal((await exchange(Buffer.from(`asha@example.com:${secret}`).toString('base64'))).status, 401)
    assert.deepEqual(logged(), { tried: 'basic' })
    assert.doesNotMatch(JSON.stringify(lines), /asha/)
  })

  it('by an access token says whose it was when it has expired or is revoked, and nothing of a forged one', async () => {
    const old = { now: () => new Date(Date.now() - 2 * 3_600_000) }
    const past = createTokens({ keys: t.keys.signingKeys, issuer: ORIGIN, audience: `${ORIGIN}/v1`, clock: old })
    const { token } = past.issueToPlatform({
      platformId: platform.id,
      epoch: 0,
      credentialId: platform.credentialId,
    })
    const list = async (bearer: string) =>
      (await node.call('GET', '/v1/benefit_providers', { token: bearer })).body.code
    for (const attempt of ['the first', 'a known one']) {
      assert.equal(await list(token), 'token_expired')
      assert.deepEqual(logged(), { credential: platform.credentialId, tried: 'bearer' }, attempt)
    }
    assert.equal(await list('asha@example.com'), 'unauthenticated')
    assert.deepEqual(logged(), { tried: 'bearer' })
    assert.equal((await node.call('GET', '/v1/benefit_providers')).status, 401)
    assert.deepEqual(logged(), { tried: 'none' })

    const other = await t.platform()
    await t.made('DELETE', `/v1/platforms/${other.id}/credentials/${other.credentialId}`, { token: t.operator })
    await eventually(
      () => list(other.token),
      (code) => code === 'unauthenticated',
    )
    assert.deepEqual(logged(), { caller: `platform:${other.id}`, credential: other.credentialId, tried: 'bearer' })
  })

  it('by an administrator key or a session that is not valid says which of them', async () => {
    assert.equal((await node.call('GET', '/v1/account_providers', { adminKey: 'not a key' })).status, 401)
    assert.deepEqual(logged(), { tried: 'admin_key' })
    const headers = { cookie: `${SESSION_COOKIE}=byn_ads_none` }
    assert.equal((await node.call('GET', '/v1/auth/session', { headers })).status, 401)
    assert.deepEqual(logged(), { tried: 'session' })
    const body = '{"event_id":"1"}'
    const signed = { 'operator-signature': 't=1,v1=00', 'content-type': 'application/json' }
    assert.equal((await node.call('POST', '/wallet/v1/operator/events', { headers: signed, body })).status, 401)
    assert.deepEqual(logged(), { tried: 'signature' })
  })

  it('by a one-time code names the challenge, then the session it began', async () => {
    const asked = await sessions.askOtp(phoneInput(platform, user.phone))
    const id: string = asked.body.challenge_id
    assert.deepEqual(logged(), { credential: id })
    const code = (await sessions.codeOf(id)) ?? assert.fail()
    assert.equal((await sessions.verifyOtp(id, wrongFor(code))).status, 401)
    assert.deepEqual(logged(), { credential: id, tried: 'one_time_code' })
    assert.equal((await sessions.verifyOtp('asha@example.com', code)).status, 401)
    assert.deepEqual(logged(), { tried: 'one_time_code' })

    const pair = await sessions.verifyOtp(id, code)
    assert.equal(pair.status, 200, pair.text)
    const begun = logged()
    assert.equal(begun['caller'], `wallet_user:${user.id}`)
    assert.match(String(begun['credential']), /^ses_/)
    const { refresh_token: first } = pair.body
    const second = (await sessions.refreshed(first)).refresh_token
    assert.deepEqual(logged(), begun)
    await sessions.refreshed(second)
    assert.equal((await sessions.refresh(first)).status, 401)
    assert.deepEqual(logged(), { credential: begun['credential'], tried: 'refresh_token' })
    await sessions.logOut(second)
    assert.deepEqual(logged(), begun)
    const written = JSON.stringify(lines)
    assert(!hasWord(written, code))
    for (const token of [first, second]) assert(!written.includes(token))
  })

  it('at the identity provider names the administrator, and a login that fails as one', async () => {
    const browser = site.openBrowser()
    await browser.logIn('sandbox-owner')
    const begun = logged()
    assert.match(String(begun['caller']), /^owner:adm_/)
    assert.match(String(begun['credential']), /^ads_/)
    await browser.fetch('POST', '/v1/auth/logout', { headers: FROM_OUR_PAGE, body: {} })
    assert.deepEqual(logged(), begun)
    assert.equal((await browser.go('/v1/auth/oidc/callback?code=1&state=2')).status, 400)
    assert.deepEqual(logged(), { tried: 'identity_provider' })
    await t.sql(`update administrators set status = 'DISABLED' where administrator_id = $1`, [
      String(begun['caller']).split(':')[1],
    ])
    assert.equal((await browser.go(await browser.callbackUrl('sandbox-owner'))).status, 403)
    assert.deepEqual(logged(), { credential: String(begun['caller']).split(':')[1], tried: 'identity_provider' })
    assert.doesNotMatch(JSON.stringify(lines), /Asha/)
  })
})
