import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { dueOn } from '../../../src/domains/people/rights-requests/create-rights-request.ts'
import { openTestApp } from '../../support/app.ts'
import { assertSameNotFound, errorsOf } from '../../support/problems.ts'
import { settled } from '../../support/settled.ts'

const t = await openTestApp()
afterEach(() => {
  t.calendar.at = undefined
})

const ask = (user: { id: string }, token: string, input: object = {}) =>
  t.call('POST', `/v1/users/${user.id}/rights_requests`, {
    token,
    body: { kind: 'CORRECTION', text: 'My family name is misspelt', ...input },
  })
const list = (user: { id: string }, token: string) => t.call('GET', `/v1/users/${user.id}/rights_requests`, { token })
const set = (user: { id: string }, id: string, body: object, token: string, headers = {}) =>
  t.call('PUT', `/v1/users/${user.id}/rights_requests/${id}/state`, { token, body, headers })

async function scene() {
  const { platform, provider } = await t.offer()
  return { platform, provider, user: await t.user(platform) }
}

describe('POST /v1/users/{user_id}/rights_requests', () => {
  it('201 is RECEIVED, due in 90 days, and sealed; the platform has an event', async () => {
    const { platform, user } = await scene()
    t.calendar.at = new Date('2027-05-14T12:00:00+05:30')
    const made = await ask(user, user.token)
    assert.equal(made.status, 201, made.text)
    const { id, created_at, last_modified_at, ...record } = made.body
    assert.deepEqual(record, {
      user_id: user.id,
      kind: 'CORRECTION',
      dependant_id: null,
      state: 'RECEIVED',
      due_on: '2027-08-12',
      text: 'My family name is misspelt',
      reason: null,
    })
    assert(created_at && last_modified_at)
    assert.deepEqual((await list(user, t.viewer)).body.data, [made.body])
    const [row] = await t.sql<{ stored: string }>(
      'select row_to_json(q)::text as stored from rights_requests q where request_id = $1',
      [id],
    )
    assert(row && !row.stored.includes('misspelt'))
    await settled(t)
    const { data } = await t.made('GET', `/v1/events?subject=${id}`, { token: platform.token })
    assert.deepEqual(
      data.map((event: { data: object }) => event.data),
      [{ user_id: user.id, rights_request_id: id, kind: 'CORRECTION', from: null, to: 'RECEIVED' }],
    )
  })

  it('is due by the published term of the platform, and a grievance within 90 days in any case', async () => {
    const [platform, today] = [await t.platform(), '2027-05-14']
    t.calendar.at = new Date(`${today}T12:00:00+05:30`)
    const rules = { token: platform.token, body: { response_days: 30 } }
    await t.made('PUT', `/v1/platforms/${platform.id}/consent_rules`, rules)
    await t.deps.consentRules.read()
    const user = await t.user(platform)
    assert.equal((await ask(user, platform.token, { kind: 'GRIEVANCE' })).body.due_on, '2027-06-13')
    assert.equal(dueOn('ACCESS', { today, days: 180 }), '2027-11-10')
    assert.equal(dueOn('GRIEVANCE', { today, days: 180 }), '2027-08-12')
    assert.equal(dueOn('ERASURE', { today, days: undefined }), '2027-08-12')
  })

  it('names a dependant of the user, by its current version; 422 for any other', async () => {
    const { platform, user } = await scene()
    const [dependant = ''] = await t.dependants({ ...user, token: platform.token })
    assert.equal((await ask(user, user.token, { dependant_id: dependant })).body.dependant_id, dependant)
    const other = await t.user(platform)
    assert.deepEqual(errorsOf(await ask(other, other.token, { dependant_id: dependant })), [
      '/dependant_id unknown_reference',
    ])
    assert.deepEqual(errorsOf(await ask(user, user.token, { kind: 'REFUND', text: '' })), [
      '/kind not_allowed',
      '/text too_short',
    ])
  })

  it('404 for another user, and for another platform; 403 for an insurer', async () => {
    const { platform, provider, user } = await scene()
    const [other, foreign] = [await t.user(platform), await t.platform()]
    const missing = { id: '999999999999' }
    assertSameNotFound(await ask(other, user.token), await ask(missing, user.token))
    assertSameNotFound(await list(user, foreign.token), await list(missing, foreign.token))
    assert.equal((await ask(user, provider.token)).status, 403)
    assert.deepEqual((await list(other, platform.token)).body.data, [])
  })
})

describe('PUT /v1/users/{user_id}/rights_requests/{request_id}/state', () => {
  it('200 goes from RECEIVED over IN_PROGRESS to ANSWERED, with a reason that the person reads', async () => {
    const { platform, user } = await scene()
    const { id } = (await ask(user, user.token)).body
    assert.equal((await set(user, id, { state: 'IN_PROGRESS' }, platform.token)).body.state, 'IN_PROGRESS')
    const responded = await set(user, id, { state: 'ANSWERED', reason: 'It is corrected' }, t.operator)
    assert.deepEqual([responded.status, responded.body.reason], [200, 'It is corrected'])
    assert.deepEqual((await list(user, user.token)).body.data, [responded.body])
    const again = await set(user, id, { state: 'ANSWERED', reason: 'Once more' }, platform.token)
    assert.deepEqual(again.body, responded.body)
  })

  it('409 invalid_state for what is not in the table; 422 for REFUSED without a reason; 412 for a stale one', async () => {
    const { platform, user } = await scene()
    const { id } = (await ask(user, user.token)).body
    const early = await set(user, id, { state: 'ANSWERED' }, platform.token)
    assert.deepEqual(
      [early.status, early.body.code, early.body.current_state, early.body.allowed_transitions],
      [409, 'invalid_state', 'RECEIVED', ['IN_PROGRESS']],
    )
    const { headers } = await set(user, id, { state: 'IN_PROGRESS' }, platform.token)
    assert.deepEqual(errorsOf(await set(user, id, { state: 'REFUSED' }, platform.token)), ['/reason required'])
    const refused = await set(user, id, { state: 'REFUSED', reason: 'Law forbids it' }, platform.token, {
      'if-match': String(headers['etag']),
    })
    assert.equal(refused.status, 200, refused.text)
    const stale = await set(user, id, { state: 'REFUSED', reason: 'Again' }, platform.token, {
      'if-match': String(headers['etag']),
    })
    assert.equal(stale.status, 412)
    assert.equal((await set(user, id, { state: 'RECEIVED' }, platform.token)).status, 409)
  })

  it('403 for the person; 404 for another platform, whose call changes nothing', async () => {
    const { platform, user } = await scene()
    const { id } = (await ask(user, user.token)).body
    const foreign = await t.platform()
    assert.equal((await set(user, id, { state: 'IN_PROGRESS' }, user.token)).status, 403)
    const state = { state: 'IN_PROGRESS' }
    assertSameNotFound(
      await set(user, id, state, foreign.token),
      await set({ id: '999999999999' }, id, state, foreign.token),
    )
    assert.equal((await list(user, platform.token)).body.data[0].state, 'RECEIVED')
  })
})
