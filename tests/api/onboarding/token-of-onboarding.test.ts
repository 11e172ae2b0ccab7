import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { ONBOARDING, openTestApp } from '../../support/app.ts'
import { claimsOf } from '../../support/sessions.ts'

const t = await openTestApp()

afterEach(() => (t.clock.at = undefined))

const complete = ({ id }: { id: string }, token: string) =>
  t.call('POST', `/v1/users/${id}/complete_onboarding`, { token, body: ONBOARDING })

const expiryOf = (token: string): number => claimsOf(token).exp

describe('the access token in the response to onboarding', () => {
  it('ends with the one that the user sent, however often they ask: only the platform can prolong their access', async () => {
    const platform = await t.platform()
    const user = await t.user(platform)
    const exp = expiryOf(user.token)
    t.clock.at = new Date((exp - 60) * 1_000)
    let { token } = user
    for (const _ of ['completed', 'repeated', 'repeated again']) {
      const { status, body } = await complete(user, token)
      assert.equal(status, 200)
      assert.equal(expiryOf(body.access_token), exp)
      token = body.access_token
    }
    t.clock.at = new Date(exp * 1_000)
    const late = await complete(user, token)
    assert.deepEqual([late.status, late.body.code], [401, 'token_expired'])
  })

  it('is as good as a new one when the platform asks, also again', async () => {
    const platform = await t.platform()
    const user = await t.user(platform)
    t.clock.at = new Date((expiryOf(user.token) - 60) * 1_000)
    for (const _ of ['completed', 'repeated']) {
      const { body } = await complete(user, platform.token)
      assert.equal(expiryOf(body.access_token), expiryOf(user.token) - 60 + 3_600)
    }
  })

  it('ends with the users’ tokens that a rotation of the platform’s credential keeps', async () => {
    const platform = await t.platform()
    const user = await t.user(platform)
    const credential = `/v1/platforms/${platform.id}/credentials/${platform.credentialId}`
    await t.made('DELETE', `${credential}?keep_user_tokens=true`, { token: t.owner })
    t.clock.at = new Date((expiryOf(user.token) - 60) * 1_000)
    const { status, body } = await complete(user, user.token)
    assert.equal(status, 200)
    assert.equal(expiryOf(body.access_token), expiryOf(user.token))
  })
})
