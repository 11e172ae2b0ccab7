import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { runCalendar } from '../../../src/domains/cover/policies/index.ts'
import { POLICY_STATUSES, type PolicyStatus } from '../../../src/domains/cover/policies/states.ts'
import { openTestApp } from '../../support/app.ts'
import { assertSameNotFound, conflictOf, errorsOf } from '../../support/problems.ts'

const t = await openTestApp()

afterEach(() => {
  t.calendar.at = undefined
})

const on = (day: string) => void (t.calendar.at = new Date(`${day}T12:00:00+05:30`))

/** A policy from 2026-04-01 to 2027-03-31 with a window and a grace of 30 days. */
async function scene(...path: PolicyStatus[]) {
  const { platform, provider, benefit } = await t.offer()
  const user = await t.onboardedUser(platform)
  const id = await t.policy(platform, user, benefit)
  const at = { platform, provider, user, id, address: `/v1/users/${user.id}/insurance_policies/${id}` }
  for (const status of path) assert.equal((await put(at, status)).status, 200)
  return at
}
type Scene = Awaited<ReturnType<typeof scene>>

const put = ({ address, provider }: Scene, status: PolicyStatus, headers = {}) =>
  t.call('PUT', `${address}/status`, { token: provider.token, body: { status }, headers })

const read = ({ address }: { address: string }, token: string | undefined, headers = {}) =>
  t.call('GET', `${address}/status`, { ...(token && { token }), headers })

const ISSUED = ['VERIFICATION', 'APPROVED', 'ISSUED'] as const

describe('GET /v1/users/{user_id}/insurance_policies/{id}/status', () => {
  it('200 the status, since when, what comes next, and the transitions this caller may make', async () => {
    const at = await scene(...ISSUED)
    const [last] = await t.sql<{ at: string }>(
      `select to_char(max(at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS') as at
         from user_status_changes where entity_id = $1`,
      [at.id],
    )
    const expected = {
      id: at.id,
      status: 'ISSUED',
      since: last?.at,
      grace_until: null,
      next_move_on: '2027-03-01',
      persons_version: 0,
      is_sent_back: false,
    }
    const people = ['REQUIRES_POLICY_REISSUANCE', 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE', 'EXPIRED']
    const owner = ['REQUIRES_POLICY_REISSUANCE', 'REQUIRES_CUSTOMER_RENEWAL', ...people.slice(1)]
    for (const [token, allowed_transitions] of [
      [at.platform.token, []],
      [at.user.token, []],
      [at.provider.token, people],
      [t.viewer, []],
      [t.operator, people],
      [t.owner, owner],
    ] as const) {
      assert.deepEqual((await read(at, token)).body, { ...expected, allowed_transitions })
    }
  })

  it('200 the same record as the PUT before it; a correction does not change its time', async () => {
    const at = await scene('VERIFICATION')
    const { body, headers } = await put(at, 'APPROVED')
    const response = await read(at, at.provider.token)
    assert.deepEqual([response.body, response.headers['etag']], [body, headers['etag']])
    assert.deepEqual(body.allowed_transitions, ['ISSUED', 'REJECTED'])
    await t.sql(`update insurance_policies set last_modified_at = '2030-01-01' where policy_id = $1`, [at.id])
    assert.equal((await read(at, at.provider.token)).body.since, body.since)
  })

  it('200 the last day of grace, if any', async () => {
    const at = await scene(...ISSUED, 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE')
    const { grace_until, next_move_on } = (await read(at, at.user.token)).body
    assert.deepEqual([grace_until, next_move_on], ['2026-07-15', '2026-07-16']) // missed on 2026-06-15
  })

  it('200 one truth while no worker has run the calendar, and once one has', async () => {
    const at = await scene(...ISSUED)
    const { token } = at.provider
    const everywhere = async () => {
      const { body, headers } = await read(at, token)
      const list = (query: string) => t.call('GET', `/v1/users/${at.user.id}/insurance_policies${query}`, { token })
      const filtered = await Promise.all(POLICY_STATUSES.map((status) => list(`?status=${status}`)))
      const timeline = await t.call('GET', `${at.address}/timeline`, { token })
      const exported = await t.made('GET', `/v1/users/${at.user.id}/export`, { token: at.platform.token })
      const changes = exported.status_changes.filter(({ id }: { id: string }) => id === at.id)
      const events = await t.sql<{ to: string }>(
        `select data ->> 'to' as to from events where subject = $1 order by xid, event_id`,
        [at.id],
      )
      const record = await t.call('GET', at.address, { token })
      assert.equal(headers['etag'], record.headers['etag'])
      return {
        ...body,
        seen: {
          filter: POLICY_STATUSES.filter((_, index) => filtered[index]?.body.total === 1),
          timeline: timeline.body.data.find(({ kind }: { kind: string }) => kind === 'STATUS_CHANGED').to,
          events: events.at(-1)?.to,
          export: changes.at(-1).to,
        },
      }
    }
    const everywhereIs = (status: string) => ({ filter: [status], timeline: status, events: status, export: status })
    const before = await everywhere()
    assert.deepEqual(before.seen, everywhereIs('ISSUED'))
    on('2027-04-01')
    const late = await everywhere()
    assert.deepEqual(late, { ...before, allowed_transitions: late.allowed_transitions })
    assert.deepEqual(
      late.allowed_transitions,
      ['ISSUED', 'REQUIRES_POLICY_REISSUANCE', 'EXPIRED'],
      'people’s transitions are judged as if it had run',
    )
    await runCalendar(t.deps)
    const { status, grace_until, next_move_on, allowed_transitions, seen } = await everywhere()
    assert.deepEqual(
      { status, grace_until, next_move_on, allowed_transitions },
      {
        status: 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE',
        grace_until: '2027-04-30',
        next_move_on: '2027-05-01',
        allowed_transitions: late.allowed_transitions,
      },
    )
    assert.deepEqual(seen, everywhereIs(status))
  })

  it('200 does not offer issuing once term and grace are over, when it would be rejected', async () => {
    const at = await scene('VERIFICATION', 'APPROVED')
    on('2027-05-01')
    assert.deepEqual((await read(at, at.provider.token)).body.allowed_transitions, ['REJECTED'])
    assert.equal(conflictOf(await put(at, 'ISSUED')), 'term_over')
    assert.deepEqual((await put(at, 'PENDING')).body.allowed_transitions, ['REJECTED'])
  })

  it('304 for the policy’s ETag until it changes, which If-Match accepts', async () => {
    const at = await scene(...ISSUED)
    const { headers } = await read(at, at.user.token)
    const etag = String(headers['etag'])
    assert.equal((await t.call('GET', at.address, { token: at.user.token })).headers['etag'], etag)
    assert.deepEqual([(await read(at, at.user.token, { 'if-none-match': etag })).status], [304])
    assert.equal((await put(at, 'REQUIRES_POLICY_REISSUANCE', { 'if-match': etag })).status, 200)
    assert.equal((await put(at, 'ISSUED', { 'if-match': etag })).status, 412)
    assert.equal((await read(at, at.user.token, { 'if-none-match': etag })).status, 200)
  })

  it('401 without a token; 404 for somebody else’s as for a missing one; 422 for malformed ids', async () => {
    const at = await scene()
    assert.equal((await read(at, undefined)).status, 401)
    const missing = await read({ address: `/v1/users/${at.user.id}/insurance_policies/pol_nothing` }, t.owner)
    for (const { token } of [await t.platform(), await t.provider(), await t.user(at.platform)]) {
      assertSameNotFound(await read(at, token), missing)
    }
    const malformed = await read({ address: `/v1/users/me/insurance_policies/${'x'.repeat(101)}` }, at.platform.token)
    assert.deepEqual(errorsOf(malformed), ['path:insurance_policy_id too_long', 'path:user_id format'])
  })
})
