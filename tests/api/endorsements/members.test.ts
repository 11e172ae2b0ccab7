import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { runCalendar } from '../../../src/domains/cover/policies/index.ts'
import { openTestApp } from '../../support/app.ts'
import { withMembers } from '../../support/members.ts'
import { conflictOf, errorsOf } from '../../support/problems.ts'
import { settled } from '../../support/settled.ts'

const t = await openTestApp()
const {
  on,
  enrolled,
  issued,
  setStatus,
  put,
  decide,
  endorsements,
  onlyWaiting,
  members,
  covered,
  statusOf,
  certificate,
} = withMembers(t)

describe('who is asked for, before the first issue', () => {
  it('is changed at once; the benefit provider has to look again before it approves', async () => {
    const at = await enrolled()
    await setStatus(at, { status: 'VERIFICATION' })
    assert.equal((await put(at, at.mira, { relation: 'CHILD', gender: 'FEMALE' })).status, 200)
    assert.deepEqual(await covered(at), [at.ravi, at.mira])
    const { body } = await t.call('GET', `${at.address}/members`, { token: at.provider.token })
    const mira = body.data.find(({ id }: { id: string }) => id === at.mira)
    assert.deepEqual([mira.relation, mira.gender, mira.from, mira.to], ['CHILD', 'FEMALE', '2026-04-01', null])
    assert.equal((await put(at, at.ravi, { from: null })).status, 200)
    assert.deepEqual(await covered(at), [at.mira])
    const unseen = await t.call('PUT', `${at.address}/status`, {
      token: at.provider.token,
      body: { status: 'APPROVED' },
    })
    assert.equal(conflictOf(unseen), 'persons_changed')
    await setStatus(at, { status: 'APPROVED', persons_version: 2 })
    await setStatus(at, { status: 'ISSUED' })
    assert.deepEqual(await covered(at), [at.mira])
    assert.deepEqual(await endorsements(at), [])
    assert.doesNotMatch(await certificate(at), /Ravi/)
    await settled(t)
    const { data } = await t.made('GET', '/v1/events?type=policy.corrected', { token: at.provider.token })
    assert.deepEqual(
      data.map(({ data: one }: { data: Record<string, unknown> }) => [one['person_id'], one['fields']]),
      [
        [at.mira, []],
        [at.ravi, []],
      ],
    )
  })

  it('has no days of its own, and the same again changes nothing', async () => {
    const at = await enrolled()
    assert.deepEqual(errorsOf(await put(at, at.mira, { from: '2026-05-01' })), ['/from not_allowed'])
    assert.deepEqual(errorsOf(await put(at, at.ravi, { to: '2026-05-01' })), ['/to not_allowed'])
    const { headers } = await put(at, at.mira, {})
    const again = await put(at, at.mira, { from: '2026-04-01' })
    assert.deepEqual([again.status, again.headers.etag, again.body.persons_version], [200, headers.etag, 1])
  })
})

describe('a person who joins an issued policy', () => {
  it('is covered from that day once the benefit provider accepts, and not before', async () => {
    const at = await issued()
    on('2026-06-01')
    const { status, body } = await put(at, at.mira, { from: '2026-06-10', event: 'ADOPTION', event_on: '2026-05-30' })
    assert.deepEqual([status, body.persons_version], [200, 1])
    assert.equal(await statusOf(at), 'REQUIRES_POLICY_REISSUANCE')
    assert.deepEqual(await members(at), [`${at.ravi} 2026-04-01  `, `${at.mira}   2026-06-10`])
    const one = await onlyWaiting(at)
    assert.deepEqual([one.kind, one.on], ['JOIN', '2026-06-10'])
    assert.equal((await decide(at, one.id, { state: 'ACCEPTED' })).status, 200)
    assert.equal(await statusOf(at), 'ISSUED')
    assert.deepEqual(await members(at), [`${at.ravi} 2026-04-01  `, `${at.mira} 2026-06-10  `])
    assert.deepEqual(await covered(at), [at.ravi])
    assert.match(await certificate(at), /from 10 June 2026/)
    on('2026-06-09')
    await runCalendar(t.deps)
    assert.deepEqual(await covered(at), [at.ravi])
    on('2026-06-10')
    await runCalendar(t.deps)
    assert.deepEqual(await covered(at), [at.ravi, at.mira])
    const { data } = await t.made('GET', `${at.address}/terms`, { token: at.user.token })
    assert.deepEqual(data[0].members.at(-1), { person: 'dependant', id: at.mira, from: '2026-06-10' })
  })

  it('is not on it when refused: no new certificate, the policy is ISSUED again', async () => {
    const at = await issued()
    await put(at, at.mira, { from: '2026-04-02' })
    const one = await onlyWaiting(at)
    const { body } = await decide(at, one.id, { state: 'REFUSED', reason: 'Too old' })
    assert.deepEqual([body.state, body.issue], ['REFUSED', null])
    assert.equal(await statusOf(at), 'ISSUED')
    assert.deepEqual(await members(at), [`${at.ravi} 2026-04-01  `])
    assert.deepEqual(await covered(at), [at.ravi])
  })

  it('is accepted by an issue of the policy, or on another day by the benefit provider', async () => {
    const [one, other] = [await issued(), await issued()]
    for (const at of [one, other]) await put(at, at.mira, { from: '2026-03-31' }).then(noFirst)
    for (const at of [one, other]) await put(at, at.mira, {})
    await setStatus(one, { status: 'ISSUED', persons_version: 1 })
    assert.deepEqual(await covered(one), [one.ravi, one.mira])
    const { id } = await onlyWaiting(other)
    await decide(other, id, { state: 'ACCEPTED', on: '2026-04-05' })
    assert.deepEqual(await members(other), [`${other.ravi} 2026-04-01  `, `${other.mira} 2026-04-05  `])
    assert.deepEqual(await covered(other), [other.ravi])
  })

  it('is taken back by the platform, and by nobody else; once accepted only a last day takes the person off', async () => {
    const at = await issued()
    const { headers } = await put(at, at.mira, { from: '2026-04-03' })
    const { id } = await onlyWaiting(at)
    assert.equal((await decide(at, id, { state: 'WITHDRAWN' })).status, 403)
    assert.equal((await put(at, at.mira, { from: '2026-04-03' })).headers.etag, headers.etag)
    assert.equal((await put(at, at.mira, { from: null })).status, 200)
    assert.deepEqual(await members(at), [`${at.ravi} 2026-04-01  `])
    assert.equal(await statusOf(at), 'ISSUED')
    await put(at, at.mira, { from: '2026-04-04' })
    const waiting = await onlyWaiting(at)
    assert.equal((await decide(at, waiting.id, { state: 'WITHDRAWN' }, at.platform.token)).status, 200)
    await put(at, at.mira, { from: '2026-04-05' })
    await put(at, at.mira, { from: '2026-04-06' })
    assert.deepEqual(
      (await endorsements(at)).map(({ state, on: day }) => `${state} ${day}`),
      ['WITHDRAWN 2026-04-03', 'WITHDRAWN 2026-04-04', 'WITHDRAWN 2026-04-05', 'REQUESTED 2026-04-06'],
    )
    await decide(at, (await onlyWaiting(at)).id, { state: 'ACCEPTED' })
    assert.equal(conflictOf(await put(at, at.mira, { from: null })), 'not_withdrawable')
  })

  it('was born by then, and joins within the term, 45 days back at most', async () => {
    const at = await issued()
    on('2026-08-01')
    assert.deepEqual(errorsOf(await put(at, at.mira, { from: '2026-06-16' })), ['/from too_small'])
    assert.deepEqual(errorsOf(await put(at, at.mira, { from: '2027-04-01' })), ['/from too_large'])
    assert.deepEqual(errorsOf(await put(at, at.ravi, { from: '2026-07-01' })), ['/from not_allowed'])
    const born = { first_name: 'Tara', last_name: 'Example', date_of_birth: '2026-07-30' }
    const { data } = await t.made('POST', `/v1/users/${at.user.id}/dependants/bulk`, {
      token: at.platform.token,
      body: { dependants: [born] },
    })
    const tara = data[0].id
    assert.deepEqual(errorsOf(await put(at, tara, { from: '2026-07-29' })), ['/from too_small'])
    assert.equal((await put(at, tara, { from: '2026-07-30', event: 'BIRTH' })).status, 200)
    const { id } = await onlyWaiting(at)
    assert.deepEqual(errorsOf(await decide(at, id, { state: 'ACCEPTED', on: '2026-07-29' })), ['/on too_small'])
    assert.equal((await put(at, at.mira, { from: '2026-06-17' })).status, 200)
    assert.equal((await put(at, 'dep_06bnv3m2r8f1s4k7q9t3v6w0y2', {})).status, 404)
    assert.equal((await put(at, at.mira, {}, at.user.token)).status, 403)
    assert.equal((await put(at, at.mira, {}, at.provider.token)).status, 403)
  })
})

function noFirst({ status }: { status: number }): void {
  assert.equal(status, 422)
}

it('a person who was to join after the policy ends is on it at no time', async () => {
  const at = await issued()
  await put(at, at.mira, { from: '2026-09-01' })
  await decide(at, (await onlyWaiting(at)).id, { state: 'ACCEPTED' })
  await t.made('PUT', `${at.address}/end`, { token: at.platform.token, body: { on: '2026-08-31', code: 'LEFT' } })
  assert.deepEqual(await members(at), [`${at.ravi} 2026-04-01 2026-08-31 `])
  await t.made('DELETE', `${at.address}/end`, { token: at.platform.token })
  assert.deepEqual(await members(at), [`${at.ravi} 2026-04-01  `, `${at.mira} 2026-09-01  `])
})

describe('a person who leaves an issued policy', () => {
  it('is not covered after that day, whatever the benefit provider says; the certificate names it', async () => {
    const at = await issued()
    on('2026-06-01')
    await put(at, at.ravi, { to: '2026-06-12', event: 'AGE' })
    assert.deepEqual(await members(at), [`${at.ravi} 2026-04-01 2026-06-12 `])
    assert.deepEqual(await covered(at), [at.ravi])
    on('2026-06-13')
    await runCalendar(t.deps)
    assert.deepEqual(await covered(at), [])
    const one = await onlyWaiting(at)
    assert.deepEqual([one.kind, one.on, one.refund?.days], ['LEAVE', '2026-06-12', 292])
    assert.equal(conflictOf(await decide(at, one.id, { state: 'REFUSED', reason: 'No' })), 'not_refusable')
    const amount = { currency: 'INR', value: 250 }
    const { body } = await decide(at, one.id, { state: 'ACCEPTED', amount })
    assert.deepEqual([body.state, body.amount], ['ACCEPTED', amount])
    assert.match(await certificate(at), /until 12 June 2026/)
    assert.equal(conflictOf(await put(at, at.ravi, { to: null })), 'not_withdrawable')
  })

  it('stays when it is taken back before it was accepted', async () => {
    const at = await issued()
    await put(at, at.ravi, { to: '2026-04-05' })
    on('2026-04-06')
    await runCalendar(t.deps)
    assert.deepEqual(await covered(at), [])
    await put(at, at.ravi, { to: null })
    assert.deepEqual(await covered(at), [at.ravi])
    assert.equal(await statusOf(at), 'ISSUED')
    assert.deepEqual(
      (await endorsements(at)).map(({ state }) => state),
      ['WITHDRAWN'],
    )
  })

  it('stays to the day that was accepted, when an earlier one is taken back; that one is not put off', async () => {
    const at = await issued()
    await put(at, at.ravi, { to: '2026-06-12' })
    await decide(at, (await onlyWaiting(at)).id, { state: 'ACCEPTED' })
    await put(at, at.ravi, { to: '2026-06-05' })
    assert.deepEqual(await members(at), [`${at.ravi} 2026-04-01 2026-06-05 `])
    assert.equal(conflictOf(await put(at, at.ravi, { to: '2026-06-20' })), 'not_withdrawable')
    assert.equal((await put(at, at.ravi, { to: null })).status, 200)
    assert.deepEqual(await members(at), [`${at.ravi} 2026-04-01 2026-06-12 `])
    await put(at, at.ravi, { to: '2026-06-04' })
    await put(at, at.ravi, { to: '2026-06-03' })
    const waiting = await onlyWaiting(at)
    assert.equal((await decide(at, waiting.id, { state: 'WITHDRAWN' }, at.platform.token)).status, 200)
    assert.deepEqual(await members(at), [`${at.ravi} 2026-04-01 2026-06-12 `])
  })

  it('is not covered after a later day that the benefit provider names, once the first one was over', async () => {
    const at = await issued()
    await put(at, at.ravi, { to: '2026-04-01' })
    on('2026-04-02')
    await runCalendar(t.deps)
    assert.deepEqual(await covered(at), [])
    await decide(at, (await onlyWaiting(at)).id, { state: 'ACCEPTED', on: '2026-04-10' })
    assert.deepEqual(await covered(at), [at.ravi])
    on('2026-04-11')
    await runCalendar(t.deps)
    assert.deepEqual(await covered(at), [])
  })

  it('is not on the next term, and stays on this one to that day', async () => {
    const at = await issued()
    on('2027-03-10')
    await runCalendar(t.deps)
    await put(at, at.ravi, { to: '2027-03-20' })
    await setStatus(at, { status: 'ISSUED', persons_version: 1 })
    assert.deepEqual(await covered(at), [at.ravi])
    const { data } = await t.made('GET', `${at.address}/terms`, { token: at.user.token })
    assert.deepEqual(
      data.map((term: { members: unknown[] }) => term.members.length),
      [2, 1],
    )
    assert.match(await certificate(at), /until 20 March 2027/)
    on('2027-03-21')
    await runCalendar(t.deps)
    assert.deepEqual(await covered(at), [])
    on('2027-04-01')
    assert.doesNotMatch(await certificate(at), /Ravi/)
  })

  it('returns with a first day after that, and both times stand', async () => {
    const at = await issued()
    await put(at, at.ravi, { to: '2026-04-05' })
    await decide(at, (await onlyWaiting(at)).id, { state: 'ACCEPTED' })
    on('2026-05-01')
    await put(at, at.ravi, { from: '2026-05-01' })
    await decide(at, (await onlyWaiting(at)).id, { state: 'ACCEPTED' })
    assert.deepEqual(await members(at), [`${at.ravi} 2026-04-01 2026-04-05 `, `${at.ravi} 2026-05-01  `])
    assert.deepEqual(await covered(at), [at.ravi])
  })

  it('keeps his days under a corrected name', async () => {
    const at = await issued()
    await put(at, at.ravi, { to: '2026-06-12' })
    const { id } = await t.made('PATCH', `/v1/users/${at.user.id}/dependants/${at.ravi}`, {
      token: at.platform.token,
      body: { first_name: 'Ravindra' },
    })
    assert.deepEqual(await members(at), [`${id} 2026-04-01 2026-06-12 `])
    on('2026-06-13')
    await runCalendar(t.deps)
    assert.deepEqual(await covered(at), [])
    assert.equal((await put(at, at.ravi, { to: '2026-06-12' })).body.persons_version, 2)
  })
})
