import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { POLICY_STATUSES, type PolicyStatus } from '../../../src/domains/cover/policies/states.ts'
import { ONBOARDING, openTestApp } from '../../support/app.ts'
import { issueAsCorrected, issueToFamily, type PolicyScene } from '../../support/issued-policies.ts'
import { meetBehind } from '../../support/meeting.ts'
import { textOf } from '../../support/pdf.ts'
import { REQUEST_OF_CHANGE } from '../../support/reasons.ts'

const t = await openTestApp()

/** Within the first term of every enrolment here, whenever this runs. */
beforeEach(() => void (t.calendar.at = new Date('2026-07-01T06:00:00Z')))
afterEach(() => void (t.calendar.at = undefined))

type Scene = Pick<PolicyScene, 'platform' | 'user'>

const patch = ({ platform, user }: Scene, body: object) =>
  t.call('PATCH', `/v1/users/${user.id}`, { token: platform.token, body })

async function patched(at: Scene, body: object): Promise<void> {
  const response = await patch(at, body)
  assert.equal(response.status, 200, response.text)
}

const storeStatus = (id: string, status: PolicyStatus) =>
  t.sql('update insurance_policies set status = $2 where policy_id = $1', [id, status])

const rowOf = async (id: string) =>
  (await t.sql<{ status: string; revision: number }>('select * from insurance_policies where policy_id = $1', [id]))[0]

const statusOf = async (id: string) => (await rowOf(id))?.status

/** The transitions to REQUIRES_POLICY_REISSUANCE, in history and in events. */
async function reissuancesOf(id: string) {
  const history = await t.sql(
    `select from_status, actor, ${REQUEST_OF_CHANGE}, reason from user_status_changes h
      where entity_id = $1 and to_status = 'REQUIRES_POLICY_REISSUANCE'`,
    [id],
  )
  const events = await t.sql(
    `select data from events where subject = $1 and data ->> 'to' = 'REQUIRES_POLICY_REISSUANCE'`,
    [id],
  )
  return { history, events }
}

const NONE = { history: [], events: [] }

describe('PATCH /v1/users/{user_id}: policies follow the member’s data on certificates', () => {
  for (const body of [
    { first_name: 'Aasha' },
    { last_name: 'Changed' },
    { dob: '1990-05-18' },
    { title: 'MRS' },
    { gender: 'OTHER' },
  ]) {
    it(`200 with a new ${Object.keys(body).join()}: an ISSUED policy must be issued again`, async () => {
      const at = await issueToFamily(t)
      const response = await patch(at, body)
      assert.equal(await statusOf(at.id), 'REQUIRES_POLICY_REISSUANCE')
      const ids = { user_id: at.user.id, insurance_policy_id: at.id, benefit_provider_id: at.provider.id }
      const data = { ...ids, from: 'ISSUED', to: 'REQUIRES_POLICY_REISSUANCE' }
      const request_id = response.headers['x-request-id']
      assert.deepEqual(await reissuancesOf(at.id), {
        history: [{ from_status: 'ISSUED', actor: `platform:${at.platform.id}`, request_id, reason: null }],
        events: [{ data }],
      })
    })
  }

  it('200 with another phone, email or address, or the same name: nothing is issued again', async () => {
    const at = await issueToFamily(t)
    const before = await rowOf(at.id)
    const phone = { phone_country_code: '+91', phone_number: '9700000061' }
    await patched(at, { ...phone, email: 'new@example.com', address: null })
    await patched(at, { first_name: 'Asha', last_name: 'Example', dob: '1990-05-17' })
    assert.deepEqual(await rowOf(at.id), before)
    assert.deepEqual(await reissuancesOf(at.id), NONE)
  })

  it('200 documents already issued keep the old name, and the next issue has the new one', async () => {
    const at = await issueToFamily(t)
    const certificate = () => t.call('GET', `${at.documents}/policy_certificate`, { token: at.user.token })
    const before = await certificate()
    await patched(at, { first_name: 'Aashavari' })
    assert.deepEqual((await certificate()).bytes, before.bytes)
    const { body } = await t.call('GET', at.address, { token: at.platform.token })
    assert.equal(body.primary_member.first_name, 'Aashavari')

    await issueAsCorrected(t, at)
    const text = (await textOf((await certificate()).bytes)).replaceAll(/\s+/g, ' ')
    assert.ok(text.includes('Aashavari Example'), text)
    const input = await t.call('GET', `${at.documents}/enrollment_form`, { token: at.user.token })
    assert.ok((await textOf(input.bytes)).replaceAll(/\s+/g, ' ').includes('Asha Example'), 'as it was enrolled')
  })

  it('200 only ISSUED policies change status; ended ones and those of other users are unchanged', async () => {
    const at = await issueToFamily(t)
    const { benefit_id } = (await t.call('GET', at.address, { token: at.platform.token })).body
    const policies: { id: string; status: PolicyStatus }[] = []
    for (const [index, status] of POLICY_STATUSES.entries()) {
      const id = await t.policy(at.platform, at.user, benefit_id, { start_date: `203${index}-01-01` })
      await storeStatus(id, status)
      policies.push({ id, status })
    }
    const neighbour = await t.onboardedUser(at.platform)
    const theirs = await t.policy(at.platform, neighbour, benefit_id)
    await storeStatus(theirs, 'ISSUED')
    const before = await Promise.all([...policies.map(({ id }) => id), theirs].map(rowOf))
    await patched(at, { first_name: 'Aasha' })
    for (const [index, { id, status }] of policies.entries()) {
      const row = await rowOf(id)
      if (status === 'EXPIRED' || status === 'REJECTED') assert.deepEqual(row, before[index])
      else assert.equal(row?.revision, Number(before[index]?.revision) + 1, status)
      assert.equal(row?.status, status === 'ISSUED' ? 'REQUIRES_POLICY_REISSUANCE' : status)
      if (status !== 'ISSUED') assert.deepEqual(await reissuancesOf(id), NONE, status)
    }
    assert.deepEqual(await rowOf(theirs), before.at(-1))
  })

  it('412 and 409 leave the policies unchanged', async () => {
    const at = await issueToFamily(t)
    const before = await rowOf(at.id)
    const other = await t.user(at.platform)
    const refused = [
      await t.call('PATCH', `/v1/users/${at.user.id}`, {
        token: at.platform.token,
        body: { first_name: 'Aasha' },
        headers: { 'if-match': '"other"' },
      }),
      await patch(at, { first_name: 'Aasha', phone_country_code: '+91', phone_number: other.phone }),
    ]
    assert.deepEqual(
      refused.map(({ status }) => status),
      [412, 409],
    )
    assert.deepEqual(await rowOf(at.id), before)
  })
})

describe('PATCH /v1/users/{user_id}: concurrently with other calls', () => {
  it('200 a policy issued meanwhile must be issued again', async () => {
    const at = await issueToFamily(t)
    await storeStatus(at.id, 'APPROVED')
    const text = `update insurance_policies set status = 'ISSUED', issue = 1, revision = revision + 1 where policy_id = $1`
    const held = { work: [[text, [at.id]]] as [string, unknown[]][], outcome: 'commit' as const, waiting: 1 }
    const [response] = await meetBehind(t, held, [() => patch(at, { first_name: 'Aasha' })])
    assert.equal(response?.status, 200, response?.text)
    assert.equal(await statusOf(at.id), 'REQUIRES_POLICY_REISSUANCE')
    assert.equal((await reissuancesOf(at.id)).history.length, 1)
  })
})

describe('POST /v1/users/{user_id}/complete_onboarding: policies issued before follow the member’s data', () => {
  const onboard = ({ platform, user }: Scene) =>
    t.call('POST', `/v1/users/${user.id}/complete_onboarding`, { token: platform.token, body: ONBOARDING })

  it('200 an ISSUED policy must be issued again, once, and then names the member', async () => {
    const at = await issueToFamily(t, { isOnboarded: false })
    const response = await onboard(at)
    assert.equal(response.status, 200, response.text)
    assert.equal(await statusOf(at.id), 'REQUIRES_POLICY_REISSUANCE')
    assert.equal((await onboard(at)).status, 200)
    const ids = { user_id: at.user.id, insurance_policy_id: at.id, benefit_provider_id: at.provider.id }
    const request_id = response.headers['x-request-id']
    assert.deepEqual(await reissuancesOf(at.id), {
      history: [{ from_status: 'ISSUED', actor: `platform:${at.platform.id}`, request_id, reason: null }],
      events: [{ data: { ...ids, from: 'ISSUED', to: 'REQUIRES_POLICY_REISSUANCE' } }],
    })
    await issueAsCorrected(t, at)
    const card = await t.call('GET', `${at.documents}/health_card/self`, { token: at.user.token })
    assert.match((await textOf(card.bytes)).replaceAll(/\s+/g, ' '), /Asha Example/)
  })

  it('200 nothing is issued again when the name, birth, title and gender were known before', async () => {
    const at = await issueToFamily(t, { isOnboarded: false })
    const { title, first_name, last_name, gender, dob } = ONBOARDING
    await patched(at, { title, first_name, last_name, gender, dob })
    await issueAsCorrected(t, at)
    const before = [await rowOf(at.id), await reissuancesOf(at.id)]
    assert.equal((await onboard(at)).status, 200)
    assert.deepEqual([await rowOf(at.id), await reissuancesOf(at.id)], before)
  })

  it('200 a policy issued meanwhile must be issued again', async () => {
    const at = await issueToFamily(t, { isOnboarded: false })
    await storeStatus(at.id, 'APPROVED')
    const text = `update insurance_policies set status = 'ISSUED', issue = 1, revision = revision + 1 where policy_id = $1`
    const held = { work: [[text, [at.id]]] as [string, unknown[]][], outcome: 'commit' as const, waiting: 1 }
    const [response] = await meetBehind(t, held, [() => onboard(at)])
    assert.equal(response?.status, 200, response?.text)
    assert.equal(await statusOf(at.id), 'REQUIRES_POLICY_REISSUANCE')
    assert.equal((await reissuancesOf(at.id)).history.length, 1)
  })
})

describe('POST /v1/auth/token: policies issued before onboarding follow the member’s data', () => {
  const request = ({ platform, user }: Scene, fields: object) =>
    t.call('POST', '/v1/auth/token', {
      token: platform.token,
      body: { phone_country_code: '+91', phone_number: user.phone, ...fields },
    })

  it('200 an ISSUED policy must be issued again, once; the id proof sent along is stored', async () => {
    const at = await issueToFamily(t, { isOnboarded: false })
    const fields = { first_name: 'Asha', last_name: 'Example', id_proof: { number: `PROOF${at.user.id}` } }
    const response = await request(at, fields)
    assert.deepEqual([response.status, response.body.user_id], [200, at.user.id], response.text)
    assert.equal(await statusOf(at.id), 'REQUIRES_POLICY_REISSUANCE')
    assert.equal((await request(at, fields)).status, 200)
    const request_id = response.headers['x-request-id']
    const traces = await reissuancesOf(at.id)
    assert.deepEqual(traces.history, [
      { from_status: 'ISSUED', actor: `platform:${at.platform.id}`, request_id, reason: null },
    ])
    assert.equal(traces.events.length, 1)
    const other = { phone_number: '9700000062', id_proof: fields.id_proof }
    assert.equal((await request(at, other)).body.user_id, at.user.id)
  })

  it('200 nothing is issued again for other fields, and after onboarding', async () => {
    const at = await issueToFamily(t, { isOnboarded: false })
    const before = await rowOf(at.id)
    assert.equal((await request(at, { email: 'asha@example.com', address: 'Flat 4' })).status, 200)
    assert.deepEqual(await rowOf(at.id), before)
    const onboarded = await issueToFamily(t)
    assert.equal((await request(onboarded, { first_name: 'Aasha' })).status, 200)
    assert.equal(await statusOf(onboarded.id), 'ISSUED')
  })
})
