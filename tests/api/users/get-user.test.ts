import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ONBOARDING, openTestApp } from '../../support/app.ts'
import { assertSameNotFound, errorsOf } from '../../support/problems.ts'

const t = await openTestApp()

const MISSING = '099999999999'

describe('GET /v1/users/{user_id}', () => {
  it('200 returns the same user to its platform, the user and every administrator', async () => {
    const platform = await t.platform()
    const user = await t.user(platform, { first_name: 'Asha', last_name: 'Example', address: 'Pune' })
    const responses = await Promise.all(
      [platform.token, user.token, t.viewer, t.operator, t.owner].map((token) =>
        t.call('GET', `/v1/users/${user.id}`, { token }),
      ),
    )
    for (const { status, body } of responses) {
      assert.equal(status, 200)
      assert.deepEqual(
        { ...body, created_at: '', last_modified_at: '' },
        {
          user_id: user.id,
          created_at: '',
          last_modified_at: '',
          phone_country_code: '+91',
          phone_number: user.phone,
          address: 'Pune',
          dob: null,
          email: null,
          first_name: 'Asha',
          last_name: 'Example',
        },
      )
    }
  })

  it('200 ignores white space around the id', async () => {
    const platform = await t.platform()
    const user = await t.user(platform)
    for (const id of [`%20${user.id}%20`, `%09%0A${user.id}`, `${user.id}%E2%80%83`]) {
      for (const token of [platform.token, user.token]) {
        const response = await t.call('GET', `/v1/users/${id}`, { token })
        assert.deepEqual([response.status, response.body.user_id], [200, user.id])
      }
    }
  })

  it('304 for its ETag, 200 with a new one as soon as the user changes', async () => {
    const platform = await t.platform()
    const user = await t.user(platform)
    const get = (headers = {}) => t.call('GET', `/v1/users/${user.id}`, { token: platform.token, headers })
    const etag = String((await get()).headers['etag'])
    assert.match(etag, /^"[^"]+"$/)
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const response = await get({ 'if-none-match': known })
      assert.deepEqual([response.status, response.text, response.headers['etag']], [304, '', etag])
    }
    assert.equal((await get({ 'if-none-match': '"other"' })).status, 200)

    await t.made('POST', `/v1/users/${user.id}/complete_onboarding`, { token: platform.token, body: ONBOARDING })
    const changed = await get({ 'if-none-match': etag })
    assert.equal(changed.status, 200)
    assert.notEqual(changed.headers['etag'], etag)
  })

  it('401 without a token, 403 for a benefit provider', async () => {
    const user = await t.user(await t.platform())
    const anonymous = await t.call('GET', `/v1/users/${user.id}`)
    assert.equal(anonymous.status, 401)
    assert.match(String(anonymous.headers['www-authenticate']), /^Bearer/)
    const provider = await t.provider()
    assert.equal((await t.call('GET', `/v1/users/${user.id}`, { token: provider.token })).status, 403)
  })

  it('404 for another owner’s user as for a missing one, to a platform and to another user', async () => {
    const [platform, other] = [await t.platform(), await t.platform()]
    const user = await t.user(platform)
    const neighbour = await t.user(platform)
    for (const token of [other.token, neighbour.token]) {
      assertSameNotFound(
        await t.call('GET', `/v1/users/${user.id}`, { token }),
        await t.call('GET', `/v1/users/${MISSING}`, { token }),
      )
    }
    assert.equal((await t.call('GET', `/v1/users/${MISSING}`, { token: t.owner })).status, 404)
  })

  it('422 when the id does not have 12 digits; 401 comes before that', async () => {
    const platform = await t.platform()
    for (const id of ['12345678901', '1234567890123', '12345678901a', '%20', '०१२३४५६७८९०१', '0123%2045678901']) {
      const response = await t.call('GET', `/v1/users/${encodeURI(decodeURI(id))}`, { token: platform.token })
      assert.deepEqual(errorsOf(response), ['path:user_id format'], id)
    }
    assert.equal((await t.call('GET', '/v1/users/12')).status, 401)
    // A program that has no id gets an error, and never the list of users in its place.
    const { status, body } = await t.call('GET', '/v1/users/', { token: platform.token })
    assert.equal(status, 404)
    assert.match(body.detail, /no trailing slash/)
  })

  it('422 for a query parameter, since there are none', async () => {
    const platform = await t.platform()
    const user = await t.user(platform)
    const response = await t.call('GET', `/v1/users/${user.id}?expand=all`, { token: platform.token })
    assert.deepEqual(errorsOf(response), ['query:expand unknown'])
  })
})
