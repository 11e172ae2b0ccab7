import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { openTestApp, type TestPlatform } from '../../../support/app.ts'
import { within } from '../../../support/deadline.ts'
import { meetAt } from '../../../support/meeting.ts'
import { assertSameNotFound, errorsOf } from '../../../support/problems.ts'

const t = await openTestApp({ own: true })

const REVOCATION_MS_MAX = 1_000

const setStatus = (id: string, status: string, call: object = { token: t.operator }, node = t.call) =>
  node('PUT', `/v1/platforms/${id}/status`, { body: { status }, ...call })

/** The platform's history, events and revocations since it was created. */
const historyOf = async (id: string) =>
  (
    await t.sql<{ from_status: string; to_status: string; actor: string; request_id: string }>(
      `select from_status, to_status, actor, request_id
         from catalogue_status_changes where entity_id = $1 order by change_id`,
      [id],
    )
  ).slice(1)

const eventsOf = async (id: string) =>
  (
    await t.sql<{ type: string; platform_id: string; data: object }>(
      `select type, platform_id, data from events where type like 'platform.%' and subject = $1 order by event_id`,
      [id],
    )
  ).slice(1)

/** The first epochs in which tokens of the platform are valid, as reported to the nodes. */
const revocationsOf = (id: string) =>
  t.sql<{ first_epoch: number }>('select first_epoch from revocations where subject = $1 order by seq', [
    `platform:${id}`,
  ])

const statusOf = async (id: string) => (await t.call('GET', `/v1/platforms/${id}`, { token: t.viewer })).body.status

const exchange = ({ basicToken }: TestPlatform) =>
  t.call('POST', '/v1/oauth/token', {
    headers: { authorization: `Basic ${basicToken}` },
    body: { grant_type: 'client_credentials' },
  })

/** Waits until the node has read a revocation later than all existing ones, and so has read those too. */
async function waitForRevocations(): Promise<void> {
  const { id, credentialId, token } = await t.platform()
  const url = `/v1/platforms/${id}/credentials`
  await t.made('DELETE', `${url}/${credentialId}`, { token: t.operator })
  await within(REVOCATION_MS_MAX, async () => (await t.call('GET', url, { token })).status === 401)
}

describe('PUT /v1/platforms/{platform_id}/status', () => {
  it('200 disables and enables, each with its history, its event and a revocation', async () => {
    const { id } = await t.platform()
    const off = await setStatus(id, 'INACTIVE')
    assert.equal(off.status, 200)
    assert.equal(off.body.status, 'INACTIVE')
    const on = await setStatus(id, 'ACTIVE', { token: t.owner })
    assert.equal(on.body.status, 'ACTIVE')

    assert.deepEqual(await historyOf(id), [
      {
        from_status: 'ACTIVE',
        to_status: 'INACTIVE',
        actor: 'operator:test-operator',
        request_id: off.headers['x-request-id'],
      },
      {
        from_status: 'INACTIVE',
        to_status: 'ACTIVE',
        actor: 'owner:test-owner',
        request_id: on.headers['x-request-id'],
      },
    ])
    const about = (from: string, to: string) => ({
      type: 'platform.status_changed',
      platform_id: id,
      data: { platform_id: id, from, to },
    })
    assert.deepEqual(await eventsOf(id), [about('ACTIVE', 'INACTIVE'), about('INACTIVE', 'ACTIVE')])
    assert.deepEqual(await revocationsOf(id), [{ first_epoch: 2 }, { first_epoch: 3 }])
    assert.equal(await statusOf(id), 'ACTIVE')
  })

  it('200 revokes access of the platform and its users within a second, of nobody else; enabling revives no token', async () => {
    const platform = await t.platform()
    const user = await t.user(platform)
    const neighbour = await t.platform()
    const reads = [
      [`/v1/platforms/${platform.id}/credentials`, platform.token],
      [`/v1/users/${user.id}`, platform.token],
      [`/v1/users/${user.id}`, user.token],
    ] as const
    const statuses = async () =>
      Promise.all(reads.map(async ([url, token]) => (await t.call('GET', url, { token })).status))
    assert.deepEqual(await statuses(), [200, 200, 200])

    await setStatus(platform.id, 'INACTIVE')
    assert.equal((await exchange(platform)).status, 401) // no new token, immediately
    await within(REVOCATION_MS_MAX, async () => (await statuses()).every((status) => status === 401))
    const refused = await t.call('GET', `/v1/users/${user.id}`, { token: user.token })
    assert.equal(refused.body.code, 'unauthenticated')
    assert.match(refused.headers['www-authenticate'] ?? '', /^Bearer/)
    const own = await t.call('GET', `/v1/platforms/${neighbour.id}/credentials`, { token: neighbour.token })
    assert.equal(own.status, 200)

    await setStatus(platform.id, 'ACTIVE')
    const { access_token: token } = (await exchange(platform)).body
    assert.equal((await t.call('GET', `/v1/users/${user.id}`, { token })).status, 200, 'a new token is taken at once')
    await waitForRevocations()
    assert.deepEqual(await statuses(), [401, 401, 401])
    assert.equal((await t.call('GET', `/v1/users/${user.id}`, { token })).status, 200)
  })

  it('200 at once for every new token and never for an older one, however often and whatever the clocks', async () => {
    const platform = await t.platform()
    const phone = { phone_country_code: '+91', phone_number: '9876543210' }
    const older = [platform.token]
    after(() => void (t.clock.at = undefined))
    for (const minutesAhead of [0, 10, -10, 5, -5]) {
      await setStatus(platform.id, 'INACTIVE')
      await setStatus(platform.id, 'ACTIVE')
      // The clock of the issuing node differs from that of the database and of other nodes.
      t.clock.at = new Date(Date.now() + minutesAhead * 60_000)
      const { access_token: token } = (await exchange(platform)).body
      const issued = await t.call('POST', '/v1/auth/token', { token, body: phone })
      assert.equal(issued.status, 200, issued.text)
      const own = await t.call('GET', `/v1/users/${issued.body.user_id}`, { token: issued.body.access_token })
      assert.equal(own.status, 200, own.text)
      await waitForRevocations()
      for (const dead of older) assert.equal((await t.call('GET', '/v1/sponsors', { token: dead })).status, 401)
      older.push(token, issued.body.access_token)
      t.clock.at = undefined
    }
  })

  it('200 once: concurrent identical calls on two nodes make one transition; the other finds it done', async () => {
    const { id } = await t.platform()
    const row = { table: 'platforms', key: 'platform_id', id }
    const nodes = await t.openNodes(2)
    const calls = nodes.map((node) => () => setStatus(id, 'INACTIVE', { token: t.owner }, node))
    const responses = await meetAt(t, row, calls)
    assert.deepEqual(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size, 1)
    assert.deepEqual([responses[0]?.status, responses[0]?.body.status], [200, 'INACTIVE'])
    assert.deepEqual([(await historyOf(id)).length, (await eventsOf(id)).length], [1, 1])
    assert.deepEqual(await revocationsOf(id), [{ first_epoch: 2 }])
  })

  it('200 for the current status; the platform and its tokens are unchanged', async () => {
    const { id, token } = await t.platform()
    const before = await t.call('GET', `/v1/platforms/${id}`, { token: t.viewer })
    const response = await setStatus(id, 'ACTIVE')
    assert.deepEqual([response.status, response.text], [200, before.text])
    assert.equal(response.headers['etag'], before.headers['etag'])
    const after = await t.call('GET', `/v1/platforms/${id}`, { token: t.viewer })
    assert.equal(after.headers['etag'], before.headers['etag'])
    assert.deepEqual([await historyOf(id), await eventsOf(id), await revocationsOf(id)], [[], [], []])
    await waitForRevocations()
    assert.equal((await t.call('GET', '/v1/sponsors', { token })).status, 200)
  })

  it('500 without a transition when its event cannot be written; no token is revoked', async () => {
    const { id, token } = await t.platform()
    const before = await t.call('GET', `/v1/platforms/${id}`, { token: t.viewer })
    await t.sql('alter table events add constraint full_up check (false) not valid')
    const response = await setStatus(id, 'INACTIVE')
    await t.sql('alter table events drop constraint full_up')
    assert.deepEqual([response.status, response.body.code], [500, 'internal'])
    const after = await t.call('GET', `/v1/platforms/${id}`, { token: t.viewer })
    assert.equal(after.headers['etag'], before.headers['etag'])
    assert.deepEqual([await historyOf(id), await eventsOf(id), await revocationsOf(id)], [[], [], []])
    await waitForRevocations()
    assert.equal((await t.call('GET', '/v1/sponsors', { token })).status, 200)
  })

  it('412 for a version other than the stored one; the platform is unchanged', async () => {
    const platform = await t.platform()
    const read = () => t.call('GET', `/v1/platforms/${platform.id}`, { token: t.viewer })
    const etag = (await read()).headers['etag'] ?? ''
    for (const stale of ['"other"', 'W/"other"']) {
      const response = await setStatus(platform.id, 'INACTIVE', { token: t.owner, headers: { 'if-match': stale } })
      assert.equal(response.body.code, 'precondition_failed')
    }
    assert.equal((await read()).headers['etag'], etag)
    assert.deepEqual(await historyOf(platform.id), [])
    assert.equal((await exchange(platform)).status, 200)
    const fresh = await setStatus(platform.id, 'INACTIVE', { token: t.owner, headers: { 'if-match': `"x", ${etag}` } })
    assert.equal(fresh.status, 200)
  })

  it('401 and 403 leave the platform ACTIVE', async () => {
    const platform = await t.platform()
    const { token: user } = await t.user(platform)
    const { token: provider } = await t.provider()
    assert.equal((await setStatus(platform.id, 'INACTIVE', {})).status, 401)
    for (const token of [platform.token, user, provider, t.viewer]) {
      assert.equal((await setStatus(platform.id, 'INACTIVE', { token })).body.code, 'forbidden')
    }
    assert.equal(await statusOf(platform.id), 'ACTIVE')
    assert.deepEqual(await historyOf(platform.id), [])
  })

  it('404 for a missing platform, before any error of the body is reported', async () => {
    assertSameNotFound(await setStatus('plt_none', 'INACTIVE'), await setStatus('plt_none', 'GONE'))
  })

  it('422 reports every error; the platform stays ACTIVE', async () => {
    const { id } = await t.platform()
    const put = async (body?: unknown) =>
      errorsOf(await t.call('PUT', `/v1/platforms/${id}/status`, { token: t.owner, body }))
    assert.deepEqual(await put(), [' required'])
    assert.deepEqual(await put({}), ['/status required'])
    assert.deepEqual(await put({ status: 'active', reason: '' }), ['/reason too_short', '/status not_allowed'])
    assert.deepEqual(await put({ status: 'INACTIVE', reason: 'x'.repeat(501) }), ['/reason too_long'])
    assert.equal(await statusOf(id), 'ACTIVE')
  })
})
