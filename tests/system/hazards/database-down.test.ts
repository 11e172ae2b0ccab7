import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertUnavailable, eventually, openPrivateApp } from '../../support/private-database.ts'

const { t, stopDatabase, startDatabase } = await openPrivateApp()
const platform = await t.platform()
const user = await t.onboardedUser(platform)
const token = platform.token

const readUser = () => t.call('GET', `/v1/users/${user.id}`, { token })
const input = (phone_number: string) => ({ phone_country_code: '+91', phone_number })
const requestToken = (phone: string) => t.call('POST', '/v1/auth/token', { token, body: input(phone) })

/** The client's timeout; the service must respond before it. */
const CLIENT_TIMEOUT_MS = 10_000

describe('PostgreSQL is down', () => {
  it('503 with Retry-After on reads and writes, in plain words; the process survives and is not ready', async () => {
    assert.equal((await readUser()).status, 200)
    await stopDatabase()
    for (let round = 0; round < 3; round++) {
      const started = performance.now()
      const responses = await Promise.all([
        readUser(),
        requestToken('9800000010'),
        t.call('GET', `/v1/users/${user.id}/insurance_policies`, { token }),
        t.call('POST', '/v1/platforms', { token: t.owner, body: { name: 'Never made' } }),
        t.call('POST', '/v1/oauth/token', {
          headers: { authorization: `Basic ${platform.basicToken}` },
          body: { grant_type: 'client_credentials' },
        }),
      ])
      for (const response of responses) assertUnavailable(response)
      assert(performance.now() - started < CLIENT_TIMEOUT_MS)
    }
    assert.equal((await t.call('GET', '/livez')).status, 200)
    const ready = await t.call('GET', '/readyz')
    assert.equal(ready.status, 503)
    assert.equal(ready.body.checks.database, 'failed')
    assert(ready.headers['retry-after'])
  })

  it('401, 403 and 422 need no database and are still returned', async () => {
    assert.equal((await t.call('GET', `/v1/users/${user.id}`)).status, 401)
    assert.equal((await t.call('POST', '/v1/auth/token', { token: t.viewer, body: input('9800000011') })).status, 403)
    assert.equal((await t.call('POST', '/v1/auth/token', { token, body: {} })).status, 422)
  })

  it('200 again automatically once it is back, and nothing rejected was applied', async () => {
    await startDatabase()
    await eventually(200, readUser)
    assert.deepEqual(await t.sql(`select 1 from platforms where name = 'Never made'`), [])
    assert.equal((await t.sql('select 1 from users where platform_id = $1', [platform.id])).length, 1)
    assert.equal((await requestToken('9800000010')).status, 200)
    const many = await Promise.all(Array.from({ length: 30 }, readUser))
    assert.deepEqual(new Set(many.map((response) => response.status)), new Set([200]))
  })

  it('200 right after a restart that cut every connection', async () => {
    await Promise.all(Array.from({ length: 10 }, readUser))
    await stopDatabase()
    await startDatabase()
    await eventually(200, readUser)
    assert.equal((await requestToken('9800000012')).status, 200)
  })

  it('401 within a second of a revocation also after the outage: the node follows again', async () => {
    const other = await t.platform()
    await t.made('DELETE', `/v1/platforms/${other.id}/credentials/${other.credentialId}`, { token: t.owner })
    const started = performance.now()
    await eventually(401, () => t.call('GET', '/v1/benefit_providers', { token: other.token }))
    assert(performance.now() - started < 1_000)
  })
})
