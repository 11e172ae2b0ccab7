import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp } from '../support/app.ts'
import { errorsOf } from '../support/problems.ts'

const t = await openTestApp()
const platform = await t.platform()

describe('null in a request, where a record shows null, means absent', () => {
  it('200 for the details of a sponsor as read, and nothing changes', async () => {
    const url = `/v1/sponsors/${await t.sponsor(platform)}`
    const read = await t.call('GET', url, { token: platform.token })
    const { sponsor_details } = read.body
    assert.deepEqual([sponsor_details.first_name, sponsor_details.phone], [null, null])
    const sent = await t.call('PATCH', url, { token: platform.token, body: { sponsor_details } })
    assert.equal(sent.status, 200, sent.text)
    assert.deepEqual(sent.body, read.body)
    assert.equal(sent.headers['etag'], read.headers['etag'])
  })

  it('422 where a value is required: a contact, a name, a member of the sponsor itself', async () => {
    const url = `/v1/sponsors/${await t.sponsor(platform)}`
    const reported = async (body: object) => errorsOf(await t.call('PATCH', url, { token: platform.token, body }))
    const nobody = { sponsor_kind: 'ORGANISATION', email: null, phone: null }
    assert.deepEqual(await reported({ sponsor_details: nobody }), ['/sponsor_details required'])
    const nameless = { sponsor_kind: 'INDIVIDUAL', first_name: null, last_name: 'Example', email: null }
    assert.deepEqual(await reported({ sponsor_details: nameless }), ['/sponsor_details/first_name type'])
    assert.deepEqual(await reported({ name: null }), ['/name type'])
  })

  it('201 and 200 for a policy without nominee, questionnaire and numbers', async () => {
    const user = await t.user(platform)
    const provider = await t.provider()
    const benefit_id = await t.benefit(platform, provider)
    const input = { benefit_id, plan_code: 'FAMILY_5L', start_date: '2026-04-01', dependant_ids: [] }
    const url = `/v1/users/${user.id}/insurance_policies`
    const body = { ...input, nominee_details: null, questionnaire: null }
    const made = await t.call('POST', url, { token: platform.token, body })
    assert.equal(made.status, 201, made.text)
    assert.deepEqual([made.body.nominee_details, made.body.questionnaire], [null, null])

    const numbers = { external_policy_id: 'SG-1', master_policy_number: null, provider_metadata: null }
    const transition = (status: string, more: object) =>
      t.call('PUT', `${url}/${made.body.id}/status`, { token: provider.token, body: { status, ...more } })
    assert.equal((await transition('VERIFICATION', numbers)).status, 200)
    const none = { external_policy_id: null, master_policy_number: null, provider_metadata: null, reason: null }
    assert.equal((await transition('APPROVED', none)).status, 200)
    const read = await t.call('GET', `${url}/${made.body.id}`, { token: platform.token })
    assert.equal(read.body.external_policy_id, 'SG-1', 'null takes nothing away')
  })

  it('200 for a token of a user with few fields, and 201 for a booking without description', async () => {
    const phone = { phone_country_code: '+91', phone_number: '9812345670' }
    const body = { ...phone, dob: null, email: null, first_name: 'Asha', last_name: null }
    const { user_id } = await t.made('POST', '/v1/auth/token', { token: platform.token, body })
    const { first_name, last_name, dob } = await t.made('GET', `/v1/users/${user_id}`, { token: platform.token })
    assert.deepEqual([first_name, last_name, dob], ['Asha', null, null])

    await t.wallet(platform, { id: user_id })
    const booked = await t.call('POST', `/v1/users/${user_id}/wallet/credits`, {
      token: platform.token,
      headers: { 'idempotency-key': 'without-description' },
      body: { amount: 5, reference: 'r-1', description: null },
    })
    assert.equal(booked.status, 201, booked.text)
    assert.equal(booked.body.description, null)
  })
})

describe('the number of an id proof', () => {
  it('200 with 200 characters, 422 with one more', async () => {
    const ask = (number: string) =>
      t.call('POST', '/v1/auth/token', {
        token: platform.token,
        body: { phone_country_code: '+91', phone_number: '9812345671', id_proof: { number } },
      })
    assert.equal((await ask('7'.repeat(200))).status, 200)
    assert.deepEqual(errorsOf(await ask('7'.repeat(201))), ['/id_proof/number too_long'])
  })
})
