import assert from 'node:assert/strict'
import { randomInt, randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import type { UserId } from '../../../src/access/user-id.ts'
import { cardOfMember } from '../../../src/domains/cover/documents/card-of-member.ts'
import { runErasures } from '../../../src/domains/privacy/personal-data/index.ts'
import { ERASED, erasureDeps } from '../../../src/data-map/erase.ts'
import { ROLE_TABLE } from '../../access/role-table.ts'
import { addressOf, bodiesIn, MISSING, prepareWorld, type World } from '../../access/world.ts'
import { type TestResponse, openTestApp, type TestPlatform, type TestUser } from '../../support/app.ts'
import { issueToFamily } from '../../support/issued-policies.ts'
import { openSessions } from '../../support/sessions.ts'
import { settled } from '../../support/settled.ts'
import { DEADLINE_MS, within } from '../../support/deadline.ts'

const t = await openTestApp()
const { signIn, refresh } = openSessions(t)
const MINUTE_MS = 60_000

const erase = (token: string, { id }: { id: string }, query = '') =>
  t.call('DELETE', `/v1/users/${id}${query}`, { token })

const run = () => runErasures({ ...t.deps, ...erasureDeps(t.deps) }, t.log)

async function credit(platform: TestPlatform, user: TestUser, amount: number, kind = 'credits'): Promise<TestResponse> {
  const body = { amount, reference: randomUUID(), description: 'For school books' }
  const headers = { 'idempotency-key': randomUUID() }
  return t.call('POST', `/v1/users/${user.id}/wallet/${kind}`, { token: platform.token, body, headers })
}

const eventsOf = (userId: string) =>
  t.sql<{ type: string; data: Record<string, string> }>(
    `select type, data from events where data ->> 'user_id' = $1 order by event_id`,
    [userId],
  )

describe('DELETE /v1/users/{user_id}', () => {
  it('200 states for each field whether it is erased or retained, under which law and until when', async () => {
    const at = await issueToFamily(t)
    await t.wallet(at.platform, at.user)
    assert.equal((await credit(at.platform, at.user, 500)).status, 201)
    assert.equal((await credit(at.platform, at.user, 500, 'debits')).status, 201)
    const { status, body } = await erase(at.platform.token, at.user, '?end_policies=true')
    assert.equal(status, 200)
    assert.deepEqual(Object.keys(body), ['user_id', 'erased_at', 'fields'])
    assert.equal(body.user_id, at.user.id)
    assert(Math.abs(Date.parse(`${body.erased_at}Z`) - Date.now()) < MINUTE_MS)
    const outcomes = Object.fromEntries(body.fields.map(({ field, ...rest }: { field: string }) => [field, rest]))
    assert.deepEqual(
      Object.keys(outcomes),
      ERASED.map(({ field }) => field),
    )
    for (const field of ['profile', 'phone', 'id_proof', 'bank_details', 'dependants', 'consultations', 'documents'])
      assert.deepEqual(outcomes[field], { outcome: 'erased' }, field)
    for (const field of ['insurance_policy_numbers', 'wallet_transactions']) {
      const { until, ...rest } = outcomes[field]
      assert.deepEqual(rest, { outcome: 'retained', law: 'Some Act' }, field)
      assert.match(until, /^20\d\d-03-31$/)
    }
    assert.equal(outcomes.access_log.outcome, 'retained')
    assert.match(outcomes.events.until, /^20\d\d-\d\d-\d\d$/)
  })

  it('200 counts a booking of the last hours of 31 March by London’s clock to the next financial year of India', async () => {
    const at = await issueToFamily(t)
    await t.wallet(at.platform, at.user)
    for (const kind of ['credits', 'debits']) await credit(at.platform, at.user, 500, kind)
    await t.sql(`update ledger_transactions set created_at = '2025-03-31T18:30:00Z' where user_id = $1`, [at.user.id])
    const { body } = await erase(at.platform.token, at.user, '?end_policies=true')
    const transactions = body.fields.find(({ field }: { field: string }) => field === 'wallet_transactions')
    assert.equal(transactions.until.slice(4), '-03-31')
    assert.equal(Number(transactions.until.slice(0, 4)), 2026 + t.deps.erasure.terms.ledger.years)
  })

  it('200 retains the numbers of a policy that it ends by the calendar of policies, which the sandbox can move', async () => {
    const at = await t.calendar.on('2031-05-01', () => issueToFamily(t, { input: { start_date: '2031-05-01' } }))
    const untilOn = async (day: string) => {
      const call = () => t.made('GET', `/v1/users/${at.user.id}/erasure`, { token: t.owner })
      const { fields } = await t.calendar.on(day, call)
      return fields.find(({ field }: { field: string }) => field === 'insurance_policy_numbers').until
    }
    const { years } = t.deps.erasure.terms.policies
    assert.equal(await untilOn('2032-03-31'), `${2032 + years}-03-31`, 'ended on that day')
    assert.equal(await untilOn('2032-04-01'), `${2033 + years}-03-31`, 'a financial year later')
    assert.equal(await untilOn('2033-06-01'), `${2033 + years}-03-31`, 'never after its last day, 30 April 2032')
  })

  it('200 retains nothing of a user without bookings and policies', async () => {
    const platform = await t.platform()
    const { body } = await erase(t.owner, await t.user(platform))
    const retained = body.fields.filter(({ outcome }: { outcome: string }) => outcome === 'retained')
    assert.deepEqual(
      retained.map(({ field }: { field: string }) => field),
      ['access_log', 'events'],
    )
  })

  it('404 at every URL of the user from then on, as for an unknown id; again after the purge', async () => {
    const world = await prepareWorld(t)
    const bodies = bodiesIn(world)
    assert.equal(
      (await erase(world.platform.token, { id: world.ids['user_id'] ?? '' }, '?end_policies=true')).status,
      200,
    )
    await assertNothingFound(world, bodies)
    await run()
    await assertNothingFound(world, bodies)
  })

  async function assertNothingFound(world: World, bodies: ReturnType<typeof bodiesIn>): Promise<void> {
    const rows = ROLE_TABLE.filter(
      ({ path, grants }) => path.includes('{user_id}') && (grants.owner ?? grants.platform),
    )
    assert(rows.length > 30)
    for (const { method, path, grants } of rows) {
      const principal = grants.platform ? 'platform' : 'owner'
      const given = bodies[`${method} ${path}`]
      const body = typeof given === 'function' ? given() : given
      const isFile = Buffer.isBuffer(body)
      const request = {
        token: world.tokens[principal],
        headers: { 'idempotency-key': randomUUID(), ...(isFile && { 'content-type': 'application/pdf' }) },
        ...(body && { body }),
      }
      const responses = [
        await t.call(method, addressOf(path, world.ids), request),
        await t.call(method, addressOf(path, { ...world.ids, user_id: MISSING['user_id'] ?? '' }), request),
      ]
      const [erased, missing] = responses.map(({ status, body: { instance: _i, request_id: _r, ...rest } }) => ({
        status,
        rest,
      }))
      assert.equal(erased?.status, 404, `${method} ${path}`)
      assert.deepEqual(erased, missing, `${method} ${path}`)
    }
  }

  it('404 for a repeated request with its Idempotency-Key immediately: no stored response is replayed', async () => {
    const platform = await t.platform()
    const user = await t.user(platform)
    const dependant = { first_name: 'Ravi', last_name: 'Example', date_of_birth: '2015-08-02' }
    const register = () =>
      t.call('POST', `/v1/users/${user.id}/dependants/bulk`, {
        token: platform.token,
        body: { dependants: [dependant] },
        headers: { 'idempotency-key': 'once' },
      })
    assert.equal((await register()).status, 201)
    assert.equal((await register()).headers['idempotent-replayed'], 'true')
    assert.equal((await erase(platform.token, user)).status, 200)
    const repeated = await register()
    assert.equal(repeated.status, 404, repeated.text)
  })

  it('health cards are not_valid immediately, and reveal nothing of the holder', async () => {
    const at = await issueToFamily(t)
    const holder = { userId: at.user.id as UserId, policyId: at.id, memberId: 'self' }
    const url = `/verify/health_card/${t.deps.cards.issue(cardOfMember(t.deps.vault, holder).id)}`
    const check = async () =>
      (await t.app.inject({ method: 'GET', url, headers: { accept: 'application/json' } })).json()
    assert.equal((await check()).result, 'valid')
    await erase(at.platform.token, at.user, '?end_policies=true')
    assert.deepEqual(await check(), { result: 'not_valid' })
    await run()
    assert.deepEqual(await check(), { result: 'not_valid' })
  })

  it('401 for the user’s and the wallet’s access and refresh tokens within a second', async () => {
    const platform = await t.platform()
    const user = await t.onboardedUser(platform)
    const pair = await signIn(platform, user)
    await t.made('POST', '/wallet/v1/wallet', { token: pair.access_token })
    const asUser = () => t.call('GET', `/v1/users/${user.id}`, { token: user.token })
    const asWallet = () => t.call('GET', '/wallet/v1/wallet', { token: pair.access_token })
    assert.deepEqual([(await asUser()).status, (await asWallet()).status], [200, 200])
    assert.equal((await erase(platform.token, user)).status, 200)
    const allRefused = async () => (await asUser()).status === 401 && (await asWallet()).status === 401
    await within(DEADLINE_MS, allRefused)
    assert.equal((await refresh(pair.refresh_token)).body.code, 'invalid_refresh_token')
  })

  it('the user cannot be found by phone, id proof or policy number; the same person is a new user', async () => {
    const platform = await t.platform()
    const input = {
      phone_country_code: '+91',
      phone_number: String(randomInt(1e9, 1e10)),
      id_proof: { number: randomUUID() },
    }
    const known = await t.made('POST', '/v1/auth/token', { token: platform.token, body: input })
    assert.equal((await erase(platform.token, { id: known.user_id })).status, 200)
    const { id_proof, ...phone } = input
    for (const body of [phone, { id_proof }]) {
      const found = await t.call('POST', '/v1/users/search', { token: platform.token, body })
      assert.deepEqual([found.status, found.body.total], [200, 0])
    }
    const { total } = await t.made('GET', '/v1/users', { token: platform.token })
    assert.equal(total, 0)
    const again = await t.made('POST', '/v1/auth/token', { token: platform.token, body: input })
    assert.notEqual(again.user_id, known.user_id)
    assert.equal((await t.call('GET', `/v1/users/${known.user_id}`, { token: platform.token })).status, 404)
  })

  it('409 in_use while the wallet holds money, whatever is requested; nothing is erased', async () => {
    const platform = await t.platform()
    const user = await t.onboardedUser(platform)
    await t.wallet(platform, user)
    assert.equal((await credit(platform, user, 1)).status, 201)
    for (const query of ['', '?end_policies=true']) {
      const { status, body } = await erase(platform.token, user, query)
      assert.deepEqual([status, body.code, body.reason], [409, 'conflict', 'in_use'])
    }
    assert.equal((await t.call('GET', `/v1/users/${user.id}`, { token: user.token })).status, 200)
    assert(!(await eventsOf(user.id)).some(({ type }) => type.startsWith('user.eras')))
    await credit(platform, user, 1, 'debits')
    assert.equal((await erase(platform.token, user)).status, 200)
  })

  it('409 in_use while a policy is in force; end_policies=true expires it, and rejects those not issued yet', async () => {
    const at = await issueToFamily(t)
    const benefit = await t.benefit(at.platform, at.provider)
    const waiting = await t.policy(at.platform, at.user, benefit)
    const { status, body } = await erase(at.platform.token, at.user)
    assert.deepEqual([status, body.code, body.reason], [409, 'conflict', 'in_use'])
    assert.equal((await t.made('GET', `${at.address}/status`, { token: at.platform.token })).status, 'ISSUED')

    assert.equal((await erase(at.platform.token, at.user, '?end_policies=true')).status, 200)
    const ends = (await eventsOf(at.user.id))
      .slice(-4)
      .map(({ type, data }) => `${type} ${data['insurance_policy_id']} ${data['to']}`)
    const expected = [
      `policy.status_changed ${at.id} EXPIRED`,
      `policy.status_changed ${waiting} REJECTED`,
      'user.erased undefined undefined',
      'user.erased undefined undefined', // the benefit provider’s
    ]
    assert.deepEqual(ends.toSorted(), expected.toSorted())
  })

  it('user.erased reaches the platform as ever, and each benefit provider with a policy with the ids of its own', async () => {
    const at = await issueToFamily(t)
    const [other, none, foreign] = [await t.provider(), await t.provider(), await t.platform()]
    const benefit = await t.benefit(at.platform, other)
    const theirs = await t.policy(at.platform, at.user, benefit)
    const rejected = `/v1/users/${at.user.id}/insurance_policies/${theirs}/status`
    await t.made('PUT', rejected, { token: other.token, body: { status: 'REJECTED', reason: 'Not insurable' } })
    const second = await t.policy(at.platform, at.user, benefit)
    await t.consultation(at.platform, at.user, none)
    assert.equal((await erase(at.platform.token, at.user, '?end_policies=true')).status, 200)

    await settled(t)
    const user_id = at.user.id
    const heard = async (token: string) => {
      const { data } = await t.made('GET', '/v1/events?type=user.erased', { token })
      type Heard = { platform_id: string | null; subject: string; data: object }
      return data.filter(({ subject }: Heard) => subject === user_id).map((one: Heard) => [one.platform_id, one.data])
    }
    assert.deepEqual(await heard(at.platform.token), [[at.platform.id, { user_id }]])
    const [provider_id, other_id] = [at.provider.id, other.id]
    assert.deepEqual(await heard(at.provider.token), [
      [null, { user_id, benefit_provider_id: provider_id, insurance_policy_ids: [at.id] }],
    ])
    assert.deepEqual(await heard(other.token), [
      [null, { user_id, benefit_provider_id: other_id, insurance_policy_ids: [theirs, second] }],
    ])
    for (const { token } of [none, foreign]) assert.deepEqual(await heard(token), [])
    const ofSubject = await t.made('GET', `/v1/events?subject=${user_id}&type=user.erased`, {
      token: at.platform.token,
    })
    assert.equal(ofSubject.data.length, 1)
  })

  it('409 in_use while a policy that was issued before is verified again; end_policies=true expires it', async () => {
    const at = await issueToFamily(t)
    const statuses = ['REQUIRES_POLICY_REISSUANCE', 'VERIFICATION', 'PENDING', 'VERIFICATION', 'APPROVED'] as const
    for (const status of statuses) {
      await t.made('PUT', `${at.address}/status`, { token: at.provider.token, body: { status } })
      const { status: code, body } = await erase(at.platform.token, at.user)
      assert.deepEqual([code, body.reason], [409, 'in_use'], status)
    }
    assert.equal((await erase(at.platform.token, at.user, '?end_policies=true')).status, 200)
    const [last] = (await eventsOf(at.user.id)).filter(({ type }) => type === 'policy.status_changed').slice(-1)
    assert.equal(last?.data['to'], 'EXPIRED')
  })

  it('200 once the term and the grace of a policy that is verified again are over', async () => {
    const at = await issueToFamily(t, { input: { start_date: '2026-04-01' } })
    for (const status of ['REQUIRES_POLICY_REISSUANCE', 'VERIFICATION'])
      await t.made('PUT', `${at.address}/status`, { token: at.provider.token, body: { status } })
    try {
      t.calendar.at = new Date('2027-04-30T06:30:00Z')
      assert.equal((await erase(at.platform.token, at.user)).body.reason, 'in_use')
      t.calendar.at = new Date('2027-05-01T06:30:00Z')
      assert.equal((await erase(at.platform.token, at.user)).status, 200)
    } finally {
      t.calendar.at = undefined
    }
  })

  it('200 for a user whose policies are no longer in force, even when the calendar has not expired them yet', async () => {
    const at = await issueToFamily(t, { input: { start_date: '2026-04-01' } })
    t.calendar.at = new Date('2027-06-01T06:30:00Z')
    try {
      assert.equal((await erase(at.platform.token, at.user)).status, 200)
    } finally {
      t.calendar.at = undefined
    }
    const [last] = (await eventsOf(at.user.id)).filter(({ type }) => type === 'policy.status_changed').slice(-1)
    assert.equal(last?.data['to'], 'EXPIRED')
  })

  it('404 the second time, with one event, one tombstone and one audit entry naming the actor', async () => {
    const platform = await t.platform()
    const user = await t.onboardedUser(platform)
    const responses = await Promise.all([1, 2, 3].map(() => erase(platform.token, user)))
    assert.deepEqual(
      responses.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 404, 404],
    )
    assert.equal((await eventsOf(user.id)).filter(({ type }) => type === 'user.erased').length, 1)
    const entries = await t.sql<{ actor: string; action: string; subject: string }>(
      `select actor, action, subject from audit_entries where user_id = $1 and operation = 'eraseUser'`,
      [user.id],
    )
    assert.deepEqual(entries, [{ actor: `platform:${platform.id}`, action: 'change', subject: user.id }])
    assert.equal((await t.sql('select 1 from erasures where user_id = $1', [user.id])).length, 1)
  })

  it('403 for app users, benefit providers, viewers and operators; 404 for another platform', async () => {
    const [platform, other, provider] = [await t.platform(), await t.platform(), await t.provider()]
    const user = await t.user(platform)
    for (const token of [user.token, provider.token, t.viewer, t.operator])
      assert.equal((await erase(token, user)).status, 403)
    assert.equal((await erase(other.token, user)).status, 404)
    assert.equal((await t.call('GET', `/v1/users/${user.id}`, { token: platform.token })).status, 200)
  })

  it('422 for end_policies other than true and false', async () => {
    const platform = await t.platform()
    const { status, body } = await erase(platform.token, await t.user(platform), '?end_policies=yes')
    assert.equal(status, 422)
    assert.equal(body.errors[0].pointer, 'query:end_policies')
  })

  it('a concurrent booking either comes first, and nothing is erased, or finds no user', async () => {
    const platform = await t.platform()
    for (let round = 0; round < 8; round++) {
      const user = await t.user(platform)
      await t.wallet(platform, user)
      const [booked, erased] = await Promise.all([credit(platform, user, 100), erase(platform.token, user)])
      const [wallet] = await t.sql<{ balance_paise: number }>(
        'select balance_paise::int from wallets where user_id = $1',
        [user.id],
      )
      if (booked.status === 201) {
        assert.equal(erased.body.reason, 'in_use')
        assert.equal(wallet?.balance_paise, 100)
      } else {
        assert.deepEqual([booked.status, erased.status, wallet?.balance_paise], [404, 200, 0])
      }
    }
  })
})
