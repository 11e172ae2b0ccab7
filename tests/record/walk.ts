import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { announceDue } from '../../src/domains/administration/next-actions/index.ts'
import { announceLow } from '../../src/domains/cover/deposits/index.ts'
import { runCalendar, sendNotices } from '../../src/domains/cover/policies/index.ts'
import { accountJobs } from '../../src/domains/money/accounts/index.ts'
import { endConsents } from '../../src/domains/privacy/consents/index.ts'
import { ADDRESS, type Body, type TestApp } from '../support/app.ts'
import { beginSession } from '../support/administrators.ts'
import { CONSENT, NOTICE, OF_PARENT } from '../support/consents.ts'
import { ADMIN_KEYS } from '../support/keys.ts'
import { openSessions, phoneInput } from '../support/sessions.ts'
import { smallPdf } from '../support/small-pdf.ts'

/** Makes everything happen at least once, each by a call of an allowed caller or by the job that it starts. */
export async function walk(t: TestApp): Promise<void> {
  const { made, owner } = t
  const [platform, provider] = [await t.platform(), await t.provider()]
  const post = (token: string, path: string, body?: object): Promise<Body> =>
    made('POST', path, { token, ...(body && { body }) })
  const put = (token: string, path: string, body: object): Promise<Body> => made('PUT', path, { token, body })
  const patch = (token: string, path: string, body: object): Promise<Body> => made('PATCH', path, { token, body })
  const remove = (token: string, path: string): Promise<Body> => made('DELETE', path, { token })

  async function walkTheCatalogue(): Promise<void> {
    const other = await t.platform()
    for (const status of ['INACTIVE', 'ACTIVE']) await put(owner, `/v1/platforms/${other.id}/status`, { status })
    for (const credentials of [
      `/v1/platforms/${platform.id}/credentials`,
      `/v1/benefit_providers/${provider.id}/credentials`,
    ]) {
      const { credential_id } = await post(owner, credentials)
      await remove(owner, `${credentials}/${credential_id}`)
    }
    const details = { sponsor_kind: 'ORGANISATION', email: 'hr@example.com' }
    const input = { name: 'Banyan Textiles', pan: 'AAACB1234C', address: ADDRESS, sponsor_details: details }
    const sponsor = `/v1/sponsors/${(await post(platform.token, '/v1/sponsors', input)).id}`
    await put(owner, `${sponsor}/status`, { status: 'ACTIVE' })
    await patch(platform.token, sponsor, { name: 'Banyan Mills' })
    await patch(platform.token, sponsor, { pan: 'AAACB1234D' }) // it is PENDING again
    for (const status of ['ACTIVE', 'INACTIVE', 'ACTIVE']) await put(owner, `${sponsor}/status`, { status })
    const benefit = `/v1/benefits/${await t.benefit(platform, provider)}`
    await patch(owner, benefit, { name: 'Family cover' })
    const { sponsor_id } = await made('GET', benefit, { token: owner })
    const amount = { currency: 'INR', value: 100 }
    await put(platform.token, `/v1/sponsors/${sponsor_id}/deposits/${provider.id}/low_below`, { amount })
    await announceLow(t.deps)
    await remove(owner, benefit)
    const { administratorId } = await beginSession(t, 'viewer')
    await put(owner, `/v1/administrators/${administratorId}/status`, { status: 'DISABLED', reason: 'Has left' })
    const endpoint = { url: 'https://hooks.example.com/banyan', event_types: ['*'] }
    const webhook = `/v1/webhook_endpoints/${(await post(platform.token, '/v1/webhook_endpoints', endpoint)).id}`
    await post(platform.token, `${webhook}/test`)
    await patch(platform.token, webhook, { status: 'DISABLED' })
    await made('POST', '/v1/account_providers', { adminKey: ADMIN_KEYS[0] ?? '', body: { name: 'Bank' } })
  }

  async function walkWithAUser(): Promise<void> {
    const phone = { phone_country_code: '+91', phone_number: '6000000001' }
    await post(platform.token, '/v1/auth/token', phone)
    await post(platform.token, '/v1/auth/token', { ...phone, first_name: 'Asha', id_proof: { number: 'ABC1234' } })
    const user = await t.onboardedUser(platform)
    const at = `/v1/users/${user.id}`
    const [ravi = ''] = await t.dependants(user, ['Ravi', 'Mina'])
    const policy = await t.policy(platform, user, await t.benefit(platform, provider), { dependant_ids: [ravi] })
    const policyAt = `${at}/insurance_policies/${policy}`
    for (const status of ['VERIFICATION', 'APPROVED', 'ISSUED']) {
      await put(provider.token, `${policyAt}/status`, { status, reason: 'All is well' })
    }
    await made('PUT', `${policyAt}/documents/policy_certificate`, {
      token: provider.token,
      body: smallPdf('Certificate'),
      headers: { 'content-type': 'application/pdf' },
    })
    await remove(provider.token, `${policyAt}/documents/policy_certificate`)
    await put(provider.token, `${policyAt}/end`, { on: '2027-03-31', code: 'LEFT' })
    await remove(provider.token, `${policyAt}/end`)
    await patch(user.token, `${at}/dependants/${ravi}`, { first_name: 'Kabir' }) // to be issued again

    const consultation = `${at}/consultations/${await t.consultation(platform, user, provider)}`
    await post(user.token, `${consultation}/messages`, { body: { content: 'Hello', message_type: 'TEXT' } })
    await put(user.token, `${consultation}/status`, { status: 'CLOSED', reason: 'Better now' })
    await put(platform.token, '/v1/notices/2027-05/en', NOTICE)
    const consent = await post(user.token, `${at}/consents`, { ...CONSENT, purpose: 'insurance' })
    await remove(user.token, `${at}/consents/${consent.id}`)
    const request = await post(user.token, `${at}/rights_requests`, { kind: 'ACCESS', text: 'What is there?' })
    await put(platform.token, `${at}/rights_requests/${request.id}/state`, { state: 'IN_PROGRESS' })
    await openAccounts()
    const { data } = await made('GET', `${at}/accounts`, { token: user.token })
    await put(owner, `${at}/accounts/${data[0].id}/status`, { status: 'INACTIVE', reason: 'Asked for' })
    await t.wallet(platform, user)
    for (const [kind, amount] of [
      ['credits', 500],
      ['debits', 200],
    ] as const) {
      const headers = { 'idempotency-key': randomUUID() }
      const body = { amount, reference: `${kind}-1`, description: 'May' }
      await made('POST', `${at}/wallet/${kind}`, { token: platform.token, body, headers })
    }
    const { askOtp } = openSessions(t)
    assert.equal((await askOtp(phoneInput(platform, user.phone))).status, 202)
  }

  /** Into the window, over an early renewal, to the day on which the next term begins. */
  async function walkToTheNextTerm(): Promise<void> {
    const user = await t.onboardedUser(platform)
    const policy = await t.policy(platform, user, await t.benefit(platform, provider), { start_date: '2026-04-01' })
    const status = `/v1/users/${user.id}/insurance_policies/${policy}/status`
    for (const to of ['VERIFICATION', 'APPROVED', 'ISSUED']) await put(provider.token, status, { status: to })
    for (const day of ['2027-03-30', '2027-04-01']) {
      t.calendar.at = new Date(`${day}T12:00:00+05:30`)
      await runCalendar(t.deps)
      await sendNotices(t.deps, { noticeDays: [7] })
      await announceDue(t.deps)
      await put(provider.token, status, { status: 'ISSUED' })
    }
    t.calendar.at = undefined
  }

  /** A child with the consent of a parent is 18, by a corrected birth. */
  async function walkToTheBirthday(): Promise<void> {
    const user = await t.user(platform, { first_name: 'Asha', last_name: 'Example', dob: '1980-05-17' })
    const at = `/v1/users/${user.id}`
    const child = { first_name: 'Ravi', last_name: 'Example', date_of_birth: '2015-08-02' }
    const { data } = await post(platform.token, `${at}/dependants/bulk`, { dependants: [child] })
    await post(user.token, `${at}/consents`, OF_PARENT)
    await post(user.token, `${at}/consents`, { ...OF_PARENT, purpose: 'care', dependant_id: data[0].id })
    await patch(platform.token, `${at}/dependants/${data[0].id}`, { date_of_birth: '1999-08-02' })
    await endConsents(t.deps)
  }

  async function walkOut(): Promise<void> {
    const later = await t.openNode({ erasure: { ...t.deps.erasure, noticeHours: 48 } })
    const user = await t.onboardedUser(platform)
    const at = `/v1/users/${user.id}`
    await t.policy(platform, user, await t.benefit(platform, provider))
    for (const path of ['', '/erasure']) {
      const { status, text } = await later.call('DELETE', `${at}${path}`, { token: platform.token })
      assert.equal(status, 200, text)
    }
    await remove(platform.token, at)
  }

  async function openAccounts(): Promise<void> {
    const openAccount = async () => ({
      outcome: 'opened' as const,
      external_account_id: 'EXT-1',
      ifsc_code: 'BNYN0000001',
    })
    const { 'open-account': run } = accountJobs({ ...t.deps, reportTaken: () => {} }, { openAccount })
    for (const data of await t.startedJobs('open-account')) await run(data as never)
  }

  await walkTheCatalogue()
  await walkWithAUser()
  await walkToTheBirthday()
  await walkOut()
  await walkToTheNextTerm()
}
