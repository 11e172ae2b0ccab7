import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { type Body, openTestApp } from '../../support/app.ts'
import { prepareEnds } from '../../support/ends.ts'

const t = await openTestApp()
const { on, issued, take, read, ended, statusOf, storedOf, eventsOf, assertRefused } = prepareEnds(t)

afterEach(() => {
  t.calendar.at = undefined
})

describe('DELETE /v1/users/{user_id}/insurance_policies/{insurance_policy_id}/end', () => {
  it('200 until that day: the term is there again, with its window, and a second time changes nothing', async () => {
    const at = await issued()
    const before = await t.made('GET', at.url, { token: at.platform.token })
    on('2027-03-05')
    await ended(at, { on: '2027-03-20' })
    on('2027-03-20')
    const none = { insurance_policy_id: at.id, on: null, code: null, reason: null, set_at: null, refund: null }
    const taken = await take(at, at.provider.token)
    assert.deepEqual([taken.status, taken.body, (await read(at)).body], [200, none, none])
    const { last_modified_at, ...after } = await t.made('GET', at.url, { token: at.platform.token })
    assert.deepEqual({ ...after, last_modified_at: before.last_modified_at }, before)
    assert.deepEqual(
      [(await statusOf(at)).status, (await statusOf(at)).next_move_on],
      ['REQUIRES_CUSTOMER_RENEWAL', '2027-04-01'],
    )
    assert.ok((await eventsOf(at)).includes('policy.end_withdrawn'))
    const stored = await storedOf(at)
    assert.deepEqual((await take(at)).body, none)
    assert.equal(await storedOf(at), stored)
    assert.ok(last_modified_at)
  })

  it('409 invalid_state once it has ended, whether or not the calendar has run', async () => {
    const at = await issued()
    on('2026-08-01')
    await ended(at, { on: '2026-08-12' })
    on('2026-08-13')
    await assertRefused(at, () => take(at), 'invalid_state')
    await ended(at, { on: '2026-08-11' })
    await assertRefused(at, () => take(at), 'invalid_state')
  })

  it('200 the timeline has ends that were set, with day, code and reason, and taken back', async () => {
    const at = await issued()
    on('2026-08-01')
    await ended(at, { on: '2026-08-12', reason: 'Left the company' })
    await take(at, at.provider.token)
    const { data } = await t.made('GET', `${at.url}/timeline`, { token: at.platform.token })
    const shown = data
      .slice(0, 2)
      .map(({ kind, actor_kind, on: day, code, reason }: Body) => [kind, actor_kind, day, code, reason])
    assert.deepEqual(shown, [
      ['END_WITHDRAWN', 'provider', null, null, null],
      ['END_SCHEDULED', 'platform', '2026-08-12', 'LEFT', 'Left the company'],
    ])
    const [row] = await t.sql('select sealed_reason from policy_ends where policy_id = $1 and ends_on is not null', [
      at.id,
    ])
    assert.ok(!String(row?.['sealed_reason']).includes('company'), 'the reason is sealed')
  })

  it('200 the export has them, with the reason', async () => {
    const at = await issued()
    on('2026-08-01')
    const end = await ended(at, { on: '2026-08-12', reason: 'Left the company' })
    await take(at)
    const exported = await t.made('GET', `/v1/users/${at.user.id}/export`, { token: at.platform.token })
    assert.deepEqual(exported.insurance_policy_ends, [end])
  })
})
