import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { openTestApp, PLAN } from '../../support/app.ts'
import { prepareEnds } from '../../support/ends.ts'
import { conflictOf } from '../../support/problems.ts'

const t = await openTestApp()
const {
  on,
  inr,
  issued,
  putStatus,
  transition,
  renewedEarly,
  put,
  take,
  read,
  ended,
  datesOf,
  statusOf,
  listed,
  checked,
  storedOf,
  eventsOf,
  assertRefused,
  enrolledToo,
} = prepareEnds(t)

afterEach(() => {
  t.calendar.at = undefined
})

describe('PUT /v1/users/{user_id}/insurance_policies/{insurance_policy_id}/end', () => {
  it('200 the state stays, the record ends on that day, window and grace are off, and everything agrees', async () => {
    const at = await issued()
    on('2026-08-01')
    const body = await ended(at, { on: '2026-08-12', reason: 'Left the company' })
    const { set_at, ...end } = body
    assert.deepEqual(end, {
      insurance_policy_id: at.id,
      on: '2026-08-12',
      code: 'LEFT',
      reason: 'Left the company',
      refund: { days: 231, estimate: inr(7_623), amount: null },
    })
    assert.match(set_at, /^\d{4}-/)
    assert.deepEqual((await read(at)).body, body)
    assert.deepEqual(await datesOf(at), ['2026-04-01', '2026-08-12'])
    const { status, next_move_on, grace_until, allowed_transitions } = await statusOf(at)
    assert.deepEqual([status, next_move_on, grace_until], ['ISSUED', '2026-08-13', null])
    assert.deepEqual(allowed_transitions, [
      'REQUIRES_POLICY_REISSUANCE',
      'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE',
      'EXPIRED',
    ])
    const entry = await listed(at)
    assert.deepEqual([entry.start_date, entry.end_date, entry.next_move_on], ['2026-04-01', '2026-08-12', '2026-08-13'])
    assert.equal(entry.status_since, (await statusOf(at)).since, 'the state is as old as before')
    assert.deepEqual(await checked(at), ['valid', '2026-08-12'])
    on('2026-08-12')
    assert.deepEqual(await checked(at), ['valid', '2026-08-12'])
    on('2026-08-13')
    assert.deepEqual(await checked(at), ['expired', undefined])
    assert.deepEqual((await eventsOf(at)).slice(-2), ['policy.status_changed ISSUED', 'policy.end_scheduled'])
  })

  it('200 the same again changes nothing, also by another caller, and after that day', async () => {
    const at = await issued()
    on('2026-08-01')
    const first = await put(at, { on: '2026-08-12', reason: 'Left' })
    const before = await storedOf(at)
    for (const again of [
      await put(at, { on: '2026-08-12', reason: 'Left' }),
      await put(at, { on: '2026-08-12' }, at.provider.token),
      await put(at, { on: '2026-08-12', reason: null, amount: null }, t.operator),
    ]) {
      assert.deepEqual(again.body, first.body)
      assert.equal(again.headers['etag'], first.headers['etag'])
    }
    on('2026-12-01')
    assert.deepEqual((await put(at, { on: '2026-08-12' })).body, first.body)
    assert.equal(await storedOf(at), before)
  })

  it('200 a day that is over ends it at once, by the caller; today does not yet', async () => {
    const at = await issued()
    on('2026-08-20')
    await ended(at, { on: '2026-08-20' })
    assert.equal((await statusOf(at)).status, 'ISSUED')
    await ended(at, { on: '2026-08-12', code: 'DEATH' })
    const { status, next_move_on, allowed_transitions } = await statusOf(at)
    assert.deepEqual([status, next_move_on, allowed_transitions], ['EXPIRED', null, []])
    assert.deepEqual(await datesOf(at), ['2026-04-01', '2026-08-12'])
    assert.deepEqual((await eventsOf(at)).slice(-2), ['policy.end_scheduled', 'policy.status_changed EXPIRED'])
    const [last] = await t.sql('select actor from user_status_changes where entity_id = $1 order by at desc limit 1', [
      at.id,
    ])
    assert.equal(last?.['actor'], `platform:${at.platform.id}`)
    assert.deepEqual(await checked(at), ['expired', undefined])
  })

  it('200 the amount is the insurer’s word: it stays while the day does', async () => {
    const at = await issued()
    on('2026-08-20')
    await ended(at, { on: '2026-08-12' })
    assert.deepEqual(
      (await ended(at, { on: '2026-08-12', amount: inr(7_000.5) }, at.provider.token)).refund.amount,
      inr(7_000.5),
    )
    assert.deepEqual((await ended(at, { on: '2026-08-12', code: 'CANCELLED' })).refund.amount, inr(7_000.5))
    assert.equal((await ended(at, { on: '2026-08-13' })).refund.amount, null)
    await assertRefused(at, () => put(at, { on: '2026-08-13', amount: inr(1) }), ['/amount not_allowed'])
    assert.equal((await statusOf(at)).status, 'EXPIRED')
  })

  it('200 after an early renewal an end before the new term gives the record the running term back', async () => {
    const at = await renewedEarly()
    const body = await ended(at, { on: '2027-03-20' })
    assert.deepEqual(await datesOf(at), ['2026-04-01', '2027-03-20'])
    assert.deepEqual([(await listed(at)).start_date, (await listed(at)).end_date], ['2026-04-01', '2027-03-20'])
    // 11 days of 365, and the whole next term.
    assert.deepEqual(body.refund, { days: 11 + 366, estimate: inr(363 + 12_045), amount: null })
    assert.deepEqual(await checked(at), ['valid', '2027-03-20'])
    on('2027-03-21')
    assert.deepEqual(await checked(at), ['expired', undefined])
    on('2027-03-20')
    assert.equal((await take(at)).status, 200)
    assert.deepEqual(await datesOf(at), ['2027-04-01', '2028-03-31'])
    assert.deepEqual(await checked(at), ['valid', '2028-03-31'])
  })

  it('200 an end in the renewed term keeps its dates; without a readable issue the terms are counted back', async () => {
    const at = await renewedEarly()
    await ended(at, { on: '2027-06-30' })
    assert.deepEqual(await datesOf(at), ['2027-04-01', '2027-06-30'])
    await t.sql(`update policy_snapshots set sealed = 'unreadable' where policy_id = $1`, [at.id])
    const { refund } = await ended(at, { on: '2027-03-31' })
    assert.deepEqual([await datesOf(at), refund.days], [['2026-04-01', '2027-03-31'], 366])
  })

  it('200 the day before cover begins: no day of it', async () => {
    const at = await issued()
    on('2026-04-10')
    const { refund } = await ended(at, { on: '2026-03-31', code: 'FREE_LOOK' })
    assert.deepEqual(refund, { days: 365, estimate: inr(12_045), amount: null })
    assert.equal((await statusOf(at)).status, 'EXPIRED')
    assert.deepEqual(await datesOf(at), ['2026-04-01', '2026-03-31'])
  })

  it('200 in grace, on a day of it: nothing is paid back, and grace ends there', async () => {
    const at = await issued()
    on('2027-04-10')
    await assertRefused(at, () => put(at, { on: '2027-05-01' }), ['/on too_large'])
    const { refund } = await ended(at, { on: '2027-04-15', code: 'UNPAID' })
    assert.deepEqual(refund, { days: 0, estimate: inr(0), amount: null })
    const { status, next_move_on, grace_until } = await statusOf(at)
    assert.deepEqual(
      [status, next_move_on, grace_until],
      ['REQUIRES_CUSTOMER_RENEWAL_IN_GRACE', '2027-04-16', '2027-04-15'],
    )
    assert.deepEqual(await checked(at), ['in_grace', '2027-04-15'])
    on('2027-04-16')
    assert.deepEqual(await checked(at), ['expired', undefined])
  })

  it('409 ending for a renewal and what leads to it, and none of it is offered', async () => {
    const at = await issued()
    on('2027-03-05')
    await ended(at, { on: '2027-03-20' })
    const offered = (await statusOf(at)).allowed_transitions
    assert.deepEqual(offered, ['EXPIRED'], 'in the window')
    for (const status of ['ISSUED', 'REQUIRES_POLICY_REISSUANCE'] as const)
      await assertRefused(at, () => putStatus(at, status), 'ending')
    await assertRefused(at, () => putStatus(at, 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE', t.owner), 'ending')
    assert.equal((await take(at)).status, 200)
    assert.deepEqual((await statusOf(at)).allowed_transitions, ['REQUIRES_POLICY_REISSUANCE', 'ISSUED', 'EXPIRED'])
    assert.equal((await putStatus(at, 'ISSUED')).status, 200)
  })

  it('409 ending for an early window and for the certificate of a term that will not begin; a correction is certified', async () => {
    const at = await issued()
    on('2026-08-01')
    await ended(at, { on: '2026-08-12' })
    await assertRefused(at, () => putStatus(at, 'REQUIRES_CUSTOMER_RENEWAL', t.owner), 'ending')
    await transition(at, 'REQUIRES_POLICY_REISSUANCE', 'ISSUED')
    assert.equal((await statusOf(at)).next_move_on, '2026-08-13')
    const renewed = await issued()
    on('2027-03-10')
    await transition(renewed, 'REQUIRES_POLICY_REISSUANCE')
    await ended(renewed, { on: '2027-03-20' })
    await assertRefused(renewed, () => putStatus(renewed, 'ISSUED'), 'ending')
    assert.deepEqual((await statusOf(renewed)).allowed_transitions, ['VERIFICATION', 'EXPIRED'])
  })

  it('200 an owner takes it out of EXPIRED: the term is there again, without the end', async () => {
    const at = await issued()
    on('2026-08-20')
    await ended(at, { on: '2026-08-12' })
    assert.equal((await putStatus(at, 'REQUIRES_POLICY_REISSUANCE', t.owner)).status, 200)
    assert.deepEqual(await datesOf(at), ['2026-04-01', '2027-03-31'])
    assert.equal((await read(at)).body.on, null)
    assert.equal((await statusOf(at)).next_move_on, '2027-05-01')
    const [kept] = await t.sql('select ends_on::text from policy_ends where policy_id = $1', [at.id])
    assert.equal(kept?.['ends_on'], '2026-08-12', 'what was set stays in the books')
  })

  it('200 the days after an end are free for another policy of the plan; then the end stays', async () => {
    const at = await issued()
    on('2026-08-01')
    const again = { benefit_id: at.benefit, plan_code: PLAN.plan_code, dependant_ids: [] }
    const enrol = (start_date: string) =>
      t.call('POST', `/v1/users/${at.user.id}/insurance_policies`, {
        token: at.platform.token,
        body: { ...again, start_date },
      })
    assert.equal(conflictOf(await enrol('2026-08-13')), `already_exists ${at.id}`)
    await ended(at, { on: '2026-08-12' })
    assert.equal(conflictOf(await enrol('2026-08-12')), `already_exists ${at.id}`)
    const other = await enrol('2026-08-13')
    assert.equal(other.status, 200 + 1, other.text)
    await assertRefused(at, () => take(at), 'already_exists')
    await assertRefused(at, () => put(at, { on: '2026-08-13' }), 'already_exists')
    assert.equal((await put(at, { on: '2026-08-11' })).status, 200)
    assert.equal((await put(at, { on: '2026-08-12' })).status, 200)
  })

  it('422 for days that the policy does not cover, and how far each caller goes back', async () => {
    const at = await issued()
    on('2026-08-01')
    await assertRefused(at, () => put(at, { on: '2027-04-01' }), ['/on too_large'])
    await assertRefused(at, () => put(at, { on: '2026-03-30' }, t.owner), ['/on too_small'])
    await assertRefused(at, () => put(at, { on: '2026-06-16' }), ['/on too_small'])
    for (const token of [at.provider.token, t.operator])
      await assertRefused(at, () => put(at, { on: '2026-06-16', reason: ' ' }, token), ['/reason required'])
    await assertRefused(at, () => put(at, { on: '2026-03-31', reason: 'a reason' }, at.provider.token), [
      '/on too_small',
    ])
    await assertRefused(at, () => put(at, { on: '2026-02-30', code: 'GONE' }), ['/code not_allowed', '/on format'])
    assert.equal((await put(at, { on: '2026-06-17' })).status, 200, 'forty-five days')
    const another = await issued()
    on('2026-08-01')
    assert.equal((await put(another, { on: '2026-06-16', reason: 'Late' }, another.provider.token)).status, 200)
    const third = await issued()
    on('2026-08-01')
    assert.equal((await put(third, { on: '2026-03-31', reason: 'Never wanted' }, t.owner)).status, 200)
  })

  it('409 invalid_state before the first issue, and for a day that is not over once it has ended', async () => {
    const at = await issued()
    const fresh = { ...at, ...(await enrolledToo(at)) }
    await assertRefused(fresh, () => put(fresh, { on: '2026-08-12' }), 'invalid_state')
    await transition(at, 'EXPIRED')
    await assertRefused(at, () => put(at, { on: '2026-04-01' }), 'invalid_state')
    on('2026-04-20')
    await assertRefused(at, () => put(at, { on: '2026-05-01' }), 'invalid_state')
    assert.equal((await put(at, { on: '2026-04-01' })).status, 200, 'its last day is said afterwards')
    assert.deepEqual(await datesOf(at), ['2026-04-01', '2026-04-01'])
  })

  it('412 with the version of before', async () => {
    const at = await issued()
    const { headers } = await read(at)
    const fresh = { 'if-match': String(headers['etag']) }
    on('2026-08-01')
    assert.equal((await put(at, { on: '2026-08-12' }, at.platform.token, fresh)).status, 200)
    await assertRefused(
      at,
      async () => {
        const response = await put(at, { on: '2026-08-13' }, at.platform.token, fresh)
        return { ...response, status: response.status === 412 ? 409 : response.status }
      },
      'precondition_failed',
    )
  })

  it('403 for users and viewers, 404 for the policies of others', async () => {
    const at = await issued()
    const [other, insurer] = [await t.platform(), await t.provider()]
    on('2026-08-01')
    for (const [token, status] of [
      [at.user.token, 403],
      [t.viewer, 403],
      [other.token, 404],
      [insurer.token, 404],
    ] as const) {
      const before = await storedOf(at)
      assert.deepEqual(
        [(await put(at, { on: '2026-08-12' }, token)).status, (await take(at, token)).status],
        [status, status],
      )
      assert.equal(await storedOf(at), before)
    }
    assert.deepEqual([(await read(at, at.user.token)).status, (await read(at, t.viewer)).status], [200, 200])
    assert.deepEqual([(await read(at, other.token)).status, (await read(at, insurer.token)).status], [404, 404])
  })

  it('503 while a program of the version before runs, whose calendar does not know the day', async () => {
    const at = await issued()
    on('2026-08-01')
    await t.sql(`insert into processes (process_id, role, version) values ('prc_older', 'worker', '0.2.0')`)
    try {
      const before = await storedOf(at)
      const response = await put(at, { on: '2026-08-12' })
      assert.deepEqual([response.status, response.body.code], [503, 'unavailable'])
      assert.equal(await storedOf(at), before)
    } finally {
      await t.sql(`delete from processes where process_id = 'prc_older'`)
    }
    assert.equal((await put(at, { on: '2026-08-12' })).status, 200)
  })
})
