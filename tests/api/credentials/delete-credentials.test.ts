import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ONBOARDING, openTestApp, type TestPlatform } from '../../support/app.ts'
import { within } from '../../support/deadline.ts'
import { meetAt } from '../../support/meeting.ts'
import { assertSameNotFound, errorsOf } from '../../support/problems.ts'

const t = await openTestApp()

const REVOCATION_MS_MAX = 1_000

const OWNERS = [
  { collection: '/v1/platforms', owner: () => t.platform() },
  { collection: '/v1/benefit_providers', owner: () => t.provider() },
]

/** Creates one more credential of an owner, with an access token from it. */
async function createAnother(address: string) {
  const { basic_token, credential_id } = await t.made('POST', address, { token: t.owner })
  const { access_token: token } = (await exchange(basic_token)).body
  return { credentialId: credential_id as string, basicToken: basic_token as string, token: token as string }
}

const exchange = (basicToken: string) =>
  t.call('POST', '/v1/oauth/token', {
    headers: { authorization: `Basic ${basicToken}` },
    body: { grant_type: 'client_credentials' },
  })

const revocationsOf = (credentialId: string) =>
  t.sql(`select platform_id, data from events where type = 'credential.revoked' and subject = $1`, [credentialId])

for (const { collection, owner } of OWNERS) {
  const addressOf = (id: string) => `${collection}/${id}/credentials`
  const revoke = (id: string, credentialId: string, token: string = t.operator) =>
    t.call('DELETE', `${addressOf(id)}/${credentialId}`, { token })
  const list = async (id: string): Promise<string[]> =>
    (await t.made('GET', addressOf(id), { token: t.viewer })).credentials.map(
      (entry: { credential_id: string }) => entry.credential_id,
    )

  describe(`DELETE ${collection}/{id}/credentials/{credential_id}`, () => {
    it('200 revoked: true once, false from then on', async () => {
      const own = await owner()
      const second = await createAnother(addressOf(own.id))
      const first = await revoke(own.id, own.credentialId)
      assert.equal(first.status, 200)
      assert.deepEqual(first.body, { revoked: true })
      assert.deepEqual((await revoke(own.id, own.credentialId)).body, { revoked: false })

      assert.deepEqual(await list(own.id), [second.credentialId])
      assert.equal((await exchange(own.basicToken)).status, 401)
      assert.equal((await exchange(second.basicToken)).status, 200)
      const events = await revocationsOf(own.credentialId)
      assert.equal(events.length, 1)
      assert.deepEqual(await t.sql('select 1 from credentials where credential_id = $1', [own.credentialId]), [])
    })

    it('200 revoked: true exactly once for 8 concurrent identical calls', async () => {
      const own = await owner()
      const row = { table: 'credentials', key: 'credential_id', id: own.credentialId }
      const calls = Array.from({ length: 8 }, () => () => revoke(own.id, own.credentialId, t.owner))
      const responses = await meetAt(t, row, calls, { atRow: 1 })
      assert.deepEqual(new Set(responses.map(({ status }) => status)), new Set([200]))
      assert.equal(responses.filter(({ body }) => body.revoked).length, 1)
      assert.equal((await revocationsOf(own.credentialId)).length, 1)
    })

    it('200 revoked: false for another owner’s credential, which still works', async () => {
      const own = await owner()
      for (const other of [await owner(), await t.platform(), await t.provider()]) {
        const response = await revoke(own.id, other.credentialId)
        assert.deepEqual([response.status, response.body], [200, { revoked: false }])
        assert.equal((await exchange(other.basicToken)).status, 200)
        assert.deepEqual(await revocationsOf(other.credentialId), [])
      }
      assert.deepEqual((await revoke(own.id, 'crd_none')).body, { revoked: false })
      assert.deepEqual(await list(own.id), [own.credentialId])
    })

    it('200 ends the tokens of that credential within a second, and no others', async () => {
      const own = await owner()
      const other = await createAnother(addressOf(own.id))
      const read = async (token: string) => (await t.call('GET', addressOf(own.id), { token })).status
      assert.deepEqual([await read(own.token), await read(other.token)], [200, 200])
      await t.made('DELETE', `${addressOf(own.id)}/${own.credentialId}`, { token: t.owner })
      await within(REVOCATION_MS_MAX, async () => (await read(own.token)) === 401)
      assert.equal(await read(other.token), 200)
    })

    it('401 and 403 revoke nothing', async () => {
      const own = await owner()
      const platform = await t.platform()
      const user = await t.user(platform)
      assert.equal((await t.call('DELETE', `${addressOf(own.id)}/${own.credentialId}`)).status, 401)
      for (const token of [own.token, platform.token, (await t.provider()).token, user.token, t.viewer]) {
        assert.equal((await revoke(own.id, own.credentialId, token)).body.code, 'forbidden')
      }
      assert.deepEqual(await list(own.id), [own.credentialId])
      assert.deepEqual(await revocationsOf(own.credentialId), [])
    })

    it('404 for a missing owner, 422 for overlong ids and unknown parameters', async () => {
      const own = await owner()
      assertSameNotFound(await revoke('none', own.credentialId), await revoke('none', 'crd_none'))
      const long = 'x'.repeat(101)
      assert.equal((await t.call('DELETE', `${addressOf(long)}/${long}`)).status, 401)
      const errors = errorsOf(await revoke(long, long))
      assert.equal(errors.length, 2)
      assert(errors.includes('path:credential_id too_long'))
      assert.deepEqual(errorsOf(await revoke(own.id, `${own.credentialId}?colour=red`)), ['query:colour unknown'])
      assert.deepEqual(await list(own.id), [own.credentialId])
    })
  })
}

describe('a revoked platform credential', () => {
  const userStatus = async (userId: string, token: string) =>
    (await t.call('GET', `/v1/users/${userId}`, { token })).status

  const userToken = async ({ token }: Pick<TestPlatform, 'token'>, phone: string): Promise<string> => {
    const body = { phone_country_code: '+91', phone_number: phone }
    return (await t.made('POST', '/v1/auth/token', { token, body })).access_token
  }

  it('401 within a second for every user who signed in through it, however the token was issued', async () => {
    const platform = await t.platform()
    const other = await createAnother(`/v1/platforms/${platform.id}/credentials`)
    const user = await t.user(platform)
    const onboard = async (token: string): Promise<string> =>
      (await t.made('POST', `/v1/users/${user.id}/complete_onboarding`, { token, body: ONBOARDING })).access_token
    const through = [user.token, await onboard(platform.token), await onboard(user.token)]
    const throughOther = [await userToken(other, user.phone), await onboard(other.token)]
    for (const token of [...through, ...throughOther]) assert.equal(await userStatus(user.id, token), 200)

    await t.made('DELETE', `/v1/platforms/${platform.id}/credentials/${platform.credentialId}`, { token: t.operator })
    await within(REVOCATION_MS_MAX, async () => {
      const statuses = await Promise.all(through.map((token) => userStatus(user.id, token)))
      return statuses.every((status) => status === 401)
    })
    for (const token of throughOther) assert.equal(await userStatus(user.id, token), 200)
    assert.equal(await userStatus(user.id, await userToken(other, user.phone)), 200) // and they can sign in again
  })

  it('401 invalid_token, as in RFC 6750', async () => {
    const platform = await t.platform()
    const address = `/v1/platforms/${platform.id}/credentials`
    await t.made('DELETE', `${address}/${platform.credentialId}`, { token: t.operator })
    await within(
      REVOCATION_MS_MAX,
      async () => (await t.call('GET', address, { token: platform.token })).status === 401,
    )
    const response = await t.call('GET', address, { token: platform.token })
    assert.equal(response.body.code, 'unauthenticated')
    assert.equal(response.headers['www-authenticate'], 'Bearer error="invalid_token"')
  })
})
