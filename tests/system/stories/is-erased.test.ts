import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Body } from '../../support/app.ts'
import { todayIn } from '../../../src/kernel/clock.ts'
import { PLAN } from '../../support/scenes.ts'
import { openInstallation } from './installation.ts'

const today = todayIn({ now: () => new Date() })

it('somebody asks for her data and is erased: she has it all, then nobody has, but for what the law keeps', async () => {
  const installation = await openInstallation({
    ERASURE_NOTICE_HOURS: '48',
    RETAIN_POLICY_NUMBERS: '8 years: Insurance Act, section 14',
  })
  const { owner, workspace, platform, insurer, benefit, person, onboard, signIn, createWallet, heard, until } =
    installation
  const [partner, stranger, insurance, other] = [
    await platform('Acme Benefits'),
    await platform('Another'),
    await insurer(),
    await insurer(),
  ]
  const { id: benefitId } = await benefit(partner, insurance)
  const { id: laterBenefit } = await benefit(partner, insurance)
  const asha = await person(partner)
  await onboard(partner, asha, { first_name: 'Ashalata' })
  const ravi = { first_name: 'Ravindranath', last_name: 'Example', date_of_birth: '2015-08-02' }
  const { data } = await asha.call('POST', `${asha.path}/dependants/bulk`, { dependants: [ravi] })
  const enrolment = {
    benefit_id: benefitId,
    plan_code: PLAN.plan_code,
    dependant_ids: [data[0].id],
    start_date: today,
  }
  const { id: policyId } = await partner.call('POST', `${asha.path}/insurance_policies`, enrolment)
  const policy = `${asha.path}/insurance_policies/${policyId}`
  const external_policy_id = `SG-${Date.now()}`
  for (const status of ['VERIFICATION', 'APPROVED']) await insurance.call('PUT', `${policy}/status`, { status })
  await insurance.call('PUT', `${policy}/status`, { status: 'ISSUED', external_policy_id })
  const holder = await signIn(partner, asha.phone)
  await createWallet(holder)
  await partner.call('POST', `${asha.path}/wallet/credits`, { amount: 500, reference: 'in' })

  // She asks, and has it all: what is of her, and nothing of others.
  const neighbour = await person(partner)
  await onboard(partner, neighbour, { first_name: 'Neighbourhood' })
  const requests = `${asha.path}/rights_requests`
  const access = await asha.call('POST', requests, { kind: 'ACCESS', text: 'All that you have about me' })
  const set = (id: string, state: string, more: object = {}) =>
    partner.call('PUT', `${requests}/${id}/state`, { state, ...more })
  await set(access['id'], 'IN_PROGRESS')
  const copy = await asha.call('GET', `${asha.path}/export`)
  const text = JSON.stringify(copy)
  for (const word of ['Ashalata', 'Ravindranath', asha.phone, policyId, 'All that you have'])
    assert(text.includes(word), `${word} is hers`)
  assert.doesNotMatch(text, new RegExp(`Neighbourhood|${neighbour.id}|${neighbour.phone}`))
  assert.deepEqual([copy['wallet'].balance, copy['wallet_transactions'].length], [500, 1])
  await set(access['id'], 'ANSWERED', { reason: 'The copy is with you.' })
  await stranger.refused(404, 'GET', `${asha.path}/export`)
  await insurance.refused(403, 'GET', `${asha.path}/export`)

  // She wants to be erased. Not while there is money, or cover that nobody has ended.
  const erasure = await asha.call('POST', requests, { kind: 'ERASURE', text: 'Forget me' })
  const steps = await heard(partner, 'rights_request.status_changed', { of: asha.id, count: 4 })
  assert.deepEqual(
    steps.map(({ kind, to }) => `${kind} ${to}`),
    ['ACCESS RECEIVED', 'ACCESS IN_PROGRESS', 'ACCESS ANSWERED', 'ERASURE RECEIVED'],
  )
  assert.equal((await partner.call('GET', asha.path))['first_name'], 'Ashalata', 'the request erases nothing by itself')
  const preview = await partner.call('GET', `${asha.path}/erasure`)
  assert.deepEqual(
    [preview['is_scheduled'], preview['holds_money'], preview['policies_in_force']],
    [false, true, [policyId]],
  )
  assert.equal((await partner.refused(409, 'DELETE', `${asha.path}?end_policies=true`))['reason'], 'in_use')
  await partner.call('POST', `${asha.path}/wallet/debits`, { amount: 500, reference: 'out' })
  assert.equal((await partner.refused(409, 'DELETE', asha.path))['reason'], 'in_use')
  await stranger.refused(404, 'DELETE', asha.path)
  await asha.refused(403, 'DELETE', asha.path)

  // Two days of notice, in which nothing begins that would put it off.
  const scheduled = await partner.call('DELETE', `${asha.path}?end_policies=true`)
  const hours = (Date.parse(`${scheduled['erased_at']}Z`) - Date.now()) / 3_600_000
  assert(hours > 47 && hours <= 48, `${hours} hours`)
  const notice = await partner.call('GET', `${asha.path}/erasure`)
  assert.deepEqual([notice['is_scheduled'], notice['erased_at']], [true, scheduled['erased_at']])
  const retained = (fields: Body[]) =>
    Object.fromEntries(fields.filter(({ outcome }) => outcome === 'retained').map(({ field, ...one }) => [field, one]))
  const kept = retained(notice['fields'])
  assert.match(kept['insurance_policy_numbers']?.['law'], /Insurance Act/)
  assert.match(kept['insurance_policy_numbers']?.['until'], /^20\d\d-03-31$/)
  assert.match(kept['wallet_transactions']?.['until'], /^20\d\d-03-31$/)
  assert(!('profile' in kept) && !('dependants' in kept) && !('consents' in kept))
  const delayed = [
    await partner.refused(409, 'POST', `${asha.path}/wallet/credits`, { amount: 1, reference: 'late' }),
    await partner.refused(409, 'POST', `${asha.path}/insurance_policies`, { ...enrolment, benefit_id: laterBenefit }),
  ]
  for (const { reason } of delayed) assert.equal(reason, 'erasure_scheduled')
  assert.equal((await asha.call('GET', asha.path))['first_name'], 'Ashalata', 'until then everything is there')
  assert.equal((await heard(partner, 'user.erasure_scheduled', { of: asha.id })).length, 1)
  await set(erasure['id'], 'IN_PROGRESS')
  await set(erasure['id'], 'ANSWERED', { reason: 'In two days.' })

  // Two days pass.
  await workspace.sql(`update erasures set next_at = now() where user_id = $1`, [asha.id])
  await installation.untilRefused(404, partner, asha.path)
  for (const path of [policy, `${asha.path}/export`, requests, `${asha.path}/wallet`, `${asha.path}/erasure`])
    await partner.refused(404, 'GET', path)
  await insurance.refused(404, 'GET', policy)
  for (const caller of [asha, holder]) await installation.untilRefused(401, caller, asha.path)
  assert.equal((await neighbour.call('GET', neighbour.path))['first_name'], 'Neighbourhood')

  // Who had to hear has heard, by ids.
  assert.equal((await heard(partner, 'user.erased', { of: asha.id })).length, 1)
  await until(insurance, `/v1/events?type=policy.status_changed&limit=100`, ({ data: events }) =>
    events.some(({ subject, data: { to } }: Body) => subject === policyId && to === 'EXPIRED'),
  )
  const [toInsurer] = await heard(insurance, 'user.erased', { of: asha.id })
  assert.deepEqual(toInsurer?.['insurance_policy_ids'], [policyId], 'an erasure is no mere cancellation')
  for (const nobody of [stranger, other])
    assert.deepEqual((await nobody.call('GET', '/v1/events?type=user.erased'))['data'], [])

  // What the law keeps is there, without her: the number, the bookings, who has looked.
  const [keptPolicy] = await workspace.sql<{ stored: string }>(
    'select row_to_json(p)::text as stored from insurance_policies p where user_id = $1',
    [asha.id],
  )
  const { stored = '' } = keptPolicy ?? {}
  assert(stored.includes(external_policy_id))
  const search = (caller: typeof owner) => caller.call('POST', '/v1/insurance_policies/search', { external_policy_id })
  const found = await search(owner)
  for (const { data: some } of [found, await search(insurance), await search(partner)]) {
    assert.deepEqual([some.length, some[0].id, some[0].retained.external_policy_id], [1, policyId, external_policy_id])
    assert.match(some[0].retained.law, /Insurance Act/)
  }
  for (const nobody of [stranger, other]) assert.deepEqual((await search(nobody))['data'], [])
  assert.doesNotMatch(`${JSON.stringify(found)} ${stored}`, /Ashalata|Ravindranath/)
  const [left] = await workspace.sql(
    `select count(*)::int as bookings, count(sealed)::int as texts from ledger_transactions where user_id = $1`,
    [asha.id],
  )
  assert.deepEqual(left, { bookings: 2, texts: 0 })
  const exposure = await partner.call('GET', `/v1/exposure?credential_id=${partner.credentialId}&limit=100`)
  assert(exposure['data'].some(({ user_id, operation }: Body) => user_id === asha.id && operation === 'eraseUser'))

  // Her number is free, and the next one is somebody else.
  const next = await person(partner, { phone_number: asha.phone })
  assert.notEqual(next.id, asha.id)
  await next.refused(404, 'GET', asha.path)
  await until(partner, next.path, ({ phone_number }) => phone_number === asha.phone)
  await installation.assertUnsaid(
    [partner, insurance, owner],
    ['Ashalata', 'Ravindranath', asha.phone, 'Forget me', 'All that you have'],
  )
})
