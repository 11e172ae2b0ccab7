import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { pdfWith } from '../support/small-pdf.ts'
import { ONBOARDING, PLAN } from '../support/scenes.ts'
import type { callerOf } from './callers.ts'

export const SPONSOR = {
  name: 'A sponsor',
  pan: 'AAACB1234C',
  sponsor_details: { sponsor_kind: 'ORGANISATION', email: 'hr@example.com' },
  address: { line1: '12 MG Road', city: 'Bengaluru', state: 'Karnataka', country: 'India', pincode: '560001' },
}

/** A platform and an insurer, made through a balancer: the platform's token, and the path of a document that the insurer has uploaded. */
export async function newPartners({ call }: Pick<ReturnType<typeof callerOf>, 'call'>, owner: string) {
  const ask = async (method: string, path: string, token: string, body?: object) => {
    const received = await call(method, `/v1${path}`, { token, ...(body && { body }) })
    assert(received.status < 300, `${method} ${path}: ${received.status} ${JSON.stringify(received.body)}`)
    return received.body
  }
  const newPartner = async (path: string, input: object) => {
    const { id } = await ask('POST', path, owner, input)
    const { basic_token } = await ask('POST', `${path}/${id}/credentials`, owner)
    const headers = { authorization: `Basic ${basic_token}`, 'content-type': 'application/json' }
    const exchanged = await call('POST', '/v1/oauth/token', { headers, body: { grant_type: 'client_credentials' } })
    assert.equal(exchanged.status, 200, JSON.stringify(exchanged.body))
    return { id, token: exchanged.body.access_token as string }
  }
  const { token } = await newPartner('/platforms', { name: 'Behind a balancer' })
  const code = `INSURER_${randomInt(1e9)}`
  const insurer = await newPartner('/benefit_providers', { name: 'Insurer behind a balancer', code })

  const { id: sponsor_id } = await ask('POST', '/sponsors', token, SPONSOR)
  await ask('PUT', `/sponsors/${sponsor_id}/status`, owner, { status: 'ACTIVE' })
  const benefit = { name: 'Family health cover', benefit_provider_id: insurer.id, sponsor_id, plans: [PLAN] }
  const { id: benefit_id } = await ask('POST', '/benefits', owner, benefit)
  const phone = { phone_country_code: '+91', phone_number: String(randomInt(6e9, 1e10)) }
  const { user_id } = await ask('POST', '/auth/token', token, phone)
  await ask('POST', `/users/${user_id}/complete_onboarding`, token, ONBOARDING)
  const enrolment = { benefit_id, plan_code: PLAN.plan_code, start_date: todayInIndia(), dependant_ids: [] }
  const { id } = await ask('POST', `/users/${user_id}/insurance_policies`, token, enrolment)
  const policy = `/users/${user_id}/insurance_policies/${id}`
  for (const status of ['VERIFICATION', 'APPROVED', 'ISSUED'])
    await ask('PUT', `${policy}/status`, insurer.token, { status })
  const document = `/v1${policy}/documents/customer_information_sheet`
  const body = pdfWith({ line: 'From the insurer' })
  const uploaded = await call('PUT', document, { token: insurer.token, body })
  assert.equal(uploaded.status, 200, JSON.stringify(uploaded.body))
  return { token, document }
}

const todayInIndia = (): string => new Date().toLocaleDateString('en-CA', { timeZone: 'Asia/Kolkata' })
