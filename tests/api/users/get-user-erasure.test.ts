import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { openTestApp } from '../../support/app.ts'
import { issueToFamily } from '../../support/issued-policies.ts'

const t = await openTestApp()

const MINUTE_MS = 60_000
const preview = (token: string, id: string) => t.made('GET', `/v1/users/${id}/erasure`, { token })

describe('GET /v1/users/{user_id}/erasure', () => {
  it('200 what the erasure then does to each field, without doing it', async () => {
    const { platform, user } = await issueToFamily(t)
    await t.wallet(platform, user)
    const { is_scheduled, holds_money, policies_in_force, ...shown } = await preview(platform.token, user.id)
    assert.deepEqual([is_scheduled, holds_money, policies_in_force.length], [false, false, 1])
    assert(Math.abs(Date.parse(`${shown.erased_at}Z`) - Date.now()) < MINUTE_MS)
    assert.equal((await t.call('GET', `/v1/users/${user.id}`, { token: platform.token })).status, 200)

    const url = `/v1/users/${user.id}?end_policies=true`
    const { erased_at, ...erased } = await t.made('DELETE', url, { token: platform.token })
    assert.equal(typeof erased_at, 'string')
    assert.deepEqual({ user_id: shown.user_id, fields: shown.fields }, erased)
    assert.equal((await t.call('GET', `/v1/users/${user.id}/erasure`, { token: platform.token })).status, 404)
  })

  it('200 what prevents it: money in the wallet and policies in force', async () => {
    const { platform, user, id } = await issueToFamily(t)
    await t.wallet(platform, user)
    await t.made('POST', `/v1/users/${user.id}/wallet/credits`, {
      token: platform.token,
      body: { amount: 500, reference: randomUUID() },
      headers: { 'idempotency-key': randomUUID() },
    })
    const shown = await preview(t.owner, user.id)
    assert.equal(shown.holds_money, true)
    assert.deepEqual(shown.policies_in_force, [id])
    assert.equal((await t.call('DELETE', `/v1/users/${user.id}`, { token: t.owner })).status, 409)
  })

  it('200 the time at which a scheduled one is executed', async () => {
    const platform = await t.platform()
    const user = await t.user(platform)
    await t.sql(
      `insert into erasures (user_id, asked_at, next_at, ends_policies) values ($1, now(), '2030-01-01T00:00:00Z', false)`,
      [user.id],
    )
    const { is_scheduled, erased_at } = await preview(platform.token, user.id)
    assert.deepEqual([is_scheduled, erased_at], [true, '2030-01-01T00:00:00'])
  })

  it('403 for operators and users, 404 to another platform', async () => {
    const platform = await t.platform()
    const user = await t.user(platform)
    const statusFor = async (token: string) => (await t.call('GET', `/v1/users/${user.id}/erasure`, { token })).status
    assert.deepEqual(
      await Promise.all([t.operator, user.token, (await t.platform()).token].map(statusFor)),
      [403, 403, 404],
    )
  })
})
