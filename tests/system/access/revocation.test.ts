import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { deleteOldRevocations, createRevocations, POLL_INTERVAL_MS } from '../../../src/access/revocations.ts'
import { createTokens } from '../../../src/access/tokens.ts'
import { buildTestApp } from '../../support/inject.ts'
import { connectDatabase } from '../../../src/kernel/db/database.ts'
import pg from 'pg'
import { openSessions } from '../../support/sessions.ts'
import { openTestApp, ORIGIN, type TestPlatform } from '../../support/app.ts'
import { operatorInTests } from '../../support/operator.ts'
import { TIMEOUT_FACTOR } from '../../support/database.ts'
import { DEADLINE_MS } from '../../support/deadline.ts'

const URL = '/v1/benefit_providers'

const t = await openTestApp()
const other = await openSecondNode()

/** Another process of the same service: its own connections and token cache, the same database and keys. */
async function openSecondNode() {
  const { keys, clock, log, metrics } = t
  const db = connectDatabase({
    url: t.appUrl,
    poolSize: 4,
    batching: true,
    timeoutFactor: TIMEOUT_FACTOR,
    onLostConnection: () => {},
  })
  const tokens = createTokens({ keys: keys.signingKeys, issuer: ORIGIN, audience: `${ORIGIN}/v1`, clock })
  const revocations = createRevocations(db, log)
  await revocations.start()
  const settings = { origin: ORIGIN, version: '0.0.0', trustedProxies: 0, adminApiKeys: [] }
  const wallet = { walletTokens: t.walletTokens, operator: operatorInTests(clock), login: null }
  const app = buildTestApp(
    { ...t.deps, db, tokens },
    {
      ...settings,
      ...wallet,
      audit: t.audit,
      cardChecks: t.cardChecks,
      revocations,
      webOrigins: t.webOrigins,
      log,
      metrics,
    },
  )
  after(async () => {
    await app.close()
    await revocations.stop()
    await db.close()
  })
  return app
}

/** Returns the status of this token on both nodes. */
async function statuses(token: string): Promise<number[]> {
  const call = { method: 'GET', url: URL, headers: { authorization: `Bearer ${token}` } } as const
  return (await Promise.all([t.app.inject(call), other.inject(call)])).map((response) => response.statusCode)
}

/** Polls both nodes until all tokens have the expected status on both; fails when that takes longer than promised. */
async function waitForStatus(status: number, tokens: string[]): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS
  for (;;) {
    const seen = (await Promise.all(tokens.map(statuses))).flat()
    if (seen.every((one) => one === status)) return
    assert(performance.now() < deadline, `after ${DEADLINE_MS} ms the nodes still return ${seen.join(', ')}`)
    await sleep(20)
  }
}

const assertStays = async (status: number, tokens: string[]) =>
  assert.deepEqual(new Set((await Promise.all(tokens.map(statuses))).flat()), new Set([status]))

/** Waits until every node has read a revocation later than all existing ones, and so has read those too. */
async function waitForRevocations(): Promise<void> {
  const { id, credentialId, token } = await t.platform()
  await t.made('DELETE', `/v1/platforms/${id}/credentials/${credentialId}`, { token: t.operator })
  await waitForStatus(401, [token])
}

async function exchange(basicToken: string) {
  const headers = { authorization: `Basic ${basicToken}` }
  return t.call('POST', '/v1/oauth/token', { headers, body: { grant_type: 'client_credentials' } })
}

async function secondCredentialOf(platform: TestPlatform) {
  const { basic_token } = await t.made('POST', `/v1/platforms/${platform.id}/credentials`, { token: t.owner })
  return { basicToken: basic_token, token: (await exchange(basic_token)).body.access_token }
}

it('every node asks twice within the second in which it must know a revocation', () => {
  assert(2 * POLL_INTERVAL_MS < 1_000)
})

describe('a revoked credential', () => {
  it('401 within a second on every node for its tokens and the users who signed in through it, for no others', async () => {
    const [platform, bystander] = [await t.platform(), await t.platform()]
    const through = await secondCredentialOf(platform)
    const user = await t.user(platform)
    const userOfOther = await t.user({ ...platform, token: through.token })
    await assertStays(200, [platform.token, user.token, through.token, userOfOther.token])

    const url = `/v1/platforms/${platform.id}/credentials/${platform.credentialId}`
    assert.deepEqual((await t.call('DELETE', url, { token: t.operator })).body, { revoked: true })
    await waitForStatus(401, [platform.token, user.token])
    await assertStays(200, [through.token, userOfOther.token, bystander.token])

    assert.equal((await exchange(platform.basicToken)).status, 401)
    assert.equal((await exchange(through.basicToken)).status, 200)
    const refused = await t.call('GET', URL, { token: platform.token })
    assert.equal(refused.body.code, 'unauthenticated')
  })

  it('401 within a second for the tokens of a benefit provider', async () => {
    const [provider, bystander] = [await t.provider(), await t.provider()]
    await assertStays(200, [provider.token])
    const url = `/v1/benefit_providers/${provider.id}/credentials/${provider.credentialId}`
    assert.deepEqual((await t.call('DELETE', url, { token: t.operator })).body, { revoked: true })
    await waitForStatus(401, [provider.token])
    await assertStays(200, [bystander.token])
  })

  it('is unaffected by a revocation under another owner', async () => {
    const [platform, bystander] = [await t.platform(), await t.platform()]
    const url = `/v1/platforms/${platform.id}/credentials/${bystander.credentialId}`
    assert.deepEqual((await t.call('DELETE', url, { token: t.operator })).body, { revoked: false })
    const cut = [`credential:${bystander.credentialId}`]
    assert.deepEqual(await t.sql('select 1 from revocations where subject = $1', cut), [])
    assert.equal((await exchange(bystander.basicToken)).status, 200)
  })
})

describe('a disabled platform', () => {
  it('401 within a second on every node for it and its users, for good; enabled again it gets new tokens', async () => {
    const [platform, bystander] = [await t.platform(), await t.platform()]
    const through = await secondCredentialOf(platform)
    const tokens = [platform.token, through.token, (await t.user(platform)).token]
    const others = [bystander.token, (await t.user(bystander)).token]
    await assertStays(200, [...tokens, ...others])

    const url = `/v1/platforms/${platform.id}/status`
    await t.made('PUT', url, { token: t.operator, body: { status: 'INACTIVE' } })
    await waitForStatus(401, tokens)
    await assertStays(200, others)
    assert.equal((await exchange(platform.basicToken)).status, 401)

    await t.made('PUT', url, { token: t.operator, body: { status: 'ACTIVE' } })
    const { body } = await exchange(platform.basicToken)
    const fresh = [body.access_token, (await t.user({ ...platform, token: body.access_token })).token]
    await assertStays(200, fresh) // concurrently on every node
    await waitForRevocations()
    await assertStays(401, tokens)
    await assertStays(200, [...fresh, ...others])
  })

  it('401 for older tokens even where the disabling is read only after the enabling', async () => {
    const platform = await t.platform()
    const url = `/v1/platforms/${platform.id}/status`
    for (const status of ['INACTIVE', 'ACTIVE']) await t.made('PUT', url, { token: t.operator, body: { status } })
    const { body } = await exchange(platform.basicToken)
    await assertStays(200, [body.access_token])
    await waitForStatus(401, [platform.token])
    await assertStays(200, [body.access_token])
  })

  it('a credential revoked while the platform was disabled stays revoked when it is enabled', async () => {
    const platform = await t.platform()
    const through = await secondCredentialOf(platform)
    const status = `/v1/platforms/${platform.id}/status`
    await t.made('PUT', status, { token: t.operator, body: { status: 'INACTIVE' } })
    await waitForStatus(401, [platform.token, through.token])
    const credential = `/v1/platforms/${platform.id}/credentials/${platform.credentialId}`
    await t.made('DELETE', credential, { token: t.operator })
    await t.made('PUT', status, { token: t.operator, body: { status: 'ACTIVE' } })
    await assertStays(200, [(await exchange(through.basicToken)).body.access_token])
    assert.equal((await exchange(platform.basicToken)).status, 401)
    await waitForRevocations()
    await assertStays(401, [platform.token, through.token])
  })
})

describe('a platform that was disabled twice', () => {
  it('401 for tokens issued in between, even on a node that reads both revocations together', async () => {
    const platform = await t.platform()
    const url = `/v1/platforms/${platform.id}/status`
    const change = (status: string) => t.made('PUT', url, { token: t.operator, body: { status } })
    await change('INACTIVE')
    await change('ACTIVE')
    const between = (await exchange(platform.basicToken)).body.access_token
    await change('INACTIVE')
    await change('ACTIVE')
    const fresh = (await exchange(platform.basicToken)).body.access_token
    const late = await openSecondNode()
    const statusOf = async (token: string) =>
      (await late.inject({ method: 'GET', url: URL, headers: { authorization: `Bearer ${token}` } })).statusCode
    assert.deepEqual(await Promise.all([platform.token, between, fresh].map(statusOf)), [401, 401, 200])
    await waitForStatus(401, [platform.token, between])
    await assertStays(200, [fresh])
  })
})

describe('a user whose access is revoked', () => {
  it('401 within a second on every node for their app and wallet tokens, and for nobody else’s', async () => {
    const platform = await t.platform()
    const [user, bystander] = [await t.user(platform), await t.user(platform)]
    const { token: wallet } = await t.wallet(platform, user)
    await assertStays(200, [user.token, bystander.token])
    await t.sql('insert into revocations (subject, revoked) values ($1, true)', [`user:${user.id}`])
    await waitForStatus(401, [user.token])
    assert.equal((await t.call('GET', '/wallet/v1/wallet', { token: wallet })).status, 401)
    await assertStays(200, [bystander.token, platform.token])
  })
})

describe('a user whose sessions are ended', () => {
  it('401 within a second on every node for their app and wallet tokens; what is issued afterwards stays valid everywhere', async () => {
    const platform = await t.platform()
    const [user, bystander] = [await t.user(platform), await t.user(platform)]
    const { access_token: wallet } = await openSessions(t).signIn(platform, user)
    await assertStays(200, [user.token, bystander.token])
    const tokens = [user.token]
    for (const _time of ['first', 'second']) {
      const ended = await t.call('DELETE', `/v1/users/${user.id}/sessions`, { token: platform.token })
      assert.equal(ended.status, 204)
      const body = { phone_country_code: '+91', phone_number: user.phone }
      const { access_token: fresh } = await t.made('POST', '/v1/auth/token', { token: platform.token, body })
      await waitForStatus(401, tokens)
      await assertStays(200, [fresh, bystander.token, platform.token])
      tokens.push(fresh)
    }
    const call = { method: 'GET', url: '/wallet/v1/wallet', headers: { authorization: `Bearer ${wallet}` } } as const
    for (const node of [t.app, other]) assert.equal((await node.inject(call)).statusCode, 401)
  })
})

describe('a revocation whose transaction commits late', () => {
  it('401 even when later revocations were read first', async (test) => {
    const platform = await t.platform()
    const late = new pg.Client({ connectionString: t.ownerUrl, options: '-c search_path=banyan' })
    await late.connect()
    test.after(() => late.end())
    await late.query('begin')
    await late.query('insert into revocations (subject, revoked) values ($1, true)', [
      `credential:${platform.credentialId}`,
    ])
    await waitForRevocations()
    await waitForRevocations()
    await assertStays(200, [platform.token])
    await late.query('commit')
    await waitForStatus(401, [platform.token])
  })
})

describe('a node that starts later', () => {
  it('401 from its first request for everything revoked before it started', async () => {
    const platform = await t.platform()
    await t.made('DELETE', `/v1/platforms/${platform.id}/credentials/${platform.credentialId}`, { token: t.owner })
    const late = await openSecondNode()
    const headers = { authorization: `Bearer ${platform.token}` }
    assert.equal((await late.inject({ method: 'GET', url: URL, headers })).statusCode, 401)
  })

  it('401 for everything revoked within the lifetime of a token, though older revocations are purged', async () => {
    const platform = await t.platform()
    const revoke = `insert into revocations (subject, revoked, at) values ($1, true, now() - interval '59 minutes')`
    await t.sql(revoke, [`credential:${platform.credentialId}`])
    await deleteOldRevocations(t.db)
    const late = await openSecondNode()
    const headers = { authorization: `Bearer ${platform.token}` }
    assert.equal((await late.inject({ method: 'GET', url: URL, headers })).statusCode, 401)
  })
})
