import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Body, openTestApp, type TestPlatform, type TestUser } from '../../support/app.ts'
import { DEADLINE_MS, within } from '../../support/deadline.ts'
import { assertSameNotFound } from '../../support/problems.ts'
import { claimsOf, openSessions, phoneInput } from '../../support/sessions.ts'

const t = await openTestApp()
const { signIn, refresh, challengeFor, codeOf, verifyOtp } = openSessions(t)

const end = (user: { id: string }, token?: string) =>
  t.call('DELETE', `/v1/users/${user.id}/sessions`, token === undefined ? {} : { token })
const readSelf = async (user: { id: string }, token: string) =>
  (await t.call('GET', `/v1/users/${user.id}`, { token })).status
/** Every node has read a revocation after a while; a test says elsewhere that it is less than a second. */
const isOver = (user: { id: string }, token: string) =>
  within(DEADLINE_MS, async () => (await readSelf(user, token)) === 401)
const readWallet = async (token: string) => (await t.call('GET', '/wallet/v1/wallet', { token })).status
const newToken = async (platform: TestPlatform, { phone }: { phone: string }): Promise<string> => {
  const { platform_id: _, ...body } = phoneInput(platform, phone)
  return (await t.made('POST', '/v1/auth/token', { token: platform.token, body })).access_token
}
const statesOf = async (user: TestUser): Promise<string[]> =>
  (await t.made('GET', `/v1/users/${user.id}/one_time_codes`, { token: t.owner })).data.map(({ state }: Body) => state)

async function scene() {
  const platform = await t.platform()
  return { platform, user: await t.user(platform) }
}

describe('DELETE /v1/users/{user_id}/sessions', () => {
  it('204 ends app tokens, the wallet session and codes under way; the person can sign in again at once', async () => {
    const { platform, user } = await scene()
    const bystander = await t.user(platform)
    const pair = await signIn(platform, user)
    const other = await signIn(platform, bystander)
    const second = await newToken(platform, user)
    const { id, code } = await challengeFor(platform, user)

    const ended = await end(user, platform.token)
    assert.deepEqual([ended.status, ended.text], [204, ''])
    const fresh = await newToken(platform, user)
    assert.equal((await refresh(pair.refresh_token)).status, 401)
    assert.equal((await verifyOtp(id, code)).status, 401)
    assert.equal(await codeOf(id), undefined, 'it is not sent any more')
    for (const token of [user.token, second]) await isOver(user, token)
    await within(DEADLINE_MS, async () => (await readWallet(pair.access_token)) === 401)
    assert.equal(await readSelf(user, fresh), 200)
    assert.equal((await signIn(platform, user)).success, true)
    assert.equal(await readSelf(bystander, bystander.token), 200)
    assert.equal((await refresh(other.refresh_token)).status, 200)
    assert.equal((await t.call('GET', '/v1/users', { token: platform.token })).status, 200)
  })

  it('204 without a session, and again, for the platform, an operator and an owner', async () => {
    const { platform, user } = await scene()
    for (const token of [platform.token, t.operator, t.owner]) assert.equal((await end(user, token)).status, 204)
    const fresh = await newToken(platform, user)
    await end(user, platform.token)
    await isOver(user, fresh)
    assert.equal(await readSelf(user, await newToken(platform, user)), 200)
  })

  it('204 leaves the user as it was, and the codes listed with what became of them', async () => {
    const { platform, user } = await scene()
    const before = await t.call('GET', `/v1/users/${user.id}`, { token: platform.token })
    await signIn(platform, user)
    await challengeFor(platform, user)
    assert.equal((await end(user, platform.token)).status, 204)
    assert.deepEqual(await statesOf(user), ['VOID', 'USED'])
    const after = await t.call('GET', `/v1/users/${user.id}`, { token: platform.token })
    assert.deepEqual([after.body, after.headers['etag']], [before.body, before.headers['etag']])
  })

  it('204 ends a session that begins with a code at the same moment, or refuses the code', async () => {
    const { platform, user } = await scene()
    const { id, code } = await challengeFor(platform, user)
    const [verified] = await Promise.all([verifyOtp(id, code), end(user, platform.token)])
    if (verified.status === 200) assert.equal((await refresh(verified.body.refresh_token)).status, 401)
    else assert.equal(verified.status, 401)
  })

  it('204 is in the audit and the access log of the person, and is no event', async () => {
    const { platform, user } = await scene()
    await end(user, platform.token)
    const entries = await t.sql('select actor, operation from audit_entries where user_id = $1 and operation = $2', [
      user.id,
      'endUserSessions',
    ])
    assert.deepEqual(entries, [{ actor: `platform:${platform.id}`, operation: 'endUserSessions' }])
    const events = await t.sql('select type from events where subject = $1', [user.id])
    assert.deepEqual(events, [{ type: 'user.created' }])
  })

  it('200 a request for a token repeated with its key gets one that is valid now', async () => {
    const { platform, user } = await scene()
    const { platform_id: _, ...body } = phoneInput(platform, user.phone)
    const headers = { 'idempotency-key': `ended-${user.id}` }
    const ask = () => t.call('POST', '/v1/auth/token', { token: platform.token, body, headers })
    const first = (await ask()).body.access_token
    await end(user, platform.token)
    const repeated = await ask()
    assert.equal(repeated.headers['idempotent-replayed'], 'true')
    await isOver(user, first)
    assert.equal(await readSelf(user, repeated.body.access_token), 200)
    assert.equal(claimsOf(repeated.body.access_token).session_epoch, 1)
    assert(!('session_epoch' in claimsOf(first)))
  })

  it('401 a token that a user got for their own from one that has ended ends, too', async () => {
    const platform = await t.platform()
    const user = await t.onboardedUser(platform)
    await end(user, platform.token)
    const fresh = await newToken(platform, user)
    assert.equal(await readSelf(user, fresh), 200)
    await isOver(user, user.token)
  })

  it('404 for a user of another platform as for a missing one, 403 for viewers and the person, 401 without a token', async () => {
    const [{ user }, foreign] = [await scene(), await t.platform()]
    assertSameNotFound(await end(user, foreign.token), await end({ id: '999999999999' }, foreign.token))
    assert.equal((await end(user, t.viewer)).status, 403)
    const refused = await end(user, user.token)
    assert.deepEqual(
      [refused.status, refused.body.required, refused.body.caller],
      [403, ['platform', 'operator', 'owner'], 'user'],
    )
    assert.equal((await end(user)).status, 401)
    assert.equal(await readSelf(user, user.token), 200, 'nothing has ended')
  })
})
