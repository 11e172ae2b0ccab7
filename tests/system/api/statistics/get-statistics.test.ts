import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { countAll } from '../../../../src/domains/administration/statistics/index.ts'
import { openTestApp } from '../../../support/app.ts'
import { errorsOf } from '../../../support/problems.ts'

const t = await openTestApp({ own: true })

const read = (token: string, query = '') => t.call('GET', `/v1/statistics${query}`, { token })
const count = () => countAll(t.db, t.deps.clock)
const age = () => t.sql(`update statistics set as_of = as_of - interval '1 minute'`)

describe('GET /v1/statistics', () => {
  it('200 zeros with no time until a worker has counted', async () => {
    const { body } = await read(t.viewer)
    assert.equal(body.as_of, null)
    assert(Object.values<number>(body.insurance_policies).every((number) => number === 0))
  })

  it('200 counts by state: to a platform its own, to administrators all or one platform’s', async () => {
    const [platform, other, provider] = [await t.platform(), await t.platform(), await t.provider()]
    const benefit = await t.benefit(platform, provider)
    const users = [await t.onboardedUser(platform), await t.onboardedUser(platform)] as const
    await t.user(platform)
    await t.onboardedUser(other)
    await t.policy(platform, users[0], benefit)
    const rejected = await t.policy(platform, users[1], benefit)
    await t.sql(`update insurance_policies set status = 'REJECTED' where policy_id = $1`, [rejected])
    await t.wallet(platform, users[0])
    await t.made('POST', '/v1/webhook_endpoints', {
      token: platform.token,
      body: { url: 'https://hooks.example.com/banyan', event_types: ['*'] },
    })
    assert.equal(await count(), true)

    const own = (await read(platform.token)).body
    assert.deepEqual(own.insurance_policies, {
      PENDING: 1,
      VERIFICATION: 0,
      APPROVED: 0,
      ISSUED: 0,
      REQUIRES_CUSTOMER_RENEWAL_IN_GRACE: 0,
      REQUIRES_POLICY_REISSUANCE: 0,
      REQUIRES_CUSTOMER_RENEWAL: 0,
      EXPIRED: 0,
      REJECTED: 1,
    })
    assert.deepEqual(own.users, { ONBOARDED: 2, NOT_ONBOARDED: 1 })
    assert.deepEqual(own.accounts, { PENDING: 2, ACTIVE: 0, INACTIVE: 0 })
    assert.equal(own.wallets.COMPLETED, 1)
    assert(own.events_waiting > 0, 'no relay has run')
    assert.match(own.as_of, /^\d{4}-/)
    const all = (await read(t.operator)).body
    assert.deepEqual(all.users, { ONBOARDED: 3, NOT_ONBOARDED: 1 })
    assert.deepEqual((await read(t.owner, `?platform_id=${platform.id}`)).body, own)
    assert.deepEqual((await read(platform.token, `?platform_id=${platform.id}`)).body, own)
    assert.deepEqual((await read(other.token)).body.users, { ONBOARDED: 1, NOT_ONBOARDED: 0 })
    assert.equal((await read(other.token)).body.wallets.COMPLETED, 0)
  })

  it('counts again after half a minute, once for all workers, and forgets what is gone', async () => {
    assert.equal(await count(), false)
    const platform = await t.platform()
    const user = await t.user(platform)
    assert.equal((await read(platform.token)).body.users.NOT_ONBOARDED, 0)
    await age()
    assert.deepEqual([await count(), await count()], [true, false])
    assert.equal((await read(platform.token)).body.users.NOT_ONBOARDED, 1)
    await t.made('DELETE', `/v1/users/${user.id}`, { token: platform.token })
    await age()
    await count()
    assert.equal((await read(platform.token)).body.users.NOT_ONBOARDED, 0)
  })

  it('422 the counts of another platform, 403 for everybody else', async () => {
    const [platform, other] = [await t.platform(), await t.platform()]
    assert.deepEqual(errorsOf(await read(platform.token, `?platform_id=${other.id}`)), [
      'query:platform_id not_allowed',
    ])
    assert.equal((await read((await t.provider()).token)).status, 403)
  })
})
