import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { endIdleSessions } from '../../../../src/access/administrator-sessions.ts'
import { parseRoles } from '../../../../src/settings/read-oidc.ts'
import { type Body, openTestApp } from '../../../support/app.ts'
import { FROM_OUR_PAGE, openLoginApp, SESSION_COOKIE } from '../../../support/administrators.ts'
import { DEADLINE_MS, within } from '../../../support/deadline.ts'
import { startIdentityProviderDouble } from '../../../support/identity-provider-double.ts'
import { claimsOf } from '../../../support/sessions.ts'
import { settled } from '../../../support/settled.ts'

const t = await openTestApp({ own: true })
const [platform, other, provider, another] = [
  await t.platform(),
  await t.platform(),
  await t.provider(),
  await t.provider(),
]
const double = await startIdentityProviderDouble()
const roles =
  parseRoles(
    `owner=owner, north-desk=benefit_provider:${provider.code}, other-desk=benefit_provider:${another.id}, support=platform:${platform.id}, gone=platform:plt_gone`,
  ) ?? assert.fail()
const site = await openLoginApp(t, { issuer: double.issuer, roles })

/** Logs a person in whose claim has these values; returns the browser and the response. */
async function logIn(sub: string, claims: string[]) {
  double.behave({ claims: { sub, roles: claims, name: 'Kiran Example' } })
  const browser = site.openBrowser()
  const response = await browser.go(await browser.callbackUrl('sandbox-owner'))
  return { browser, response }
}

/** An access token of a person who has logged in. */
async function tokenOf(sub: string, claims: string[]) {
  const { browser, response } = await logIn(sub, claims)
  assert.equal(response.status, 302, response.text)
  const { access_token } = (await browser.fetch('POST', '/v1/auth/session/token', { headers: FROM_OUR_PAGE, body: {} }))
    .body
  return { browser, token: access_token as string }
}

const read = (url: string, token: string) => site.call('GET', url, { token })

async function policyOf(from = provider, of = platform) {
  const user = await t.onboardedUser(of)
  return { user, id: await t.policy(of, user, await t.benefit(of, from)) }
}

describe('a person of a benefit provider', () => {
  it('has exactly the rights of its token', async () => {
    const [ours, theirs] = [await policyOf(), await policyOf(another)]
    const { token, browser } = await tokenOf('desk', ['north-desk'])
    const { data } = (await read('/v1/insurance_policies', token)).body
    assert.deepEqual(
      data.map(({ id }: Body) => id),
      [ours.id],
    )
    const session = (await browser.fetch('GET', '/v1/auth/session')).body
    assert.deepEqual([session.role, session.owner_id, session.name], ['benefit_provider', provider.id, 'Kiran Example'])
    assert.equal((await browser.fetch('GET', '/v1/insurance_policies')).body.data.length, 1, 'by cookie, too')
    assert.equal((await read(`/v1/users/${theirs.user.id}/insurance_policies/${theirs.id}`, token)).status, 404)
    for (const url of ['/v1/platforms', '/v1/users', '/v1/administrators', '/v1/wallets'])
      assert.deepEqual([url, (await read(url, token)).status], [url, (await read(url, provider.token)).status])
    for (const url of ['/v1/auth/session', '/v1/audit_log']) {
      assert.equal((await read(url, provider.token)).status, 403, 'a credential has no session')
      assert.equal((await read(url, token)).status, 200)
    }
    assert.equal((await read('/v1/platforms', token)).status, 403)
  })

  it('stands in histories, audit and access log as the person', async () => {
    const { user, id } = await policyOf()
    const { token, browser } = await tokenOf('desk', ['north-desk'])
    const { administrator_id } = (await browser.fetch('GET', '/v1/auth/session')).body
    const url = `/v1/users/${user.id}/insurance_policies/${id}`
    assert.equal(
      (
        await site.call('PUT', `${url}/status`, {
          token,
          headers: { 'content-type': 'application/json' },
          body: { status: 'VERIFICATION' },
        })
      ).status,
      200,
    )
    assert.equal((await read(url, token)).status, 200)
    await t.audit.reads.write()
    const actor = `provider_person:${provider.id}:${administrator_id}`
    const stored = await t.sql<{ actor: string }>(
      'select actor from user_status_changes where entity_id = $1 order by at desc',
      [id],
    )
    assert.equal(stored[0]?.actor, actor)
    const { data: log } = await t.made('GET', `/v1/users/${user.id}/access_log`, { token: user.token })
    const mine = log.filter((entry: Body) => entry.actor.name.startsWith(administrator_id))
    assert(mine.length >= 2, JSON.stringify(log))
    assert.deepEqual(mine[0].actor, { kind: 'benefit_provider', name: `${administrator_id}, Suraksha General` })
    await settled(t)
    const audit = await t.made('GET', `/v1/audit_log?actor=${actor}`, { token: t.owner })
    assert(audit.data.some(({ operation }: Body) => operation === 'readInsurancePolicy'))
    const timeline = await t.made('GET', `${url}/timeline`, { token: provider.token })
    assert(timeline.data.some((entry: Body) => entry.to === 'VERIFICATION' && entry.actor_kind === 'provider'))
  })

  it('is listed among the administrators, and out within a second when disabled there', async () => {
    const { token, browser } = await tokenOf('leaver', ['north-desk'])
    const { administrator_id: id } = (await browser.fetch('GET', '/v1/auth/session')).body
    const { data } = (await read('/v1/administrators?limit=100', t.owner)).body
    const { last_seen_at, ...listed } = data.find((one: Body) => one.id === id)
    assert.deepEqual(listed, {
      id,
      name: 'Kiran Example',
      role: 'benefit_provider',
      owner_id: provider.id,
      status: 'ACTIVE',
    })
    assert.equal(typeof last_seen_at, 'string')
    await t.made('PUT', `/v1/administrators/${id}/status`, { token: t.owner, body: { status: 'DISABLED' } })
    assert.equal((await browser.fetch('GET', '/v1/insurance_policies')).status, 401)
    await within(DEADLINE_MS, async () => (await read('/v1/insurance_policies', token)).status === 401)
    assert.equal((await logIn('leaver', ['north-desk'])).response.status, 403)
  })

  it('loses the rights of one partner when it logs in with those of another', async () => {
    const first = await tokenOf('mover', ['north-desk'])
    const second = await tokenOf('mover', ['other-desk'])
    assert.equal((await second.browser.fetch('GET', '/v1/auth/session')).body.owner_id, another.id)
    assert.equal((await first.browser.fetch('GET', '/v1/auth/session')).status, 401)
    await within(DEADLINE_MS, async () => (await read('/v1/insurance_policies', first.token)).status === 401)
  })
})

describe('a person of a platform', () => {
  it('has its rights, and the user tokens that it issues end with the session', async () => {
    const { token, browser } = await tokenOf('support', ['support'])
    const user = await t.user(platform)
    const foreign = await t.user(other)
    assert.equal((await read(`/v1/users/${user.id}`, token)).status, 200)
    assert.equal((await read(`/v1/users/${foreign.id}`, token)).status, 404)
    const body = { phone_country_code: '+91', phone_number: user.phone }
    const headers = { 'content-type': 'application/json' }
    const issued = await site.call('POST', '/v1/auth/token', { token, headers, body })
    assert.equal((await read(`/v1/users/${user.id}`, issued.body.access_token)).status, 200)
    assert((await browser.fetch('POST', '/v1/auth/logout', { headers: FROM_OUR_PAGE, body: {} })).status < 300)
    for (const ended of [token, issued.body.access_token])
      await within(DEADLINE_MS, async () => (await read(`/v1/users/${user.id}`, ended)).status === 401)
  })

  it('and the user tokens end some minutes after the session was used last, without a request of the session', async () => {
    const { token, browser } = await tokenOf('support', ['support'])
    const { browser: other } = await tokenOf('support', ['support'])
    const user = await t.user(platform)
    const body = { phone_country_code: '+91', phone_number: user.phone }
    const headers = { 'content-type': 'application/json' }
    const issued = (await site.call('POST', '/v1/auth/token', { token, headers, body })).body.access_token
    const { access_token: own } = await t.made('POST', '/v1/auth/token', { token: platform.token, body })
    const unusedFor = (minutes: number) =>
      t.sql(
        `update administrator_sessions set last_seen_at = now() - $1 * interval '1 minute'
          where session_id = $2`,
        [minutes, claimsOf(issued).client_id],
      )
    const revoked = async () =>
      (await t.sql('select 1 from revocations where subject = $1', [`session:${claimsOf(issued).client_id}`])).length
    await unusedFor(31)
    await endIdleSessions(t.deps.db)
    assert.equal(await revoked(), 0, 'clocks may differ by a minute')
    assert.equal((await read(`/v1/users/${user.id}`, issued)).status, 200)
    await unusedFor(33)
    for (let run = 0; run < 2; run++) await endIdleSessions(t.deps.db)
    assert.equal(await revoked(), 1)
    await within(DEADLINE_MS, async () => (await read(`/v1/users/${user.id}`, issued)).status === 401)
    assert.equal((await read(`/v1/users/${user.id}`, own)).status, 200, 'that of the platform itself')
    assert.equal((await browser.fetch('GET', '/v1/auth/session')).status, 401)
    assert.equal((await other.fetch('GET', '/v1/auth/session')).status, 200, 'another session of the person')
  })

  it('stands in the audit and the access log as the person, also with the token of a user', async () => {
    const { token, browser } = await tokenOf('helper', ['support'])
    const { administrator_id } = (await browser.fetch('GET', '/v1/auth/session')).body
    const user = await t.onboardedUser(platform)
    const headers = { 'content-type': 'application/json' }
    const phone = { phone_country_code: '+91', phone_number: user.phone }
    const { access_token } = (await site.call('POST', '/v1/auth/token', { token, headers, body: phone })).body
    const address = `/v1/users/${user.id}`
    assert.equal((await read(address, access_token)).status, 200)
    const changed = { token: access_token, headers, body: { email: 'asha.by.phone@example.com' } }
    assert.equal((await site.call('PATCH', address, changed)).status, 200)
    assert.equal((await read('/v1/auth/session', access_token)).status, 403, 'the session stays the person’s')
    await t.audit.reads.write()
    await settled(t)
    const audit = (await t.made('GET', `/v1/audit_log?subject=${user.id}&limit=100`, { token: t.owner })).data
    for (const operation of ['readUser', 'updateUser']) {
      const { actor } = audit.findLast((entry: Body) => entry.operation === operation)
      assert.equal(actor, `platform_person:${platform.id}:${administrator_id}`, operation)
    }
    const { data: log } = await t.made('GET', `${address}/access_log`, { token: user.token })
    assert(log.some((entry: Body) => entry.actor.kind === 'platform' && entry.actor.name.startsWith(administrator_id)))
  })

  it('is out when the platform is disabled, for good', async () => {
    const { token, browser } = await tokenOf('of-disabled', ['support'])
    const set = (status: string) =>
      t.made('PUT', `/v1/platforms/${platform.id}/status`, { token: t.owner, body: { status } })
    await set('INACTIVE')
    await within(DEADLINE_MS, async () => (await read('/v1/users', token)).status === 401)
    assert.equal((await browser.fetch('GET', '/v1/users')).status, 401)
    assert.equal((await logIn('of-disabled', ['support'])).response.status, 403)
    await set('ACTIVE')
    assert.equal((await read('/v1/users', token)).status, 401)
    assert.equal((await browser.fetch('GET', '/v1/users')).status, 401)
    assert.equal((await tokenOf('of-disabled', ['support'])).token.split('.').length, 3)
  })

  it('stays out when nobody remembers the revocation any more: a session outlives it by hours', async () => {
    const { browser } = await tokenOf('of-the-past', ['support'])
    const set = (status: string) =>
      t.made('PUT', `/v1/platforms/${platform.id}/status`, { token: t.owner, body: { status } })
    await set('INACTIVE')
    await t.sql('delete from revocations where subject = $1', [`platform:${platform.id}`])
    const later = await openLoginApp(t, { issuer: double.issuer, roles })
    const headers = { ...FROM_OUR_PAGE, cookie: `${SESSION_COOKIE}=${browser.cookie()}` }
    for (const status of ['INACTIVE', 'ACTIVE']) {
      await set(status)
      assert.equal((await later.call('GET', '/v1/users', { headers })).status, 401, status)
      assert.equal((await later.call('POST', '/v1/auth/session/token', { headers, body: {} })).status, 401, status)
    }
  })
})

describe('a claim', () => {
  it('403 with the values of two partners, or of one that does not exist', async () => {
    for (const claims of [['north-desk', 'support'], ['gone'], ['unknown']])
      assert.equal((await logIn('nobody', claims)).response.status, 403, claims.join())
  })

  it('302 with an administrator’s role alongside a partner’s, which counts', async () => {
    const { browser } = await tokenOf('both', ['north-desk', 'owner'])
    const { role, owner_id } = (await browser.fetch('GET', '/v1/auth/session')).body
    assert.deepEqual([role, owner_id], ['owner', null])
  })
})
