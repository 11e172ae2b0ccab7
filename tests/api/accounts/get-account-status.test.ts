import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp } from '../../support/app.ts'
import { assertSameNotFound, errorsOf } from '../../support/problems.ts'

const t = await openTestApp()

async function scene() {
  const { platform } = await t.offer()
  const user = await t.onboardedUser(platform)
  const { data } = await t.made('GET', `/v1/users/${user.id}/accounts`, { token: platform.token })
  return { platform, user, id: String(data[0].id), address: `/v1/users/${user.id}/accounts/${data[0].id}` }
}

const read = (address: string, token?: string, headers = {}) =>
  t.call('GET', `${address}/status`, { ...(token && { token }), headers })

const put = (address: string, status: string, headers = {}) =>
  t.call('PUT', `${address}/status`, { token: t.operator, body: { status }, headers })

describe('GET /v1/users/{user_id}/accounts/{account_id}/status', () => {
  it('200 the status, since when, and the transitions this caller may make', async () => {
    const at = await scene()
    const account = await t.made('GET', at.address, { token: at.platform.token })
    const expected = { id: at.id, status: 'PENDING', since: account.created_at, grace_until: null, next_move_on: null }
    for (const [token, allowed_transitions] of [
      [at.platform.token, []],
      [at.user.token, []],
      [t.viewer, []],
      [t.operator, ['INACTIVE']],
      [t.owner, ['INACTIVE']],
    ] as const) {
      assert.deepEqual((await read(at.address, token)).body, { ...expected, allowed_transitions })
    }
  })

  it('200 the same record as the PUT before it; an account never opened cannot become active', async () => {
    const at = await scene()
    const { body, headers } = await put(at.address, 'INACTIVE')
    const response = await read(at.address, t.operator)
    assert.deepEqual([response.body, response.headers['etag']], [body, headers['etag']])
    assert.deepEqual(body.allowed_transitions, [])
    await t.sql(`update accounts set external_account_id = 'EXT-1' where account_id = $1`, [at.id])
    assert.deepEqual((await read(at.address, t.operator)).body.allowed_transitions, ['ACTIVE'])
  })

  it('304 for the account’s ETag until it changes; the next If-Match accepts it', async () => {
    const at = await scene()
    const etag = String((await read(at.address, at.user.token)).headers['etag'])
    assert.equal((await t.call('GET', at.address, { token: at.user.token })).headers['etag'], etag)
    assert.equal((await read(at.address, at.user.token, { 'if-none-match': etag })).status, 304)
    assert.equal((await put(at.address, 'INACTIVE', { 'if-match': etag })).status, 200)
    assert.equal((await put(at.address, 'ACTIVE', { 'if-match': etag })).status, 412)
    assert.equal((await read(at.address, at.user.token, { 'if-none-match': etag })).status, 200)
  })

  it('401 without a token, 403 for benefit providers, 404 for somebody else’s as for a missing one, 422', async () => {
    const at = await scene()
    assert.equal((await read(at.address)).status, 401)
    assert.equal((await read(at.address, (await t.provider()).token)).status, 403)
    const missing = await read(`/v1/users/${at.user.id}/accounts/acc_nothing`, at.platform.token)
    for (const { token } of [await t.platform(), await t.user(at.platform)]) {
      assertSameNotFound(await read(at.address, token), missing)
    }
    const malformed = await read(`/v1/users/0/accounts/${'x'.repeat(101)}`, at.platform.token)
    assert.deepEqual(errorsOf(malformed), ['path:account_id too_long', 'path:user_id format'])
  })
})
