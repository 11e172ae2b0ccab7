import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Body } from '../support/app.ts'
import { smallPdf } from '../support/small-pdf.ts'
import type { Client } from './client.ts'
import type { Companies } from './companies.ts'
import type { Holder, Ids, Replay, WalletTokens } from './kept.ts'
import type { Has } from './later-features.ts'
import type { Person, Story } from './people.ts'
import { sha256 } from './record-responses.ts'

export const BEGINNING = '2026-06-15T06:30:00Z'
export const END = '2027-05-15T06:30:00Z'

/** On the last day the first is in its renewal window, the second in grace, the third over; the others are in force. */
const STARTS: Partial<Record<Story, string>> = {
  due: '2026-06-01',
  in_grace: '2026-05-01',
  renewed: '2026-05-01',
  lapsed: '2026-04-01',
}
const START = '2026-06-30'
const REASON = 'Checked by hand; हस्ताक्षर देखा'

/** A person as made so far. */
export type Member = Holder & {
  phone: string
  person: Person
  token: string
  dependants: string[]
  policies: { id: string; story: Story }[]
}

export type Filling = {
  client: Client
  sandbox: Client
  companies: Companies
  owner: string
  add(ids: Ids): void
  replays: Replay[]
  /** The hashes of the uploaded files. */
  uploads: Set<string>
  takesKey: Has
}

type Place = { platform: number; index: number; person: Person }

/** Makes a person with everything their story says, until the calendar goes on. */
export async function makeMember(filling: Filling, { platform: number, index, person }: Place): Promise<Member> {
  const { client, companies, add } = filling
  const platform = companies.platforms[number]
  if (!platform) throw new Error('no such platform')
  const { made } = client
  const phone = `98000000${String(index).padStart(2, '0')}`
  const { first_name, last_name, proof } = person
  const identity = { phone_country_code: '+91', phone_number: phone, first_name, last_name }
  const body = { ...identity, ...(proof !== undefined && { id_proof: { number: proof } }) }
  const issued = await made('POST', '/v1/auth/token', { token: platform.token, body })
  const user = `/v1/users/${issued.user_id}`
  add({ user_id: issued.user_id })
  let token: string = issued.access_token
  if (person.isOnboarded !== false) {
    const onboarding = onboardingOf(person, index)
    token = (await made('POST', `${user}/complete_onboarding`, { token: platform.token, body: onboarding }))
      .access_token
    await openAccounts(filling, issued.user_id, token)
  }
  const holder = { id: issued.user_id as string, platformId: platform.id, phone, identity: body }
  const member: Member = {
    ...holder,
    person,
    token,
    tokens: null,
    dependants: [],
    policies: [],
  }
  if (person.dependants) member.dependants = await makeDependants(filling, member)
  for (const story of person.policies ?? []) await playStory(filling, { member, story, number })
  if (person.messages) await consult(filling, { member, number })
  if (person.wallet) await createWallet(filling, { member, number })
  return member
}

/** The account of the onboarding and another one, which an operator of the installation closes. */
async function openAccounts({ client, owner, add }: Filling, user_id: string, token: string): Promise<void> {
  const path = `/v1/users/${user_id}/accounts`
  await client.made('POST', path, { token, body: { account_type: 'HSA' } })
  const { data } = await client.until(`${path}?status=ACTIVE`, token, (body) => body.data.length === 2)
  for (const { id: account_id } of data) add({ user_id, account_id })
  const closed = data.find(({ account_details }: Body) => account_details.account_type === 'HSA').id
  await client.made('PUT', `${path}/${closed}/status`, { token: owner, body: { status: 'INACTIVE', reason: REASON } })
}

const onboardingOf = ({ first_name, last_name }: Person, index: number) => ({
  title: 'MS',
  first_name,
  last_name,
  dob: `19${60 + index}-02-28`,
  gender: index % 2 === 0 ? 'FEMALE' : 'OTHER',
  email: `asha${index}@example.com`,
  address:
    index % 3 === 0
      ? 'Flat 4, Lake View, Pune 411001'
      : {
          line1: '14 झील रोड',
          city: 'Pune',
          state: 'Maharashtra',
          country: 'India',
          pincode: '411001',
          raw: '14 झील रोड, पुणे',
        },
  bank_details: { account_number: '001234567890', ifsc_code: 'HDFC0000001' },
})

async function makeDependants({ client, add }: Filling, { id, token, person }: Member): Promise<string[]> {
  const path = `/v1/users/${id}/dependants`
  const dependants = (person.dependants ?? []).map((first_name, place) => ({
    first_name,
    last_name: person.last_name,
    date_of_birth: `201${place}-08-02`,
  }))
  const { data } = await client.made('POST', `${path}/bulk`, { token, body: { dependants } })
  const ids = (data as Body[]).map((dependant) => String(dependant.id))
  // The last one is corrected before any policy, so that there are versions without one.
  const last = await client.made('PATCH', `${path}/${ids.at(-1)}`, { token, body: { date_of_birth: '2012-02-29' } })
  for (const dependant_id of [...ids, last.id]) add({ user_id: id, dependant_id })
  return [...ids.slice(0, -1), last.id]
}

/** The statuses that the insurer sets, with what it sends alongside them. */
const STEPS: Record<Story, string[]> = {
  pending: [],
  returned: ['VERIFICATION', 'PENDING'],
  verification: ['VERIFICATION'],
  approved: ['VERIFICATION', 'APPROVED'],
  rejected: ['VERIFICATION', 'REJECTED'],
  issued: ['VERIFICATION', 'APPROVED', 'ISSUED'],
  corrected: ['VERIFICATION', 'APPROVED', 'ISSUED'],
  reissued: ['VERIFICATION', 'APPROVED', 'ISSUED'],
  missed: ['VERIFICATION', 'APPROVED', 'ISSUED'],
  ended: ['VERIFICATION', 'APPROVED', 'ISSUED', 'EXPIRED'],
  uploaded: ['VERIFICATION', 'APPROVED', 'ISSUED'],
  due: ['VERIFICATION', 'APPROVED', 'ISSUED'],
  in_grace: ['VERIFICATION', 'APPROVED', 'ISSUED'],
  renewed: ['VERIFICATION', 'APPROVED', 'ISSUED'],
  lapsed: ['VERIFICATION', 'APPROVED', 'ISSUED'],
}

const WITH_REASON = ['PENDING', 'REJECTED', 'EXPIRED', 'APPROVED']

type Playing = { member: Member; story: Story; number: number }

async function playStory(filling: Filling, { member, story, number }: Playing): Promise<void> {
  const { client, companies, add, takesKey } = filling
  const { id: user_id, dependants } = member
  const path = `/v1/users/${user_id}/insurance_policies`
  const body = {
    benefit_id: companies.platforms[number]?.benefitId,
    plan_code: planOf(story),
    start_date: STARTS[story] ?? START,
    dependant_ids: dependants,
    ...(dependants.length > 0 && { nominee_details: { nominee_type: 'DEPENDANT', dependant_id: dependants[0] } }),
    questionnaire: { questions: [{ question: 'क्या आप धूम्रपान करते हैं?', answer: false }] },
  }
  const token = companies.platforms[number]?.token
  const { id } = takesKey('POST', '/v1/users/{user_id}/insurance_policies')
    ? await makeWithKey(filling, { path, token, body })
    : await client.made('POST', path, { token, body })
  member.policies.push({ id, story })
  add({ user_id, insurance_policy_id: id })
  for (const status of STEPS[story]) {
    const numbers = { external_policy_id: `EXT-${id.slice(-6)}`, master_policy_number: 'MASTER-77' }
    const more = {
      ...(status === 'ISSUED' && { ...numbers, provider_metadata: { branch: 'पुणे' } }),
      ...(WITH_REASON.includes(status) && { reason: REASON }),
    }
    await setStatus(filling, { member, id, number, body: { status, ...more } })
  }
  if (story === 'uploaded') await upload(filling, { member, id, number })
}

export const planOf = (story: Story) => `PLAN_${story.toUpperCase()}`

type Setting = { member: Member; id: string; number: number; body: object }

/** Sets a status as a provider that has looked at who was corrected; 0.2.0 does not count them. */
async function setStatus({ client, companies }: Filling, { member, id, number, body }: Setting): Promise<Body> {
  const path = `/v1/users/${member.id}/insurance_policies/${id}/status`
  const token = companies.providers[number]?.token
  const { persons_version } = await client.made('GET', path, { token })
  return client.made('PUT', path, { token, body: { ...body, persons_version } })
}

async function upload(
  { client, companies, uploads }: Filling,
  { member, id, number }: Omit<Setting, 'body'>,
): Promise<void> {
  const documents = `/v1/users/${member.id}/insurance_policies/${id}/documents`
  for (const type of ['policy_certificate', 'health_card/self', 'policy_certificate']) {
    const body = smallPdf(`${type} of the insurer, ${randomUUID()}`)
    uploads.add(sha256(body))
    await client.made('PUT', `${documents}/${type}`, { token: companies.providers[number]?.token, body })
  }
}

async function consult({ client, companies, add }: Filling, { member, number }: Omit<Playing, 'story'>): Promise<void> {
  const { id: user_id, token, person } = member
  const provider = companies.providers[number]
  const path = `/v1/users/${user_id}/consultations`
  const { id } = await client.made('POST', path, { token, body: { benefit_provider_id: provider?.id } })
  add({ user_id, consultation_id: id })
  for (const [index, content] of (person.messages ?? []).entries()) {
    const sender = index % 2 === 0 ? token : provider?.token
    await client.made('POST', `${path}/${id}/messages`, {
      token: sender,
      body: { body: { content, message_type: 'TEXT' } },
    })
  }
  if (person.messages?.length === 1)
    await client.made('PUT', `${path}/${id}/status`, { token, body: { status: 'CLOSED', reason: REASON } })
}

/** Signs in with a one-time code, and refreshes once so that the family has a generation behind it. */
export async function signIn({ client, sandbox }: Filling, { platformId, phone }: Member): Promise<WalletTokens> {
  const at = { platform_id: platformId, phone_country_code: '+91', phone_number: phone }
  const messages = `/sms/messages?to=${encodeURIComponent(`+91${phone}`)}`
  const before = (await sandbox.made('GET', messages)).messages.length
  const headers = { 'x-forwarded-for': `10.${phone.slice(-2)}.0.${platformId.charCodeAt(platformId.length - 1)}` }
  const { challenge_id } = await client.made('POST', '/wallet/v1/auth/otp', { headers, body: at })
  const { messages: sent } = await sandbox.until(messages, undefined, (body) => body.messages.length > before)
  const otp = /\d{6}/.exec(sent.at(-1).text)?.[0]
  const first = await client.made('POST', '/wallet/v1/auth/otp/verify', { headers, body: { challenge_id, otp } })
  const body = { refresh_token: first.refresh_token }
  const next = await client.made('POST', '/wallet/v1/auth/token/refresh', { headers, body })
  return { access: next.access_token, refresh: next.refresh_token, former: first.refresh_token }
}

async function createWallet(filling: Filling, { member, number }: Omit<Playing, 'story'>): Promise<void> {
  const { client, sandbox, companies, add } = filling
  member.tokens = await signIn(filling, member)
  const token = member.tokens.access
  const { wallet: amounts = [], operator: mode = 'ok' } = member.person
  await sandbox.made('PUT', '/operator/behaviour', { body: { mode } })
  const { partner_wallet_id: wallet_id } = await client.made('POST', '/wallet/v1/wallet', { token })
  add({ wallet_id, user_id: member.id })
  const isReady = (body: Body) => body.wallet_status === (mode === 'reject' ? 'FAILED' : 'COMPLETED')
  await client.until(`/wallet/v1/wallet/${wallet_id}/status`, token, isReady)
  for (const [place, amount] of amounts.entries()) {
    const path = `/v1/users/${member.id}/wallet/${amount > 0 ? 'credits' : 'debits'}`
    const body = { amount: Math.abs(amount), reference: `allowance-${place}`, description: 'भत्ता' }
    await makeWithKey(filling, { path, token: companies.platforms[number]?.token, body })
  }
}

type KeyedWrite = { path: string; token: string | undefined; body: object }

/** Makes a record with an idempotency key that is repeated later. */
async function makeWithKey({ client, replays }: Filling, { path, token, body }: KeyedWrite): Promise<Body> {
  const key = randomUUID()
  const { status, body: response } = await client.send('POST', path, {
    token,
    headers: { 'idempotency-key': key },
    body,
  })
  assert(status < 300, `${path} returned ${status}: ${JSON.stringify(response)}`)
  replays.push({ path, key, body: structuredClone(body), status, response })
  return response
}

/** Moves the calendar to the end, and waits until the worker has followed; then what stories say of the end. */
export async function goOn(filling: Filling, members: Member[]): Promise<void> {
  const { client, sandbox, owner } = filling
  for (const member of members) {
    for (const { id, story } of member.policies) {
      if (story === 'corrected' || story === 'reissued') await correct(filling, member)
      if (story === 'reissued') await setStatus(filling, { member, id, number: 0, body: { status: 'ISSUED' } })
    }
  }
  await sandbox.made('PUT', '/clock', { body: { now: END } })
  const expected: Partial<Record<Story, string>> = {
    due: 'REQUIRES_CUSTOMER_RENEWAL',
    in_grace: 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE',
    renewed: 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE',
    lapsed: 'EXPIRED',
  }
  for (const member of members) {
    for (const { id, story } of member.policies) {
      const status = expected[story]
      if (status === undefined) continue
      const path = `/v1/users/${member.id}/insurance_policies?status=${status}`
      await client.until(path, owner, ({ data }) => data.some((policy: Body) => policy.id === id))
      if (story === 'renewed')
        await setStatus(filling, { member, id, number: 0, body: { status: 'ISSUED', reason: REASON } })
    }
  }
  for (const member of members) {
    for (const { id, story } of member.policies) {
      if (story !== 'missed') continue
      const body = { status: 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE', reason: REASON }
      await setStatus(filling, { member, id, number: 0, body })
    }
  }
}

async function correct({ client, add }: Filling, { id: user_id, token, dependants }: Member): Promise<void> {
  const path = `/v1/users/${user_id}/dependants/${dependants[0]}`
  const { id: dependant_id } = await client.made('PATCH', path, { token, body: { date_of_birth: '2011-11-11' } })
  dependants[0] = dependant_id
  add({ user_id, dependant_id })
}
