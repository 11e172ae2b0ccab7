import { randomUUID } from 'node:crypto'
import { ADDRESS, type TestResponse, ONBOARDING, PLAN, type TestApp } from '../support/app.ts'
import { OPERATOR_SECRET } from '../support/operator.ts'
import { createHmac } from 'node:crypto'
import { beginDeskSession, beginSession, FROM_OUR_PAGE, SESSION_COOKIE } from '../support/administrators.ts'
import { ADMIN_KEYS } from '../support/keys.ts'
import { CONSENT, NOTICE } from '../support/consents.ts'
import { PAID } from '../support/deposits.ts'
import { CSV, csv } from '../support/imports.ts'
import { openSessions, phoneInput } from '../support/sessions.ts'
import { smallPdf } from '../support/small-pdf.ts'
import { operatorDouble, provision, REFUSED } from '../support/wallets.ts'

/** A writing operation as named in the table of round trips, called once so that it writes. */
export type WrittenOperation = { name: string; call: () => Promise<TestResponse> }

const KEY = () => ({ 'idempotency-key': randomUUID() })
const DEPENDANT = { first_name: 'Meera', last_name: 'Example', date_of_birth: '2016-01-31' }

/** Every operation that writes, each on a record of its own that is prepared here. */
export async function writtenOperations(t: TestApp): Promise<WrittenOperation[]> {
  return [
    ...(await catalogueOperations(t)),
    ...(await userOperations(t)),
    ...(await policyOperations(t)),
    ...(await walletOperations(t)),
    ...(await administratorOperations(t)),
    ...(await webhookOperations(t)),
  ]
}

async function catalogueOperations(t: TestApp): Promise<WrittenOperation[]> {
  const { owner: token } = t
  const adminKey = ADMIN_KEYS[0] ?? ''
  const [platform, provider] = [await t.platform(), await t.provider()]
  const sponsor = await t.sponsor(platform)
  const benefits = [await t.benefit(platform, provider), await t.benefit(platform, provider)]
  const { sponsor_id: payer } = await t.made('GET', `/v1/benefits/${benefits[0]}`, { token: platform.token })
  const deposit = `/v1/sponsors/${payer}/deposits/${provider.id}`
  const sponsorInput = {
    name: 'Ours',
    pan: 'AAACB1234C',
    address: ADDRESS,
    sponsor_details: { sponsor_kind: 'ORGANISATION', email: 'hr@example.com' },
  }
  const spare = await t.made('POST', `/v1/platforms/${platform.id}/credentials`, { token })
  const bank = await t.made('POST', '/v1/account_providers', { adminKey, body: { name: 'Example Bank' } })
  const benefit = { name: 'Cover', benefit_provider_id: provider.id, sponsor_id: sponsor, plans: [PLAN] }
  const write = (method: string, path: string, url: string, body?: object, by: object = { token }) => ({
    name: `${method} ${path}`,
    call: () => t.call(method, url, { ...by, ...(body && { body }) }),
  })
  return [
    write('POST', '/v1/platforms', '/v1/platforms', { name: 'Another platform' }),
    write('POST', '/v1/platforms/{id}/credentials', `/v1/platforms/${platform.id}/credentials`),
    write(
      'DELETE',
      '/v1/platforms/{id}/credentials/{id}',
      `/v1/platforms/${platform.id}/credentials/${spare.credential_id}`,
    ),
    write('POST', '/v1/benefit_providers', '/v1/benefit_providers', { name: 'Another', code: 'ANOTHER_PROVIDER' }),
    {
      name: 'POST /v1/imports',
      call: () =>
        t.call('POST', '/v1/imports?kind=users', {
          token: platform.token,
          headers: CSV,
          body: csv('phone_country_code,phone_number', '+91,9800000021'),
        }),
    },
    {
      name: 'POST /v1/comparisons',
      call: () =>
        t.call('POST', '/v1/comparisons?kind=members&master_policy_number=MP-77', {
          token: platform.token,
          headers: CSV,
          body: csv('external_policy_id,first_name,last_name,date_of_birth', 'X,Asha,Example,1990-05-17'),
        }),
    },
    write('POST', '/v1/sponsors', '/v1/sponsors', sponsorInput, { token: platform.token }),
    write('PATCH', '/v1/sponsors/{id}', `/v1/sponsors/${sponsor}`, { name: 'Renamed' }, { token: platform.token }),
    write('POST', '/v1/sponsors/{id}/deposits/{id}/entries', `${deposit}/entries`, PAID, { token: provider.token }),
    write('PUT', '/v1/sponsors/{id}/deposits/{id}/low_below', `${deposit}/low_below`, {
      amount: { currency: 'INR', value: 1 },
    }),
    write('PUT', '/v1/sponsors/{id}/status', `/v1/sponsors/${sponsor}/status`, { status: 'INACTIVE' }),
    write('POST', '/v1/benefits', '/v1/benefits', benefit),
    write('PATCH', '/v1/benefit_providers/{id}', `/v1/benefit_providers/${provider.id}`, { colour: '#17503d' }),
    write('PATCH', '/v1/benefits/{id}', `/v1/benefits/${benefits[0]}`, { name: 'Renamed' }),
    write('DELETE', '/v1/benefits/{id}', `/v1/benefits/${benefits[1]}`),
    write('POST', '/v1/account_providers', '/v1/account_providers', { name: 'Another bank' }, { adminKey }),
    write('PATCH', '/v1/account_providers/{id}', `/v1/account_providers/${bank.id}`, { name: 'Renamed' }, { adminKey }),
    write(
      'PUT',
      '/v1/account_providers/{id}/status',
      `/v1/account_providers/${bank.id}/status`,
      { status: 'inactive' },
      { adminKey },
    ),
    write('PUT', '/v1/platforms/{id}/status', `/v1/platforms/${(await t.platform()).id}/status`, {
      status: 'INACTIVE',
    }),
    write('PUT', '/v1/platforms/{id}/consent_rules', `/v1/platforms/${platform.id}/consent_rules`, {
      response_days: 30,
    }),
    write('PUT', '/v1/platforms/{id}/web_origins', `/v1/platforms/${platform.id}/web_origins`, {
      web_origins: ['https://app.example.com'],
    }),
    write('PUT', '/v1/platforms/{id}/wallet_limits', `/v1/platforms/${platform.id}/wallet_limits`, {
      wallet_limits: [{ from_day: '2999-01-01', balance: 1_000_000 }],
    }),
  ]
}

async function userOperations(t: TestApp): Promise<WrittenOperation[]> {
  const [platform, provider] = [await t.platform(), await t.provider()]
  const [user, fresh, known] = [await t.onboardedUser(platform), await t.user(platform), await t.user(platform)]
  const [child] = await t.dependants(user)
  const account = (await t.made('GET', `/v1/users/${user.id}/accounts`, { token: user.token })).data[0].id
  const talk = await t.consultation(platform, user, provider)
  const of = `/v1/users/${user.id}`
  const [leaving, staying] = [await t.user(platform), await t.user(platform)]
  await t.sql(
    `insert into erasures (user_id, asked_at, next_at, ends_policies) values ($1, now(), now() + interval '1 day', false)`,
    [staying.id],
  )
  await t.made('PUT', '/v1/notices/2027-05/en', { token: platform.token, body: NOTICE })
  const given = { ...CONSENT, purpose: 'insurance' }
  const consent = await t.made('POST', `${of}/consents`, { token: user.token, body: given })
  const asked = { kind: 'ACCESS', text: 'What is there?' }
  const request = await t.made('POST', `${of}/rights_requests`, { token: user.token, body: asked })
  const remove = (path: string, url: string) => ({
    name: `DELETE ${path}`,
    call: () => t.call('DELETE', url, { token: platform.token }),
  })
  const phone = (phone_number: string, input = {}) => ({ phone_country_code: '+91', phone_number, ...input })
  const message = { body: { content: 'Hello', message_type: 'TEXT' } }
  const write = (method: string, path: string, url: string, body: object, token = platform.token) => ({
    name: `${method} ${path}`,
    call: () => t.call(method, url, { token, body }),
  })
  return [
    write('POST', '/v1/auth/token (new user)', '/v1/auth/token', phone('9800000011')),
    write('POST', '/v1/auth/token (known user)', '/v1/auth/token', phone(known.phone)),
    write('POST', '/v1/auth/token (changed fields)', '/v1/auth/token', phone(known.phone, { email: 'a@example.com' })),
    write('POST', '/v1/auth/token (new name)', '/v1/auth/token', phone(known.phone, { first_name: 'Asha' })),
    write('POST', '/v1/users/{id}/complete_onboarding', `/v1/users/${fresh.id}/complete_onboarding`, ONBOARDING),
    write('PATCH', '/v1/users/{id}', of, { email: 'new@example.com' }),
    write('PATCH', '/v1/users/{id} (new name)', of, { first_name: 'Aasha' }),
    write('PATCH', '/v1/users/{id} (new phone)', of, phone('9800000012')),
    write('PUT', '/v1/users/{id}/reference', `${of}/reference`, { employee_number: 'EMP-004711' }),
    write('PUT', '/v1/notices/{version}/{language}', '/v1/notices/2027-06/en', NOTICE),
    write('POST', '/v1/users/{id}/consents', `${of}/consents`, { ...CONSENT, purpose: 'care' }),
    remove('/v1/users/{id}/consents/{id}', `${of}/consents/${consent.id}`),
    write('POST', '/v1/users/{id}/rights_requests', `${of}/rights_requests`, {
      kind: 'ACCESS',
      text: 'What is there?',
    }),
    write('PUT', '/v1/users/{id}/rights_requests/{id}/state', `${of}/rights_requests/${request.id}/state`, {
      state: 'IN_PROGRESS',
    }),
    remove('/v1/users/{id}/sessions', `${of}/sessions`),
    remove('/v1/users/{id}', `/v1/users/${leaving.id}`),
    remove('/v1/users/{id}/erasure', `/v1/users/${staying.id}/erasure`),
    write('POST', '/v1/users/{id}/dependants/bulk', `${of}/dependants/bulk`, { dependants: [DEPENDANT] }),
    write('PATCH', '/v1/users/{id}/dependants/{id}', `${of}/dependants/${child}`, { first_name: 'Kiran' }),
    write('POST', '/v1/users/{id}/accounts', `${of}/accounts`, { account_type: 'HSA' }),
    write(
      'PUT',
      '/v1/users/{id}/accounts/{id}/status',
      `${of}/accounts/${account}/status`,
      { status: 'INACTIVE' },
      t.owner,
    ),
    write('POST', '/v1/users/{id}/consultations', `${of}/consultations`, { benefit_provider_id: provider.id }),
    write('POST', '/v1/users/{id}/consultations/{id}/messages', `${of}/consultations/${talk}/messages`, message),
    write('PUT', '/v1/users/{id}/consultations/{id}/status', `${of}/consultations/${talk}/status`, {
      status: 'CLOSED',
    }),
  ]
}

/** The endorsement of a policy whose nominee was changed after its issue. */
async function requestedEndorsement(t: TestApp): Promise<{ url: string; token: string }> {
  const [platform, provider] = [await t.platform(), await t.provider()]
  const user = await t.onboardedUser(platform)
  const [dependant_id = ''] = await t.dependants(user)
  const policy = await t.policy(platform, user, await t.benefit(platform, provider))
  const url = `/v1/users/${user.id}/insurance_policies/${policy}`
  for (const status of ['VERIFICATION', 'APPROVED', 'ISSUED'])
    await t.made('PUT', `${url}/status`, { token: provider.token, body: { status } })
  const nominee_details = { nominee_type: 'DEPENDANT', dependant_id }
  await t.made('PUT', `${url}/nominee`, { token: platform.token, body: { nominee_details } })
  const { data } = await t.made('GET', '/v1/endorsements', { token: provider.token })
  return { url: `/v1/endorsements/${data[0].id}/state`, token: provider.token }
}

async function policyOperations(t: TestApp): Promise<WrittenOperation[]> {
  const [platform, provider] = [await t.platform(), await t.provider()]
  const user = await t.onboardedUser(platform)
  const benefit = await t.benefit(platform, provider)
  const policy = await t.policy(platform, user, benefit)
  const [dependant_id = ''] = await t.dependants(user)
  const endorsement = await requestedEndorsement(t)
  const desk = await beginDeskSession(t, provider.id)
  const of = `/v1/users/${user.id}/insurance_policies`
  const status = (word: string) => ({
    name: `PUT /v1/users/{id}/insurance_policies/{id}/status (${word})`,
    call: () => t.call('PUT', `${of}/${policy}/status`, { token: provider.token, body: { status: word } }),
  })
  const enrolment = { benefit_id: benefit, plan_code: PLAN.plan_code, start_date: '2027-04-01', dependant_ids: [] }
  const pdf = { token: provider.token, body: smallPdf('Uploaded'), headers: { 'content-type': 'application/pdf' } }
  return [
    {
      name: 'POST /v1/users/{id}/insurance_policies',
      call: () => t.call('POST', of, { token: platform.token, body: enrolment }),
    },
    ...['VERIFICATION', 'APPROVED', 'ISSUED'].map(status),
    {
      name: 'PUT /v1/users/{id}/insurance_policies/{id}/end',
      call: () =>
        t.call('PUT', `${of}/${policy}/end`, { token: platform.token, body: { on: '2027-03-31', code: 'LEFT' } }),
    },
    {
      name: 'DELETE /v1/users/{id}/insurance_policies/{id}/end',
      call: () => t.call('DELETE', `${of}/${policy}/end`, { token: platform.token }),
    },
    {
      name: 'PUT /v1/users/{id}/insurance_policies/{id}/members/{id}',
      call: () =>
        t.call('PUT', `${of}/${policy}/members/${dependant_id}`, {
          token: platform.token,
          body: { relation: 'CHILD' },
        }),
    },
    {
      name: 'PUT /v1/users/{id}/insurance_policies/{id}/nominee',
      call: () =>
        t.call('PUT', `${of}/${policy}/nominee`, {
          token: platform.token,
          body: { nominee_details: { nominee_type: 'DEPENDANT', dependant_id } },
        }),
    },
    {
      name: 'PUT /v1/endorsements/{id}/state',
      call: () => t.call('PUT', endorsement.url, { token: endorsement.token, body: { state: 'ACCEPTED' } }),
    },
    {
      name: 'PUT /v1/users/{id}/insurance_policies/{id}/assignee',
      call: () =>
        t.call('PUT', `${of}/${policy}/assignee`, {
          token: provider.token,
          body: { administrator_id: desk.administratorId },
        }),
    },
    {
      name: 'DELETE /v1/users/{id}/insurance_policies/{id}/assignee',
      call: () => t.call('DELETE', `${of}/${policy}/assignee`, { token: provider.token }),
    },
    {
      name: 'PUT /v1/users/{id}/insurance_policies/{id}/documents/{type}',
      call: () => t.call('PUT', `${of}/${policy}/documents/customer_information_sheet`, pdf),
    },
    {
      name: 'DELETE /v1/users/{id}/insurance_policies/{id}/documents/{type}',
      call: () => t.call('DELETE', `${of}/${policy}/documents/customer_information_sheet`, { token: provider.token }),
    },
  ]
}

async function walletOperations(t: TestApp): Promise<WrittenOperation[]> {
  const { askOtp, verifyOtp, refresh, logOut, codeOf, resetLimits } = openSessions(t)
  const platform = await t.platform()
  const [user, holder, signing] = [await t.user(platform), await t.user(platform), await t.user(platform)]
  const wallet = await t.wallet(platform, holder)
  const [failed, failedToo] = [await t.user(platform), await t.user(platform)]
  for (const one of [failed, failedToo]) {
    await t.made('POST', '/wallet/v1/wallet', { token: await t.walletToken(platform, one) })
    await provision(t, operatorDouble({ create: async () => REFUSED }).operator, one.id)
  }
  await resetLimits()
  const { challenge_id: challenge } = (await askOtp(phoneInput(platform, user.phone))).body
  const code = (await codeOf(challenge)) ?? ''
  let pair = { refresh_token: '' }
  const book = (kind: string, amount: number) => ({
    name: `POST /v1/users/{id}/wallet/${kind}`,
    call: () =>
      t.call('POST', `/v1/users/${holder.id}/wallet/${kind}`, {
        token: platform.token,
        body: { amount, reference: kind },
        headers: KEY(),
      }),
  })
  return [
    { name: 'POST /wallet/v1/auth/otp', call: () => askOtp(phoneInput(platform, signing.phone)) },
    {
      name: 'POST /wallet/v1/auth/otp/verify',
      call: async () => {
        const response = await verifyOtp(challenge, code)
        if (response.status === 200) pair = response.body
        return response
      },
    },
    {
      name: 'POST /wallet/v1/auth/token/refresh',
      call: async () => {
        const response = await refresh(pair.refresh_token)
        if (response.status === 200) pair = response.body
        return response
      },
    },
    { name: 'POST /wallet/v1/auth/logout', call: () => logOut(pair.refresh_token) },
    {
      name: 'POST /wallet/v1/wallet (new)',
      call: async () => t.call('POST', '/wallet/v1/wallet', { token: await t.walletToken(platform, user) }),
    },
    {
      name: 'POST /wallet/v1/wallet (existing)',
      call: async () => t.call('POST', '/wallet/v1/wallet', { token: await t.walletToken(platform, user) }),
    },
    book('credits', 500),
    book('debits', 200),
    {
      name: 'POST /v1/users/{id}/wallet/retry',
      call: () => t.call('POST', `/v1/users/${failed.id}/wallet/retry`, { token: t.operator }),
    },
    {
      name: 'POST /v1/users/{id}/wallet/refresh',
      call: () => t.call('POST', `/v1/users/${wallet.userId}/wallet/refresh`, { token: t.operator }),
    },
    {
      name: 'POST /v1/wallets/retry',
      call: () => t.call('POST', '/v1/wallets/retry', { token: t.operator, body: { user_ids: [failedToo.id] } }),
    },
    { name: 'POST /wallet/v1/operator/events', call: () => operatorEvent(t, wallet.id) },
  ]
}

async function administratorOperations(t: TestApp): Promise<WrittenOperation[]> {
  const [session, other, leaving] = [
    await beginSession(t, 'viewer'),
    await beginSession(t, 'viewer'),
    await beginSession(t, 'viewer'),
  ]
  const { owner: token } = t
  const cookie = `${SESSION_COOKIE}=${leaving.cookie}`
  const own = `/v1/administrators/${session.administratorId}/sessions/${session.id}`
  const status = `/v1/administrators/${other.administratorId}/status`
  return [
    {
      name: 'POST /v1/auth/logout',
      call: () => t.call('POST', '/v1/auth/logout', { headers: { ...FROM_OUR_PAGE, cookie }, body: {} }),
    },
    {
      name: 'PUT /v1/administrators/{id}/status',
      call: () => t.call('PUT', status, { token, body: { status: 'DISABLED' } }),
    },
    { name: 'DELETE /v1/administrators/{id}/sessions/{id}', call: () => t.call('DELETE', own, { token }) },
  ]
}

async function webhookOperations(t: TestApp): Promise<WrittenOperation[]> {
  const { token } = await t.platform()
  const all = '/v1/webhook_endpoints'
  const input = { url: 'https://hooks.example.com/banyan', event_types: ['user.*'] }
  const { id } = await t.made('POST', all, { token, body: input })
  const delivery = await t.made('POST', `${all}/${id}/test`, { token })
  await t.made('POST', '/v1/auth/token', { token, body: { phone_country_code: '+91', phone_number: '9800000013' } })
  const write = (method: string, path: string, body?: object) => ({
    name: `${method} ${all}${path.replace(id, '{id}').replace(delivery.id, '{id}')}`,
    call: () => t.call(method, `${all}${path}`, { token, ...(body && { body }) }),
  })
  return [
    write('POST', '', input),
    write('PATCH', `/${id}`, { event_types: ['*'] }),
    write('POST', `/${id}/rotate_secret`),
    write('POST', `/${id}/test`),
    write('POST', `/${id}/deliveries/${delivery.id}/replay`),
    write('POST', `/${id}/replay`, { from: '2026-01-01T00:00:00', to: '2100-01-01T00:00:00' }),
    write('DELETE', `/${id}`),
  ]
}

function operatorEvent(t: TestApp, reference: string): Promise<TestResponse> {
  const body = JSON.stringify({ event_id: randomUUID(), reference, status: 'BLOCKED', sequence: 9 })
  const at = Math.floor(Date.now() / 1000)
  const signature = createHmac('sha256', OPERATOR_SECRET).update(`${at}.${body}`).digest('hex')
  const headers = { 'operator-signature': `t=${at},v1=${signature}`, 'content-type': 'application/json' }
  return t.call('POST', '/wallet/v1/operator/events', { body, headers })
}
