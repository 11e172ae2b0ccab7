import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import pg from 'pg'
import { countAll } from '../../../../src/domains/administration/statistics/index.ts'
import { newId } from '../../../../src/kernel/id.ts'
import { openTestApp } from '../../../support/app.ts'
import { issueToFamily } from '../../../support/issued-policies.ts'
import { errorsOf } from '../../../support/problems.ts'
import { settled } from '../../../support/settled.ts'

const HOUR_MS = 3_600_000
type Hour = { since: string; events: number }
const numbersOf = (hours: Hour[]) => hours.map(({ events }) => events)
const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0)

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

  it('200 to a benefit provider its policies and what waits for it, with the time of the longest wait', async () => {
    const [platform, provider, other] = [await t.platform(), await t.provider(), await t.provider()]
    const benefit = await t.benefit(platform, provider)
    const since = (id: string, at: string, isSentBack = false) =>
      t.sql('update insurance_policies set status_since = $2, is_sent_back = $3 where policy_id = $1', [
        id,
        at,
        isSentBack,
      ])
    const users = await Promise.all([1, 2, 3].map(() => t.onboardedUser(platform)))
    const ids = await Promise.all(users.map((user) => t.policy(platform, user, benefit)))
    await since(ids[0] ?? '', '2026-04-02T10:00:00Z')
    await since(ids[1] ?? '', '2026-04-01T10:00:00Z', true)
    await t.sql(`update insurance_policies set status = 'ISSUED' where policy_id = $1`, [ids[2]])
    await t.policy(platform, users[0] ?? assert.fail(), await t.benefit(platform, other))
    const consultation = await t.consultation(platform, users[0] ?? assert.fail(), provider)
    await t.sql(`update consultations set last_message_at = $2 where consultation_id = $1`, [
      consultation,
      '2026-04-03T10:00:00Z',
    ])
    await age()
    await count()
    const { body } = await read(provider.token)
    assert.deepEqual([body.insurance_policies.PENDING, body.insurance_policies.ISSUED, body.users.ONBOARDED], [2, 1, 0])
    const waiting = [
      { list: 'insurance_policies', status: 'PENDING', count: 2, since: '2026-04-01T10:00:00' },
      { list: 'sent_back', status: 'PENDING', count: 1, since: '2026-04-01T10:00:00' },
      { list: 'consultations', status: 'OPEN', count: 1, since: '2026-04-03T10:00:00' },
    ]
    assert.deepEqual(body.waiting, waiting)
    const { waiting: ofPlatform } = (await read(platform.token)).body
    assert.deepEqual(
      ofPlatform.map(({ list, count: number }: (typeof waiting)[number]) => [list, number]),
      [
        ['insurance_policies', 3],
        ['accounts', 3],
        ['sent_back', 1],
        ['consultations', 1],
      ],
    )
    assert.equal((await read(other.token)).body.insurance_policies.PENDING, 1)
    assert.deepEqual((await read((await t.provider()).token)).body.waiting, [])
  })

  it('200 endorsements by state, to the platform and the benefit provider of the policies', async () => {
    const at = await issueToFamily(t)
    for (const first_name of ['Aasha', 'Asha'])
      await t.made('PATCH', `/v1/users/${at.user.id}`, { token: at.platform.token, body: { first_name } })
    const { data } = await t.made('GET', `/v1/endorsements?insurance_policy_id=${at.id}`, { token: at.provider.token })
    const body = { state: 'REFUSED', reason: 'It is the same person' }
    await t.made('PUT', `/v1/endorsements/${data[0].id}/state`, { token: at.provider.token, body })
    await age()
    await count()
    const expected = { REQUESTED: 1, ACCEPTED: 0, REFUSED: 1, WITHDRAWN: 0 }
    for (const { token } of [at.platform, at.provider])
      assert.deepEqual((await read(token)).body.endorsements, expected)
    const none = { REQUESTED: 0, ACCEPTED: 0, REFUSED: 0, WITHDRAWN: 0 }
    for (const { token } of [await t.platform(), await t.provider()])
      assert.deepEqual((await read(token)).body.endorsements, none)
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

  it('200 the events of each hour of the last day, each counted once, also when one is committed late', async () => {
    const [platform, other] = [await t.platform(), await t.platform()]
    const late = new pg.Client({ connectionString: t.ownerUrl, options: '-c search_path=banyan' })
    await late.connect()
    after(() => late.end())
    const now = Date.now()
    const event = (hoursAgo: number): [string, unknown[]] => [
      `insert into events (event_id, type, platform_id, subject, data, occurred_at)
       values ($1, 'user.updated', $2, '000000000001', '{}', $3)`,
      [newId('evt'), platform.id, new Date(now - hoursAgo * HOUR_MS)],
    ]
    const hoursOf = async (token: string) => (await read(token)).body.events_by_hour as Hour[]
    const counted = async () => {
      await age()
      assert.equal(await count(), true)
      return numbersOf(await hoursOf(platform.token))
    }
    await settled(t)
    const before = await counted()
    assert.equal(before.length, 24)

    await late.query('begin')
    await late.query(...event(0))
    for (const hoursAgo of [0, 0, 5, 30]) await t.sql(...event(hoursAgo))
    assert.equal(sum(await counted()), sum(before), 'an older transaction is open')
    await late.query('commit')
    await settled(t)
    const hours = await counted()
    assert.equal(sum(hours.slice(-2)), sum(before) + 3, 'the hour can change while this runs')
    assert.equal(sum(hours), sum(before) + 4, 'of one day')
    assert.equal(sum(await counted()), sum(hours), 'nothing is counted again')
    await t.sql(...event(5))
    await settled(t)
    assert.equal(sum(await counted()), sum(hours) + 1)

    const shown = await hoursOf(t.viewer)
    assert(
      shown.every(({ since }) => since.endsWith(':30:00')),
      'clocks of India',
    )
    assert(sum(numbersOf(shown)) > sum(hours) + 1, 'of all platforms')
    assert.equal(sum(numbersOf(await hoursOf(other.token))), sum(before), 'as many as any new platform has')
    assert.deepEqual(
      Object.keys((await read(t.viewer)).body).filter((name) => name.startsWith('events')),
      ['events_waiting', 'events_by_hour'],
    )
  })

  it('422 the counts of another platform, 403 for everybody else', async () => {
    const [platform, other] = [await t.platform(), await t.platform()]
    assert.deepEqual(errorsOf(await read(platform.token, `?platform_id=${other.id}`)), [
      'query:platform_id not_allowed',
    ])
    const provider = await t.provider()
    assert.deepEqual(errorsOf(await read(provider.token, `?platform_id=${platform.id}`)), [
      'query:platform_id not_allowed',
    ])
    const user = await t.user(platform)
    assert.equal((await read(user.token)).status, 403)
  })
})
