import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { recountCalendar, runCalendar } from '../../../src/domains/cover/policies/index.ts'
import type { PolicyStatus } from '../../../src/domains/cover/policies/states.ts'
import { openTestApp } from '../../support/app.ts'

const t = await openTestApp({ own: true })

afterEach(() => {
  t.calendar.at = undefined
})

/** A policy from 2026-04-01 to 2027-03-31, grace to 2027-04-30; today is 2026-06-15. */
async function scene(...path: PolicyStatus[]): Promise<string> {
  const { platform, benefit } = await t.offer()
  const user = await t.onboardedUser(platform)
  const id = await t.policy(platform, user, benefit)
  const address = `/v1/users/${user.id}/insurance_policies/${id}/status`
  for (const status of path) await t.made('PUT', address, { token: t.owner, body: { status } })
  return id
}

/** As stored by a version with other rules. */
const storeDays = (id: string, graceUntil: string | null, nextMoveOn: string | null) =>
  t.sql('update insurance_policies set grace_until = $2, next_move_on = $3 where policy_id = $1', [
    id,
    graceUntil,
    nextMoveOn,
  ])

const rowsOf = (ids: string[]) =>
  t.sql<{ status: string; days: string[]; revision: number }>(
    `select status, array[grace_until::text, next_move_on::text] as days, revision from insurance_policies
      where policy_id = any ($1) order by array_position($1, policy_id)`,
    [ids],
  )

const ISSUED = ['VERIFICATION', 'APPROVED', 'ISSUED'] as const
const BACK = 'REQUIRES_POLICY_REISSUANCE'

describe('recountCalendar: days that another version stored', () => {
  it('stores them by today’s rules, once, and then the calendar expires what it had forgotten', async () => {
    const ids = [
      await scene(...ISSUED, BACK, 'VERIFICATION'),
      await scene(...ISSUED, BACK),
      await scene(...ISSUED),
      await scene(...ISSUED, 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE'),
      await scene('VERIFICATION'),
      await scene(...ISSUED, 'EXPIRED'),
    ]
    const [verified = '', corrected = '', issued = ''] = ids
    const before = await rowsOf(ids)
    await storeDays(verified, null, null)
    await storeDays(corrected, '2027-06-01', '2027-06-02')
    await storeDays(issued, null, '2027-01-01')
    assert.equal(await recountCalendar(t.deps), 3)
    const after = await rowsOf(ids)
    assert.deepEqual(
      after.map(({ days }) => days),
      [
        ['2027-04-30', '2027-05-01'],
        ['2027-04-30', '2027-05-01'],
        [null, '2027-03-01'],
        ['2026-07-15', '2026-07-16'], // from the day the instalment was missed
        [null, null],
        [null, null],
      ],
    )
    assert.deepEqual(
      after.map(({ revision }, index) => revision - Number(before[index]?.revision)),
      [1, 1, 1, 0, 0, 0],
      'an ETag changes only with what it stands for',
    )
    assert.equal(await recountCalendar(t.deps), 0, 'a second time it finds nothing')

    t.calendar.at = new Date('2027-05-01T12:00:00+05:30')
    await runCalendar(t.deps)
    const statuses = (await rowsOf(ids)).map(({ status }) => status)
    assert.deepEqual(statuses, ['EXPIRED', 'EXPIRED', 'EXPIRED', 'EXPIRED', 'VERIFICATION', 'EXPIRED'])
  })

  it('stores each day once when two workers are concurrent, and stops when asked to', async () => {
    const id = await scene(...ISSUED)
    await storeDays(id, null, null)
    const both = await Promise.all([recountCalendar(t.deps), recountCalendar(t.deps)])
    assert.equal(both[0] + both[1], 1)
    await storeDays(id, null, null)
    assert.equal(await recountCalendar(t.deps, AbortSignal.abort()), 1, 'of the page that it has read')
  })

  it('stores since when a policy has its status, which another version left as it was', async () => {
    const [unknown, former, known, ended] = [
      await scene('VERIFICATION'),
      await scene('VERIFICATION', 'APPROVED'),
      await scene(...ISSUED),
      await scene('REJECTED'),
    ]
    const ids = [unknown, former, known, ended]
    const sinceOf = () =>
      t.sql<{ is_right: boolean }>(
        `select p.status_since = (select max(h.at) from user_status_changes h
                                   where h.user_id = p.user_id and h.entity_id = p.policy_id) as is_right
           from insurance_policies p where policy_id = any ($1) order by array_position($1, policy_id)`,
        [ids],
      )
    assert((await sinceOf()).every(({ is_right }) => is_right))
    await t.sql('update insurance_policies set status_since = null where policy_id = any ($1)', [[unknown, ended]])
    await t.sql(`update insurance_policies set status_since = created_at - interval '1 hour' where policy_id = $1`, [
      former,
    ])
    const before = await rowsOf(ids)
    assert.equal(await recountCalendar(t.deps), 2)
    assert.deepEqual(
      (await sinceOf()).map(({ is_right }) => is_right),
      [true, true, true, null],
      'of one that has ended nobody asks',
    )
    assert.deepEqual(await rowsOf(ids), before, 'it is no new version')
    assert.equal(await recountCalendar(t.deps), 0)
  })
})
