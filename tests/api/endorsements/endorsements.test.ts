import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { runCalendar } from '../../../src/domains/cover/policies/index.ts'
import { openTestApp } from '../../support/app.ts'
import { withMembers } from '../../support/members.ts'
import { conflictOf, errorsOf } from '../../support/problems.ts'
import { settled } from '../../support/settled.ts'

const t = await openTestApp()

const { on, issued, setStatus, decide, statusOf, certificate } = withMembers(t)

type Scene = Awaited<ReturnType<typeof issued>>

const correct = ({ user, platform }: Scene, id: string, first_name: string): Promise<{ id: string }> =>
  t.made('PATCH', `/v1/users/${user.id}/dependants/${id}`, { token: platform.token, body: { first_name } })

const nominate = ({ address, user }: Scene, dependant_id: string | null, token = user.token) =>
  t.call('PUT', `${address}/nominee`, {
    token,
    body: { nominee_details: dependant_id && { nominee_type: 'DEPENDANT', dependant_id } },
  })

type Listed = {
  id: string
  kind: string
  state: string
  due_on: string
  issue: number | null
  person_id: string | null
}
async function listed({ provider, id }: Scene, query = '', token = provider.token): Promise<Listed[]> {
  const { data } = await t.made('GET', `/v1/endorsements${query}`, { token })
  return data.filter(({ insurance_policy_id: policy }: { insurance_policy_id: string }) => policy === id)
}

async function only(at: Scene): Promise<Listed> {
  const [one, ...others] = await listed(at)
  assert(one && others.length === 0)
  return one
}

const issuesOf = async ({ address, platform }: Scene): Promise<[string, number[]][]> => {
  const { data } = await t.made('GET', `${address}/terms`, { token: platform.token })
  return data.map((term: { start_date: string; issues: { issue: number }[] }) => [
    term.start_date,
    term.issues.map(({ issue }) => issue),
  ])
}

const eventsOf = async ({ provider, id }: Scene): Promise<string[]> => {
  await settled(t)
  const { data } = await t.made('GET', '/v1/events?type=endorsement.status_changed', { token: provider.token })
  const own = data.filter((event: { data: Record<string, string> }) => event.data['insurance_policy_id'] === id)
  return own.map(({ data: { kind, from, to } }: { data: Record<string, string> }) => `${kind} ${from}>${to}`)
}

describe('a correction of a person on an issued policy', () => {
  it('waits for the benefit provider, who should decide within seven days; both sides hear of it', async () => {
    const at = await issued()
    on('2026-06-01')
    const { id } = await correct(at, at.ravi, 'Ravindra')
    const one = await only(at)
    assert.deepEqual(
      [one.kind, one.state, one.person_id, one.due_on, one.issue],
      ['CORRECTION', 'REQUESTED', id, '2026-06-08', null],
    )
    assert.deepEqual(await eventsOf(at), ['CORRECTION null>REQUESTED'])
    assert.deepEqual(await listed(at, '', at.platform.token), [one])
    assert.deepEqual(await listed(at, '?due_before=2026-06-09'), [one])
    assert.deepEqual(await listed(at, '?due_before=2026-06-08'), [])
  })

  it('200 those of one policy, also with a state or a day, and nothing of a policy of somebody else', async () => {
    const [at, other] = [await issued(), await issued()]
    await correct(at, at.ravi, 'Ravindra')
    await correct(other, other.ravi, 'Ravindra')
    const idsOf = async (query: string, token = t.owner) =>
      (await t.made('GET', `/v1/endorsements?${query}`, { token })).data.map(({ id }: { id: string }) => id)
    const { id } = await only(at)
    for (const token of [t.owner, at.platform.token, at.provider.token])
      assert.deepEqual(await idsOf(`insurance_policy_id=${at.id}`, token), [id])
    assert.deepEqual(await idsOf(`insurance_policy_id=${at.id}&state=REQUESTED`), [id])
    assert.deepEqual(await idsOf(`insurance_policy_id=${at.id}&state=ACCEPTED`), [])
    assert.deepEqual(await idsOf(`insurance_policy_id=${at.id}&due_before=2999-01-01`), [id])
    assert.deepEqual(await idsOf(`insurance_policy_id=${at.id}&due_before=2026-01-01`), [])
    for (const { token } of [at.platform, at.provider])
      assert.deepEqual(await idsOf(`insurance_policy_id=${other.id}`, token), [])
    assert.deepEqual(await idsOf('insurance_policy_id=pol_missing'), [])
  })

  it('accepted: the policy is ISSUED again with a new certificate of the same term', async () => {
    const at = await issued()
    await correct(at, at.ravi, 'Ravindra')
    assert.equal(await statusOf(at), 'REQUIRES_POLICY_REISSUANCE')
    assert.doesNotMatch(await certificate(at), /Ravindra/)
    const { id } = await only(at)
    const amount = { currency: 'INR', value: 12.5 }
    const { status, body } = await decide(at, id, { state: 'ACCEPTED', provider_reference: 'E-1', amount })
    assert.deepEqual(
      [status, body.state, body.issue, body.provider_reference, body.amount],
      [200, 'ACCEPTED', 2, 'E-1', amount],
    )
    assert.equal(await statusOf(at), 'ISSUED')
    assert.deepEqual(await issuesOf(at), [['2026-04-01', [1, 2]]])
    assert.match(await certificate(at), /Ravindra/)
    assert.deepEqual(await eventsOf(at), ['CORRECTION null>REQUESTED', 'CORRECTION REQUESTED>ACCEPTED'])
    // What was looked at with the endorsement is not asked for again.
    await setStatus(at, { status: 'REQUIRES_POLICY_REISSUANCE' })
    await setStatus(at, { status: 'ISSUED' })
  })

  it('in the renewal window is certified without renewing: no date moves', async () => {
    const at = await issued()
    on('2027-03-10')
    await runCalendar(t.deps)
    await correct(at, at.ravi, 'Ravindra')
    assert.equal(await statusOf(at), 'REQUIRES_CUSTOMER_RENEWAL')
    await decide(at, (await only(at)).id, { state: 'ACCEPTED' })
    assert.equal(await statusOf(at), 'REQUIRES_CUSTOMER_RENEWAL')
    assert.deepEqual(await issuesOf(at), [['2026-04-01', [1, 2]]])
    assert.match(await certificate(at), /Ravindra/)
  })

  const BY_ISSUE = { status: 'ISSUED', persons_version: 1 }
  for (const [by, accept] of Object.entries({
    'its own decision': async (at: Scene) => decide(at, (await only(at)).id, { state: 'ACCEPTED' }),
    'an issue of the policy': (at: Scene) => setStatus(at, BY_ISSUE),
  }))
    it(`after an early renewal is certified for both terms, by ${by}`, async () => {
      const at = await issued()
      on('2027-03-10')
      await runCalendar(t.deps)
      await setStatus(at, { status: 'ISSUED' })
      await correct(at, at.ravi, 'Ravindra')
      await accept(at)
      assert.deepEqual(await issuesOf(at), [
        ['2026-04-01', [1, 3]],
        ['2027-04-01', [2, 4]],
      ])
      for (const day of ['2027-03-31', '2027-04-01']) {
        on(day)
        assert.match(await certificate(at), /Ravindra/, day)
      }
    })

  it('is certified for the running term by a renewal, too', async () => {
    const at = await issued()
    on('2027-03-10')
    await runCalendar(t.deps)
    await correct(at, at.ravi, 'Ravindra')
    await setStatus(at, { status: 'ISSUED', persons_version: 1 })
    assert.deepEqual(await issuesOf(at), [
      ['2026-04-01', [1, 2]],
      ['2027-04-01', [3]],
    ])
    assert.match(await certificate(at), /Ravindra/)
    const one = await only(at)
    assert.deepEqual([one.state, one.issue], ['ACCEPTED', 2])
  })

  it('refused, with a reason: the last issue stays in force, the person stays corrected', async () => {
    const at = await issued()
    await correct(at, at.ravi, 'Ravindra')
    const { id } = await only(at)
    assert.deepEqual(errorsOf(await decide(at, id, { state: 'REFUSED' })), ['/reason required'])
    const { body } = await decide(at, id, { state: 'REFUSED', reason: 'A proof is missing' })
    assert.deepEqual([body.state, body.issue, body.reason], ['REFUSED', null, 'A proof is missing'])
    assert.equal(await statusOf(at), 'ISSUED')
    assert.deepEqual(await issuesOf(at), [['2026-04-01', [1]]])
    assert.doesNotMatch(await certificate(at), /Ravindra/)
    const record = await t.made('GET', at.address, { token: at.platform.token })
    assert.equal(record.dependants[0].first_name, 'Ravindra')
    const read = await t.made('GET', `/v1/endorsements/${id}`, { token: at.user.token })
    assert.equal(read.reason, 'A proof is missing')
    assert(!('reason' in ((await listed(at))[0] ?? {})), 'texts of people are in no list')
  })

  it('of two, the last decision issues, unless all were refused', async () => {
    const at = await issued()
    const { id: ravindra } = await correct(at, at.ravi, 'Ravindra')
    await correct(at, ravindra, 'Raveendra')
    const [second, first] = await listed(at)
    assert(first && second)
    const accepted = await decide(at, first.id, { state: 'ACCEPTED' })
    assert.equal(accepted.body.issue, null, 'the other one is undecided')
    assert.equal(await statusOf(at), 'REQUIRES_POLICY_REISSUANCE')
    await decide(at, second.id, { state: 'REFUSED', reason: 'Once is enough' })
    assert.equal(await statusOf(at), 'ISSUED')
    assert.deepEqual(await issuesOf(at), [['2026-04-01', [1, 2]]])
    const states = (await listed(at)).map(({ id, state, issue }) => [id, state, issue])
    assert.deepEqual(states, [
      [second.id, 'REFUSED', null],
      [first.id, 'ACCEPTED', 2],
    ])
  })

  it('issuing the policy accepts all', async () => {
    const at = await issued()
    const { id } = await correct(at, at.ravi, 'Ravindra')
    await correct(at, id, 'Raveendra')
    await setStatus(at, { status: 'ISSUED', persons_version: 2 })
    assert.deepEqual(
      (await listed(at)).map(({ state, issue }) => [state, issue]),
      [
        ['ACCEPTED', 2],
        ['ACCEPTED', 2],
      ],
    )
  })

  it('the end of the policy withdraws it: by hand, on a day that is over, and by the calendar', async () => {
    const [ended, past, late] = [await issued(), await issued(), await issued()]
    for (const at of [ended, past, late]) await correct(at, at.ravi, 'Ravindra')
    on('2026-06-10')
    const end = { on: '2026-06-09', code: 'LEFT' }
    await t.made('PUT', `${past.address}/end`, { token: past.provider.token, body: end })
    await t.made('PUT', `${ended.address}/status`, { token: t.owner, body: { status: 'EXPIRED', reason: 'left' } })
    on('2027-06-01')
    await runCalendar(t.deps)
    for (const at of [ended, past, late]) {
      assert.equal((await only(at)).state, 'WITHDRAWN')
      assert.deepEqual((await eventsOf(at)).at(-1), 'CORRECTION REQUESTED>WITHDRAWN')
    }
  })

  it('before the first issue there is none: the policy is decided as a whole', async () => {
    const [platform, provider] = [await t.platform(), await t.provider()]
    const user = await t.onboardedUser(platform)
    const [ravi = ''] = await t.dependants({ ...user, token: platform.token }, ['Ravi'])
    const id = await t.policy(platform, user, await t.benefit(platform, provider), { dependant_ids: [ravi] })
    await t.made('PATCH', `/v1/users/${user.id}/dependants/${ravi}`, {
      token: platform.token,
      body: { first_name: 'Ravindra' },
    })
    const { data } = await t.made('GET', '/v1/endorsements', { token: provider.token })
    assert.deepEqual(data, [], id)
  })

  it('200 and nothing new when it is decided the same way again; 409 when otherwise', async () => {
    const at = await issued()
    await correct(at, at.ravi, 'Ravindra')
    const { id } = await only(at)
    await decide(at, id, { state: 'ACCEPTED' })
    const again = await decide(at, id, { state: 'ACCEPTED' })
    assert.deepEqual([again.status, again.body.issue], [200, 2])
    const other = await decide(at, id, { state: 'REFUSED', reason: 'Too late' })
    assert.deepEqual([other.status, other.body.code], [409, 'invalid_state'])
    assert.deepEqual(await issuesOf(at), [['2026-04-01', [1, 2]]])
  })

  it('many policies at once are each certified, and those that end withdraw theirs', async () => {
    const all = await Promise.all(Array.from({ length: 12 }, () => issued()))
    await Promise.all(all.map((at) => correct(at, at.ravi, 'Ravindra')))
    const body = (index: number) =>
      index % 2 === 0 ? { status: 'ISSUED', persons_version: 1 } : { status: 'EXPIRED', reason: 'left' }
    await Promise.all(
      all.map(({ address }, index) => t.made('PUT', `${address}/status`, { token: t.owner, body: body(index) })),
    )
    for (const [index, at] of all.entries())
      assert.equal((await only(at)).state, index % 2 === 0 ? 'ACCEPTED' : 'WITHDRAWN', String(index))
  })

  it('one issue comes of two decisions at once', async () => {
    const at = await issued()
    await correct(at, at.ravi, 'Ravindra')
    const { id } = await only(at)
    const all = await Promise.all([0, 1, 2].map(() => decide(at, id, { state: 'ACCEPTED' })))
    assert.deepEqual(
      all.map(({ status }) => status),
      [200, 200, 200],
    )
    assert.deepEqual(await issuesOf(at), [['2026-04-01', [1, 2]]])
  })

  it('who reads it stands in the person’s access log, also when it has not changed since, or the decision changes nothing', async () => {
    const at = await issued()
    await correct(at, at.ravi, 'Ravindra')
    const { id } = await only(at)
    const get = (headers: Record<string, string> = {}) =>
      t.call('GET', `/v1/endorsements/${id}`, { token: at.provider.token, headers })
    const { headers } = await get()
    assert.equal((await get({ 'if-none-match': String(headers['etag']) })).status, 304)
    await decide(at, id, { state: 'ACCEPTED' })
    await decide(at, id, { state: 'ACCEPTED' })
    await t.audit.reads.write()
    const entries = await t.sql<{ operation: string; action: string; user_id: string }>(
      `select operation, action, user_id from audit_entries where subject = $1 and operation like '%Endorsement%' order by audit_id`,
      [id],
    )
    assert.deepEqual(
      entries.map(({ operation, action, user_id }) => [operation, action, user_id]),
      [
        ['readEndorsement', 'read', at.user.id],
        ['readEndorsement', 'read', at.user.id],
        ['setEndorsementState', 'change', at.user.id],
        ['setEndorsementState', 'read', at.user.id],
      ],
    )
  })

  it('404 outside the caller’s scope; a platform and a user cannot decide', async () => {
    const at = await issued()
    await correct(at, at.ravi, 'Ravindra')
    const { id } = await only(at)
    const other = await t.provider()
    assert.equal((await decide(at, id, { state: 'ACCEPTED' }, other.token)).status, 404)
    for (const token of [at.platform.token, at.user.token])
      assert.equal((await decide(at, id, { state: 'ACCEPTED' }, token)).status, 403)
    const sibling = await t.onboardedUser(at.platform)
    assert.equal((await t.call('GET', `/v1/endorsements/${id}`, { token: sibling.token })).status, 404)
    assert.deepEqual(await listed(at, '', other.token), [])
  })
})

describe('PUT /v1/users/{user_id}/insurance_policies/{id}/nominee', () => {
  it('200 holds at once; an issued policy has it certified', async () => {
    const at = await issued()
    const { status, body } = await nominate(at, at.mira)
    assert.deepEqual([status, body.nominee_details], [200, { nominee_type: 'DEPENDANT', dependant_id: at.mira }])
    assert.equal(await statusOf(at), 'REQUIRES_POLICY_REISSUANCE')
    const one = await only(at)
    assert.deepEqual([one.kind, one.person_id, one.state], ['NOMINEE', at.mira, 'REQUESTED'])
    await setStatus(at, { status: 'ISSUED' })
    assert.match(await certificate(at), /Mira/)
    assert.equal((await only(at)).state, 'ACCEPTED')
  })

  it('200 before the first issue, without an endorsement; null is nobody', async () => {
    const at = await issued()
    const [platform, provider] = [at.platform, await t.provider()]
    const benefit = await t.benefit(platform, provider)
    const id = await t.policy(platform, at.user, benefit)
    const address = `/v1/users/${at.user.id}/insurance_policies/${id}`
    assert.equal((await nominate({ ...at, address }, at.mira)).status, 200)
    const { body } = await nominate({ ...at, address }, null)
    assert.equal(body.nominee_details, null)
    assert.deepEqual(await listed({ ...at, provider, id }), [])
  })

  it('200 the same again changes nothing', async () => {
    const at = await issued()
    const first = await nominate(at, at.mira)
    const again = await nominate(at, at.mira)
    assert.equal(again.headers.etag, first.headers.etag)
    assert.equal((await listed(at)).length, 1)
  })

  it('422 for somebody who is no dependant, 409 once the policy has ended, 412 when it has changed', async () => {
    const at = await issued()
    assert.deepEqual(errorsOf(await nominate(at, 'dep_missing')), ['/nominee_details/dependant_id unknown_reference'])
    const body = { nominee_details: null }
    const headers = { 'if-match': '"stale"' }
    assert.equal((await t.call('PUT', `${at.address}/nominee`, { token: at.user.token, body, headers })).status, 412)
    await t.made('PUT', `${at.address}/status`, { token: t.owner, body: { status: 'EXPIRED', reason: 'left' } })
    assert.equal(conflictOf(await nominate(at, at.mira)), 'term_over')
  })
})
