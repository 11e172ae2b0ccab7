import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { POLICY_STATUSES, type PolicyStatus } from '../../../src/domains/cover/policies/states.ts'
import { ONBOARDING, openTestApp } from '../../support/app.ts'
import { enrolFamily, issueToFamily, type PolicyScene, setPolicyStatusTo } from '../../support/issued-policies.ts'
import { meetBehind } from '../../support/meeting.ts'
import { conflictOf, errorsOf } from '../../support/problems.ts'
import { settled } from '../../support/settled.ts'

const t = await openTestApp()

/** Within the first term of every enrolment here, whenever this runs. */
beforeEach(() => void (t.calendar.at = new Date('2026-07-01T06:00:00Z')))
afterEach(() => void (t.calendar.at = undefined))

const patchMember = ({ platform, user }: PolicyScene, body: object) =>
  t.call('PATCH', `/v1/users/${user.id}`, { token: platform.token, body })

const patchDependant = ({ user }: PolicyScene, id: string | undefined, body: object, token = user.token) =>
  t.call('PATCH', `/v1/users/${user.id}/dependants/${id}`, { token, body })

/** Returns the id of the new version. */
async function correctDependant(at: PolicyScene, id: string | undefined, body: object): Promise<string> {
  const response = await patchDependant(at, id, body)
  assert.equal(response.status, 200, response.text)
  return response.body.id
}

const put = ({ address, provider }: PolicyScene, status: PolicyStatus, more: object = {}, headers = {}) =>
  t.call('PUT', `${address}/status`, { token: provider.token, body: { status, ...more }, headers })

const read = async ({ address, provider }: PolicyScene) => {
  const { body, headers } = await t.call('GET', `${address}/status`, { token: provider.token })
  return { status: body.status, version: body.persons_version, etag: headers['etag'] }
}

/** The corrections of a policy that a benefit provider, or a platform, gets as events, in their order. */
async function eventsOf({ id }: PolicyScene, { token }: { token: string }) {
  await settled(t)
  const { data } = await t.made('GET', `/v1/events?type=policy.corrected&limit=100`, { token })
  return data.filter(({ subject }: { subject: string }) => subject === id).map(({ data: of }: { data: object }) => of)
}

const correctionsOf = async ({ address, provider }: PolicyScene) => {
  const { data } = await t.made('GET', `${address}/timeline?limit=100`, { token: provider.token })
  type Entry = { kind: string; fields: string[] | null; dependant_id: string | null; actor_kind: string }
  return (data as Entry[])
    .filter(({ kind }) => kind.endsWith('_CORRECTED'))
    .map(({ kind, fields, dependant_id, actor_kind }) => ({ kind, fields, dependant_id, actor_kind }))
}

const eventIn = (at: PolicyScene, person_id: string, fields: string[], persons_version: number) => ({
  user_id: at.user.id,
  insurance_policy_id: at.id,
  benefit_provider_id: at.provider.id,
  person_id,
  fields,
  persons_version,
})

const WAYS: Partial<Record<PolicyStatus, readonly PolicyStatus[]>> = {
  PENDING: [],
  VERIFICATION: ['VERIFICATION'],
  APPROVED: ['VERIFICATION', 'APPROVED'],
  ISSUED: ['VERIFICATION', 'APPROVED', 'ISSUED'],
  REQUIRES_POLICY_REISSUANCE: ['VERIFICATION', 'APPROVED', 'ISSUED', 'REQUIRES_POLICY_REISSUANCE'],
  REQUIRES_CUSTOMER_RENEWAL_IN_GRACE: ['VERIFICATION', 'APPROVED', 'ISSUED', 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE'],
  REJECTED: ['VERIFICATION', 'REJECTED'],
  EXPIRED: ['VERIFICATION', 'APPROVED', 'ISSUED', 'EXPIRED'],
}

async function policyIn(status: PolicyStatus): Promise<PolicyScene> {
  const at = await enrolFamily(t)
  const way = WAYS[status] ?? ['VERIFICATION', 'APPROVED', 'ISSUED']
  for (const step of way) assert.equal((await put(at, step)).status, 200)
  if (status !== 'REQUIRES_CUSTOMER_RENEWAL') return at
  const body = { status, reason: 'Opened early' }
  await t.made('PUT', `${at.address}/status`, { token: t.owner, body })
  return at
}

const CLOSED: readonly PolicyStatus[] = ['EXPIRED', 'REJECTED']

describe('a person on a policy is corrected', () => {
  for (const status of POLICY_STATUSES.filter((one) => !CLOSED.includes(one))) {
    it(`200 in ${status}: benefit provider and platform get who and what as an event, and the policy has a new version`, async () => {
      const at = await policyIn(status)
      const before = await read(at)
      assert.equal(before.version, 0)
      const ravi = await correctDependant(at, at.dependants[0], { first_name: 'Other', date_of_birth: '1941-01-20' })
      const between = await read(at)
      assert.equal((await patchMember(at, { gender: 'OTHER', title: 'MRS' })).status, 200)
      const after = await read(at)
      assert.deepEqual([between.version, after.version], [1, 2])
      assert.equal(new Set([before.etag, between.etag, after.etag]).size, 3)
      assert.equal(after.status, status === 'ISSUED' ? 'REQUIRES_POLICY_REISSUANCE' : status)

      const expected = [
        eventIn(at, ravi, ['first_name', 'date_of_birth'], 1),
        eventIn(at, at.user.id, ['title', 'gender'], 2),
      ]
      const corrections = [
        { kind: 'MEMBER_CORRECTED', fields: ['title', 'gender'], dependant_id: null, actor_kind: 'platform' },
        {
          kind: 'DEPENDANT_CORRECTED',
          fields: ['first_name', 'date_of_birth'],
          dependant_id: ravi,
          actor_kind: 'user',
        },
      ]
      assert.deepEqual(await eventsOf(at, at.provider), expected)
      assert.deepEqual(await eventsOf(at, at.platform), expected)
      assert.deepEqual(await correctionsOf(at), corrections)
    })
  }

  for (const status of CLOSED) {
    it(`200 in ${status}: no event, and nothing is counted`, async () => {
      const at = await policyIn(status)
      const before = await read(at)
      await correctDependant(at, at.dependants[0], { first_name: 'Other' })
      assert.equal((await patchMember(at, { gender: 'OTHER' })).status, 200)
      assert.deepEqual(await read(at), before)
      assert.deepEqual([await eventsOf(at, at.provider), await eventsOf(at, at.platform)], [[], []])
      assert.deepEqual(await correctionsOf(at), [])
    })
  }

  it('200 a new e-mail, address or phone is no correction, nor is a patch that changes nothing', async () => {
    const at = await policyIn('APPROVED')
    const before = await read(at)
    const phone_number = String(Date.now()).slice(-10)
    const { first_name, gender } = ONBOARDING
    for (const body of [
      { email: 'asha.new@example.com' },
      { address: null },
      { phone_country_code: '+91', phone_number },
      { first_name, gender },
    ]) {
      assert.equal((await patchMember(at, body)).status, 200)
    }
    assert.equal((await patchDependant(at, at.dependants[0], { first_name: 'Ravi' })).status, 200)
    assert.deepEqual(await read(at), before)
    assert.deepEqual(await eventsOf(at, at.provider), [])
    assert.equal((await put(at, 'ISSUED')).status, 200)
  })

  it('200 by onboarding, and by a token request before it', async () => {
    const at = await enrolFamily(t, { isOnboarded: false })
    const { platform, user } = at
    const asked = { phone_country_code: '+91', phone_number: user.phone, last_name: 'Otherwise' }
    await t.made('POST', '/v1/auth/token', { token: platform.token, body: asked })
    await t.made('POST', `/v1/users/${user.id}/complete_onboarding`, { token: platform.token, body: ONBOARDING })
    const events = await eventsOf(at, at.provider)
    assert.deepEqual(events, [
      eventIn(at, user.id, ['last_name'], 1),
      eventIn(at, user.id, ['title', 'last_name', 'gender'], 2),
    ])
    assert.equal((await read(at)).version, 2)
  })

  it('200 a dependant who is nominated only counts; one who is on no policy does not', async () => {
    const at = await enrolFamily(t, { dependants: [] })
    const [mira, other] = await t.dependants(at.user, ['Mira', 'Else'])
    const { benefit } = await t.offer()
    const id = await t.policy(at.platform, at.user, benefit, {
      start_date: '2027-04-01',
      nominee_details: { nominee_type: 'DEPENDANT', dependant_id: mira },
    })
    const nominating = { ...at, id, address: `/v1/users/${at.user.id}/insurance_policies/${id}` }
    await correctDependant(at, other, { first_name: 'Elsewhere' })
    const next = await correctDependant(at, mira, { last_name: 'Married' })
    assert.deepEqual(await eventsOf(nominating, at.provider), [eventIn(nominating, next, ['last_name'], 1)])
    assert.deepEqual([(await read(at)).version, (await read(nominating)).version], [0, 1])
    assert.deepEqual(await eventsOf(at, at.provider), [])
  })
})

describe('PUT …/status: APPROVED or ISSUED after a correction', () => {
  it('409 persons_changed with the number to send, and nothing is issued; then 200 with it', async () => {
    const at = await policyIn('APPROVED')
    await correctDependant(at, at.dependants[0], { first_name: 'Grandfather', date_of_birth: '1941-01-20' })
    const before = await read(at)
    for (const more of [{}, { persons_version: null }, { persons_version: 0 }, { persons_version: 2 }]) {
      const refused = await put(at, 'ISSUED', more)
      assert.equal(conflictOf(refused), 'persons_changed')
      assert.equal(refused.body.persons_version, 1)
      assert.match(refused.body.detail, /timeline.*`persons_version` 1/)
    }
    assert.deepEqual(await read(at), before)
    const card = await t.call('GET', `${at.documents}/health_card/self`, { token: at.provider.token })
    assert.equal(card.status, 404)
    const issued = await put(at, 'ISSUED', { persons_version: 1 })
    assert.deepEqual([issued.status, issued.body.status, issued.body.persons_version], [200, 'ISSUED', 1])
  })

  it('409 for an approval too, by the administrators as well', async () => {
    const at = await policyIn('VERIFICATION')
    assert.equal((await patchMember(at, { dob: '1941-01-20' })).status, 200)
    assert.equal(conflictOf(await put(at, 'APPROVED')), 'persons_changed')
    for (const token of [t.operator, t.owner]) {
      const refused = await t.call('PUT', `${at.address}/status`, { token, body: { status: 'APPROVED' } })
      assert.equal(conflictOf(refused), 'persons_changed')
    }
    assert.equal((await put(at, 'APPROVED', { persons_version: 1 })).status, 200)
    assert.equal((await put(at, 'ISSUED')).status, 200, 'nobody was corrected since')
  })

  it('409 for the reissue after a correction, until its number is sent', async () => {
    const at = await issueToFamily(t)
    await correctDependant(at, at.dependants[0], { first_name: 'Raavi' })
    assert.equal(conflictOf(await put(at, 'ISSUED')), 'persons_changed')
    assert.equal((await put(at, 'ISSUED', { persons_version: 1 })).status, 200)
    const second = await correctDependant(at, (await current(at))[0], { first_name: 'Raavee' })
    assert.deepEqual(await current(at), [second])
    assert.equal(conflictOf(await put(at, 'ISSUED', { persons_version: 1 })), 'persons_changed')
    assert.equal((await put(at, 'ISSUED', { persons_version: 2 })).status, 200)
  })

  it('200 without a number when people made a transition after the correction; the one that follows from it is none', async () => {
    const at = await policyIn('ISSUED')
    await correctDependant(at, at.dependants[0], { first_name: 'Raavi' })
    await setPolicyStatusTo(t, at, ['VERIFICATION', 'APPROVED'])
    assert.equal((await put(at, 'ISSUED')).status, 200)

    assert.equal((await patchMember(at, { first_name: 'Aasha' })).status, 200)
    assert.equal((await put(at, 'ISSUED', { persons_version: 2 })).status, 200)
    t.calendar.at = new Date('2027-03-15T06:00:00Z')
    const opened = await put(at, 'ISSUED') // changes nothing but the window that was due
    assert.deepEqual([opened.status, opened.body.status], [200, 'ISSUED'])
  })

  it('409 across the calendar: what was corrected before the window opened is still unseen', async () => {
    const at = await policyIn('ISSUED')
    const owner = { token: t.owner, body: { status: 'REQUIRES_CUSTOMER_RENEWAL', reason: 'Early' } }
    await t.made('PUT', `${at.address}/status`, owner)
    assert.equal((await patchMember(at, { first_name: 'Aasha' })).status, 200)
    t.calendar.at = new Date('2027-04-02T06:00:00Z') // in grace, by the calendar
    const renewed = await put(at, 'ISSUED')
    assert.equal(conflictOf(renewed), 'persons_changed')
    assert.equal((await put(at, 'ISSUED', { persons_version: 1 })).status, 200)
  })

  it('409 after a return from EXPIRED, if somebody was corrected meanwhile: it is counted then, with events', async () => {
    const at = await policyIn('EXPIRED')
    const back = { token: t.owner, body: { status: 'REQUIRES_POLICY_REISSUANCE', reason: 'By mistake' } }
    const next = await correctDependant(at, at.dependants[0], { date_of_birth: '1941-01-20' })
    assert.equal((await patchMember(at, { last_name: 'Else' })).status, 200)
    assert.deepEqual(await eventsOf(at, at.provider), [])
    const returned = await t.made('PUT', `${at.address}/status`, back)
    assert.equal(returned.persons_version, 2)
    assert.deepEqual(await eventsOf(at, at.provider), [
      eventIn(at, at.user.id, ['last_name'], 1),
      eventIn(at, next, ['date_of_birth'], 2),
    ])
    assert.deepEqual(
      (await correctionsOf(at)).map(({ kind, fields }) => [kind, ...(fields ?? [])]),
      [
        ['MEMBER_CORRECTED', 'last_name'],
        ['DEPENDANT_CORRECTED', 'date_of_birth'],
      ],
    )
    assert.equal(conflictOf(await put(at, 'ISSUED')), 'persons_changed')
    assert.equal((await put(at, 'ISSUED', { persons_version: 2 })).status, 200)
  })

  it('200 after a return from EXPIRED, if nobody was', async () => {
    const at = await policyIn('EXPIRED')
    const back = { token: t.owner, body: { status: 'REQUIRES_POLICY_REISSUANCE', reason: 'By mistake' } }
    assert.equal((await t.made('PUT', `${at.address}/status`, back)).persons_version, 0)
    assert.equal((await put(at, 'ISSUED')).status, 200)
    assert.deepEqual(await eventsOf(at, at.provider), [])
  })

  it('a number that is sent is the current one for any move; 200 when nothing was corrected and it is', async () => {
    const at = await policyIn('PENDING')
    assert.equal(conflictOf(await put(at, 'VERIFICATION', { persons_version: 7 })), 'persons_changed')
    assert.equal((await put(at, 'VERIFICATION', { persons_version: 0 })).status, 200)
    assert.equal((await put(at, 'APPROVED', { persons_version: 0 })).status, 200)
    assert.equal((await put(at, 'APPROVED', { persons_version: 7 })).status, 200, 'it is APPROVED already')
    assert.equal(conflictOf(await put(at, 'ISSUED', { persons_version: 1 })), 'persons_changed')
  })

  it('409 invalid_state before persons_changed; 422 for a number that is none', async () => {
    const at = await policyIn('PENDING')
    assert.equal((await patchMember(at, { first_name: 'Aasha' })).status, 200)
    assert.equal((await put(at, 'ISSUED')).body.code, 'invalid_state')
    for (const [persons_version, code] of [
      ['1', 'type'],
      [-1, 'too_small'],
      [1.5, 'type'],
    ]) {
      assert.deepEqual(errorsOf(await put(at, 'VERIFICATION', { persons_version })), [`/persons_version ${code}`])
    }
  })

  it('412 for an If-Match from before the correction', async () => {
    const at = await policyIn('APPROVED')
    const { etag } = await read(at)
    await correctDependant(at, at.dependants[0], { first_name: 'Raavi' })
    assert.equal((await put(at, 'ISSUED', {}, { 'if-match': etag })).status, 412)
    const fresh = await read(at)
    assert.equal((await put(at, 'ISSUED', { persons_version: fresh.version }, { 'if-match': fresh.etag })).status, 200)
  })

  it('409 when the correction commits while the issue waits for it: it is decided again', async () => {
    const at = await policyIn('APPROVED')
    const text = `update insurance_policies set persons_version = persons_version + 1, revision = revision + 1
                   where policy_id = $1`
    const held = { work: [[text, [at.id]]] as [string, unknown[]][], outcome: 'commit' as const, waiting: 1 }
    const [refused] = await meetBehind(t, held, [() => put(at, 'ISSUED')])
    assert.ok(refused)
    assert.equal(conflictOf(refused), 'persons_changed')
    assert.equal((await read(at)).status, 'APPROVED')
  })

  it('is no part of what an Idempotency-Key stands for: nodes of 0.2.0 do not know it', async () => {
    const at = await enrolFamily(t)
    const headers = { 'idempotency-key': randomUUID() }
    const first = await put(at, 'VERIFICATION', { persons_version: 0 }, headers)
    assert.deepEqual([first.status, first.headers['idempotent-replayed']], [200, undefined], first.text)
    for (const more of [{ persons_version: 0 }, {}]) {
      const again = await put(at, 'VERIFICATION', more, headers)
      assert.deepEqual([again.status, again.text, again.headers['idempotent-replayed']], [200, first.text, 'true'])
    }
    const reused = await put(at, 'VERIFICATION', { persons_version: 0, external_policy_id: 'X-1' }, headers)
    assert.deepEqual([reused.status, reused.body.code], [422, 'idempotency_key_reused'], reused.text)
  })

  it('200 for policies of before this was counted: their insurers have seen what there was', async () => {
    const at = await policyIn('APPROVED')
    // As 0.2.0 writes: it knows neither of the two numbers.
    await t.sql(`update insurance_policies set revision = revision + 1 where policy_id = $1`, [at.id])
    assert.equal((await put(at, 'ISSUED')).status, 200)
  })
})

const current = async (at: PolicyScene): Promise<string[]> =>
  (await t.made('GET', at.address, { token: at.provider.token })).dependant_ids
