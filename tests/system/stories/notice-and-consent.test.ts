import assert from 'node:assert/strict'
import { it } from 'node:test'
import { todayIn } from '../../../src/kernel/clock.ts'
import type { Body } from '../../support/app.ts'
import { NOTICE } from '../../support/consents.ts'
import { PLAN } from '../../support/scenes.ts'
import { eventually } from '../../support/server.ts'
import { openInstallation } from './installation.ts'

const today = todayIn({ now: () => new Date() })

it('somebody has a notice and consents: without it nothing begins, with it everything, and a withdrawal ends nothing that holds', async () => {
  const { send, owner, platform, insurer, benefit, person, onboard, heard, until, assertUnsaid } =
    await openInstallation()
  const [partner, stranger, insurance] = [await platform('Acme Benefits'), await platform('Another'), await insurer()]
  const { id: first } = await benefit(partner, insurance)
  const { id: second } = await benefit(partner, insurance)
  const enrolment = { plan_code: PLAN.plan_code, start_date: today, dependant_ids: [] as string[] }

  // The notices, in two languages, and from which day on a consent is needed.
  for (const [language, text] of [
    ['en', 'We process the data below.'],
    ['hi', 'हम नीचे लिखी जानकारी का उपयोग करते हैं।'],
  ])
    await partner.call('PUT', `/v1/notices/2027-05/${language}`, { ...NOTICE, text })
  const rule = { ground: 'CONSENT', section: '6(1)', from: today }
  const rules = `/v1/platforms/${partner.id}/consent_rules`
  await stranger.refused(404, 'PUT', rules, { insurance: rule })
  await partner.call('PUT', rules, { insurance: rule, children: { ...rule, section: '9(1)' }, care: rule })

  const asha = await person(partner)
  await onboard(partner, asha, { first_name: 'Ashalata' })
  const child = { dependants: [{ first_name: 'Ravindranath', last_name: 'Example', date_of_birth: '2015-08-02' }] }
  const [children, policies, consents, consultations] = [
    `${asha.path}/dependants/bulk`,
    `${asha.path}/insurance_policies`,
    `${asha.path}/consents`,
    `${asha.path}/consultations`,
  ]
  const probe = await person(partner)
  await onboard(partner, probe)
  const ask = (n: number) => {
    const dependants = [{ ...child.dependants[0], first_name: `Probe ${'x'.repeat(n)}` }]
    return send('POST', `${probe.path}/dependants/bulk`, { token: partner.token, body: { dependants } })
  }
  let asked = 0 // every API knows the rules within seconds
  await eventually(
    () => ask(++asked),
    ({ body }) => body['reason'] === 'consent_missing',
  )

  // Without consent nothing begins, for no caller, and the insurer does not learn that she is there.
  const missing = async (path: string, body: object) => {
    const { code, reason, purpose } = await partner.refused(409, 'POST', path, body)
    assert.deepEqual([code, reason], ['conflict', 'consent_missing'])
    return purpose
  }
  assert.equal(await missing(policies, { ...enrolment, benefit_id: first }), 'insurance')
  assert.equal(await missing(children, child), 'children')
  assert.equal(await missing(consultations, { benefit_provider_id: insurance.id }), 'care')
  for (const list of [policies, `${asha.path}/dependants`, consultations])
    assert.deepEqual((await partner.call('GET', list))['data'], [])
  await insurance.refused(404, 'GET', policies)

  // She reads the notice in her language, and consents: for the child as the parent, and for herself.
  assert.match((await asha.call('GET', '/v1/notices/2027-05/hi'))['text'], /जानकारी/)
  await stranger.refused(404, 'GET', '/v1/notices/2027-05/hi')
  const under = { notice_version: '2027-05', language: 'hi', basis: 'CONSENT' }
  const self = { ...under, given_by: 'SELF', proof: 'Screen four of the app' }
  await stranger.refused(404, 'POST', consents, { ...self, purpose: 'insurance' })
  await asha.refused(422, 'POST', consents, { ...self, purpose: 'insurance', notice_version: '2099-01' })
  await asha.refused(422, 'POST', consents, { ...self, purpose: 'children' })
  const parent = { given_by: 'PARENT', verified_by: 'HELD_DETAILS' }
  await asha.call('POST', consents, { ...under, ...parent, purpose: 'children' })
  const { data: registered } = await asha.call('POST', children, child)
  assert.equal(await missing(policies, { ...enrolment, benefit_id: first }), 'insurance', 'one purpose is not another')
  const { id: consentId } = await asha.call('POST', consents, { ...self, purpose: 'insurance' })
  const changed = await partner.refused(409, 'PUT', '/v1/notices/2027-05/hi', { ...NOTICE, text: 'Something else' })
  assert.equal(changed['reason'], 'in_use', 'what she consented to stays')
  await partner.call('PUT', '/v1/notices/2027-05/en', { ...NOTICE, text: 'Nobody has consented to this one yet.' })

  const input = { ...enrolment, benefit_id: first, dependant_ids: [registered[0].id] }
  const { id } = await partner.call('POST', policies, input)
  const policy = `${policies}/${id}`
  for (const status of ['VERIFICATION', 'APPROVED', 'ISSUED'])
    await insurance.call('PUT', `${policy}/status`, { status })
  const { id: careId } = await asha.call('POST', consents, { ...self, purpose: 'care' })
  const consultation = await partner.call('POST', consultations, { benefit_provider_id: insurance.id })

  // She withdraws both: what is new stops, what holds goes on, and no money is moved.
  const withdrawn = await asha.call('DELETE', `${consents}/${consentId}`)
  assert.match(withdrawn['withdrawn_at'], /^20\d\d-/)
  await stranger.refused(404, 'DELETE', `${consents}/${careId}`)
  await asha.call('DELETE', `${consents}/${careId}`)
  assert.equal(await missing(policies, { ...enrolment, benefit_id: second }), 'insurance')
  assert.equal(await missing(consultations, { benefit_provider_id: insurance.id }), 'care')
  assert.equal((await partner.call('GET', `${policy}/status`))['status'], 'ISSUED')
  const { data: cover } = await asha.call('GET', `${asha.path}/coverage?on=${today}`)
  assert.deepEqual(
    cover.map(({ covered }: Body) => covered),
    [true, true],
  )
  const messages = `${consultations}/${consultation['id']}/messages`
  await asha.call('POST', messages, { body: { message_type: 'TEXT', content: 'Thank you, I am well again' } })

  // The platform is waited for: what goes on has to rest on something else, or end.
  const waiting = async () => {
    const { data: actions } = await partner.call('GET', `${asha.path}/next_actions`)
    return actions.filter(({ code }: Body) => code === 'follow_withdrawal').map(({ subject }: Body) => subject)
  }
  assert.deepEqual(new Set(await waiting()), new Set([consentId, careId]))

  // A new consent, and it goes on.
  await asha.call('POST', consents, { ...self, purpose: 'insurance', language: 'en' })
  assert.deepEqual(await waiting(), [careId])
  await partner.call('POST', policies, { ...enrolment, benefit_id: second })

  // All of it stays on record: the list, the events by ids, her log, the audit.
  const { data: all } = await partner.call('GET', consents)
  assert.deepEqual(
    all.map(({ purpose, language, given_by, withdrawn_at }: Body) => [
      purpose,
      language,
      given_by,
      withdrawn_at !== null,
    ]),
    [
      ['insurance', 'en', 'SELF', false],
      ['care', 'hi', 'SELF', true],
      ['insurance', 'hi', 'SELF', true],
      ['children', 'hi', 'PARENT', false],
    ],
  )
  const purposes = (events: Body[]) => events.map(({ purpose }) => purpose)
  const [given, taken] = ['consent.given', 'consent.withdrawn']
  assert.deepEqual(purposes(await heard(partner, given, { of: asha.id, count: 4 })), [
    'children',
    'insurance',
    'care',
    'insurance',
  ])
  assert.deepEqual(purposes(await heard(partner, taken, { of: asha.id, count: 2 })), ['insurance', 'care'])
  assert.deepEqual(purposes(await heard(insurance, taken, { of: asha.id, count: 2 })), ['insurance', 'care'])
  assert.deepEqual(
    purposes(await heard(insurance, given, { of: asha.id, count: 2 })),
    ['care', 'insurance'],
    'since it insures her',
  )
  for (const type of [given, taken])
    assert.deepEqual((await stranger.call('GET', `/v1/events?type=${type}`))['data'], [])
  const log = await until(asha, `${asha.path}/access_log?limit=100`, ({ data }) =>
    data.some(({ operation }: Body) => /withdraw/i.test(operation)),
  )
  assert(log['data'].some(({ operation }: Body) => /consent/i.test(operation)))
  const audit = await until(owner, `/v1/audit_log?actor=${asha.id}&limit=100`, ({ data }) =>
    data.some(({ operation }: Body) => operation === 'withdrawConsent'),
  )
  assert.equal(audit['data'].filter(({ operation }: Body) => operation === 'giveConsent').length, 4)

  // Who has set no rule is asked for none.
  const elsewhere = await person(stranger)
  await onboard(stranger, elsewhere)
  await stranger.call('POST', `${elsewhere.path}/dependants/bulk`, child)
  const words = ['Ashalata', 'Ravindranath', 'Screen four', 'I am well again', asha.phone]
  await assertUnsaid([partner, insurance, owner], words)
})
