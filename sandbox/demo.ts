import { randomBytes, randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

type DemoSettings = { origin: string; sandboxUrl: string; ownerToken: string; report: Report }

const REQUEST_TIMEOUT_MS = 15_000
const JOBS_TIMEOUT_MS = 60_000
const POLL_MS = 500
const CODE_BYTES = 4
const CREDIT_PAISE = 50_000
const PHONE_MIN = 9_000_000_000
const PHONE_MAX = 10_000_000_000

/** An error shown without a stack. */
class DemoError extends Error {
  readonly code = 'DEMO'
}

const HOME = { line1: '14 झील रोड', city: 'पुणे', state: 'महाराष्ट्र', country: 'India', pincode: '411001' }
const OFFICE = { line1: '12 MG Road', city: 'Bengaluru', state: 'Karnataka', country: 'India', pincode: '560001' }

const money = (value: number) => ({ currency: 'INR', value })

const PLANS = [
  {
    plan_code: 'FAMILY_5L',
    term_months: 12,
    premium_amounts: { annual: money(12_045), daily: money(33), sponsor_contribution: money(6_022.5) },
  },
  {
    plan_code: 'TOP_UP_10L',
    term_months: 12,
    premium_amounts: { annual: money(4_380), daily: money(12), sponsor_contribution: money(0) },
  },
]

const QUESTIONNAIRE = {
  questions: [
    { question: 'Does anyone in the family smoke?', answer: false },
    { question: 'Has anyone been in hospital in the last two years?', answer: true },
  ],
}

export type Demo = Awaited<ReturnType<typeof loadDemo>>

/**
 * Fills a new platform of the running server with a family, over HTTP like a partner: sponsor, benefit, policies,
 * accounts, a consultation and a wallet. Returns every id, secret and URL that it made. Throws a `DemoError` when the
 * server cannot be used.
 */
export async function loadDemo({ origin, sandboxUrl, ownerToken, report }: DemoSettings) {
  const baseUrl = `${origin}/v1`
  const walletUrl = `${origin}/wallet/v1`
  const send = senderTo(baseUrl)
  const as = (token: string) => (method: string, path: string, body?: object) => send(method, path, { token, body })

  report(`Creating a family at ${baseUrl} …`)
  const companies = await makeCompanies({ send, owner: as(ownerToken), report })
  const platform = as(companies.platform.access_token)
  const provider = as(companies.benefit_provider.access_token)
  const phone = newPhone()
  const family = await makeFamily({ platform, report }, phone)
  const { user_id: userId } = family.user
  const user = as(family.user.access_token)
  const enrolled = { userId, dependantIds: family.dependant_ids, benefitId: companies.benefit_id }
  const policies = await makePolicies({ platform, provider, report }, enrolled)
  const accountIds = await openAccounts({ user, report }, userId)
  const providerId = companies.benefit_provider.id
  const consultation = await consult({ user, provider, report }, { userId, providerId })
  const credit = (body: object) => {
    const headers = { 'idempotency-key': `demo-${userId}` }
    return send('POST', `/users/${userId}/wallet/credits`, { token: companies.platform.access_token, headers, body })
  }
  const walletContext = { walletUrl, sandboxUrl, credit, report }
  const wallet = await openWallet(walletContext, { platformId: companies.platform.id, phone })
  return {
    urls: { api: baseUrl, wallet: walletUrl, docs: `${origin}/docs`, sandbox: sandboxUrl },
    valid_for: {
      basic_token: 'until it is revoked',
      access_token: '60 minutes; 10 for the wallet',
      refresh_token: 'until it is used or the wallet is not used for 30 days',
      owner_token: '15 minutes',
    },
    owner_token: ownerToken,
    ...companies,
    ...family,
    insurance_policy_ids: policies,
    account_ids: accountIds,
    consultation_id: consultation,
    wallet,
  }
}

/** What a person reads and copies. */
export function textOf(demo: Demo): string {
  const { urls, platform, benefit_provider: provider, user, insurance_policy_ids: policies, wallet } = demo
  const person = `${urls.api}/users/${user.user_id}`
  return [
    '',
    `platform_id           ${platform.id}`,
    `benefit_provider_id   ${provider.id}`,
    `sponsor_id            ${demo.sponsor_id}`,
    `benefit_id            ${demo.benefit_id}`,
    `user_id               ${user.user_id}`,
    `dependant_ids         ${demo.dependant_ids.join(' ')}`,
    `insurance_policy_ids  ${policies.issued} (ISSUED) ${policies.pending} (PENDING)`,
    `account_ids           ${demo.account_ids.join(' ')}`,
    `consultation_id       ${demo.consultation_id}`,
    `partner_wallet_id     ${wallet.partner_wallet_id} (${wallet.balance} paise)`,
    '',
    'Credentials, until they are revoked:',
    '',
    `PLATFORM_BASIC_TOKEN=${platform.basic_token}`,
    `INSURER_BASIC_TOKEN=${provider.basic_token}`,
    '',
    'Tokens, valid for 60 minutes (owner 15, wallet 10):',
    '',
    `PLATFORM_TOKEN=${platform.access_token}`,
    `INSURER_TOKEN=${provider.access_token}`,
    `USER_TOKEN=${user.access_token}`,
    `OWNER_TOKEN=${demo.owner_token}`,
    `WALLET_TOKEN=${wallet.access_token}`,
    '',
    'Try:',
    '',
    `curl -s '${person}/insurance_policies?status=ISSUED' -H "authorization: Bearer $USER_TOKEN"`,
    `curl -so /tmp/certificate.pdf '${person}/insurance_policies/${policies.issued}/documents/policy_certificate' -H "authorization: Bearer $USER_TOKEN"`,
    `curl -s '${person}/consultations/${demo.consultation_id}/messages' -H "authorization: Bearer $PLATFORM_TOKEN"`,
  ].join('\n')
}

/** A number of its own, because a phone gets one code in half a minute. */
const newPhone = () => ({ phone_country_code: '+91', phone_number: String(randomInt(PHONE_MIN, PHONE_MAX)) })
type Phone = ReturnType<typeof newPhone>

type Response = Record<string, string> & { data: { id: string }[] }
type RequestOptions = { token?: string; headers?: Record<string, string>; body?: object | undefined }
type Send = (method: string, path: string, options?: RequestOptions) => Promise<Response>
type As = (method: string, path: string, body?: object) => Promise<Response>
type Report = (text: string) => void

function senderTo(baseUrl: string): Send {
  return async (method, path, { token, headers, body } = {}) => {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    }).catch((error: unknown) => {
      throw new DemoError(`No server at ${baseUrl}. Start one with \`npm start\` and run this again.`, {
        cause: error,
      })
    })
    const text = await response.text()
    if (response.ok) return JSON.parse(text) as Response
    if (response.status === 401) {
      throw new DemoError(
        `The server at ${baseUrl} rejects this token. Run the demo with the settings of the server (DATA_DIR, PORT, PUBLIC_URL, keys).`,
      )
    }
    throw new DemoError(`${method} ${path} returned ${response.status}: ${text}`)
  }
}

type CompaniesContext = { send: Send; owner: As; report: Report }

async function makeCompanies({ send, owner, report }: CompaniesContext) {
  const credentialOf = async (path: string, id: string) => {
    const { basic_token = '' } = await owner('POST', `${path}/${id}/credentials`)
    const headers = { authorization: `Basic ${basic_token}` }
    const body = { grant_type: 'client_credentials' }
    const { access_token = '' } = await send('POST', '/oauth/token', { headers, body })
    return { id, basic_token, access_token }
  }
  const { id: platformId = '' } = await owner('POST', '/platforms', { name: 'Demo Platform' })
  const platform = await credentialOf('/platforms', platformId)
  report('  platform with a credential')

  const code = `DEMO_INSURER_${randomBytes(CODE_BYTES).toString('hex').toUpperCase()}`
  const { id: providerId = '' } = await owner('POST', '/benefit_providers', { name: 'Demo General Insurance', code })
  const provider = await credentialOf('/benefit_providers', providerId)
  report(`  benefit provider ${code} with a credential`)

  const { id: sponsorId = '' } = await owner('POST', '/sponsors', {
    platform_id: platformId,
    name: 'Demo Textiles',
    pan: 'AAACD1234E',
    address: OFFICE,
    sponsor_details: { sponsor_kind: 'ORGANISATION', email: 'hr@example.com', phone: '+91 80 5550 0100' },
  })
  await owner('PUT', `/sponsors/${sponsorId}/status`, { status: 'ACTIVE' })
  const { id: benefitId = '' } = await owner('POST', '/benefits', {
    name: 'Family health cover',
    benefit_provider_id: providerId,
    sponsor_id: sponsorId,
    plans: PLANS,
  })
  report('  sponsor, ACTIVE, and a benefit with two plans')
  return { platform, benefit_provider: { ...provider, code }, sponsor_id: sponsorId, benefit_id: benefitId }
}

async function makeFamily({ platform, report }: { platform: As; report: Report }, phone: Phone) {
  const { user_id: userId = '' } = await platform('POST', '/auth/token', {
    id_proof: { number: 'DEMO12345' },
    ...phone,
  })
  const { access_token: userToken = '' } = await platform('POST', `/users/${userId}/complete_onboarding`, {
    title: 'MRS',
    first_name: 'आशा',
    last_name: 'उदाहरण',
    dob: '1988-05-17',
    gender: 'FEMALE',
    email: 'asha@example.com',
    address: { ...HOME, raw: '14 झील रोड, पुणे 411001' },
    bank_details: { account_number: '001234567890', ifsc_code: 'HDFC0000001' },
  })
  const { data } = await platform('POST', `/users/${userId}/dependants/bulk`, {
    dependants: [
      { first_name: 'रवि', last_name: 'उदाहरण', date_of_birth: '1986-11-02' },
      { first_name: 'மீனா', last_name: 'Example', date_of_birth: '2014-08-21' },
      { first_name: 'ನಿಧಿ', last_name: 'Example', date_of_birth: '2018-03-09' },
    ],
  })
  report('  user, onboarded, with a spouse and two children')
  return {
    user: { user_id: userId, ...phone, access_token: userToken },
    dependant_ids: data.map(({ id }) => id),
  }
}

type EnrolledFamily = { userId: string; dependantIds: string[]; benefitId: string }

async function makePolicies(
  { platform, provider, report }: { platform: As; provider: As; report: Report },
  { userId, dependantIds, benefitId }: EnrolledFamily,
) {
  const path = `/users/${userId}/insurance_policies`
  const [spouse] = dependantIds
  const enrolment = {
    benefit_id: benefitId,
    start_date: firstOfThisMonth(),
    nominee_details: { nominee_type: 'DEPENDANT', dependant_id: spouse },
    questionnaire: QUESTIONNAIRE,
  }
  const { id: issued = '' } = await platform('POST', path, {
    ...enrolment,
    plan_code: 'FAMILY_5L',
    dependant_ids: dependantIds,
  })
  await provider('PUT', `${path}/${issued}/status`, { status: 'VERIFICATION' })
  await provider('PUT', `${path}/${issued}/status`, { status: 'APPROVED' })
  await provider('PUT', `${path}/${issued}/status`, {
    status: 'ISSUED',
    external_policy_id: 'DEMO-2026-000123',
    master_policy_number: 'DEMO-MASTER-77',
    provider_metadata: { branch: 'Pune' },
  })
  const { id: pending = '' } = await platform('POST', path, {
    ...enrolment,
    plan_code: 'TOP_UP_10L',
    dependant_ids: [spouse],
  })
  report('  two policies: one ISSUED, one PENDING')
  return { issued, pending }
}

const firstOfThisMonth = () => `${new Date().toISOString().slice(0, 7)}-01`

/** Onboarding has requested the savings account; requests the HSA too. A job of the worker opens both. */
async function openAccounts({ user, report }: { user: As; report: Report }, userId: string): Promise<string[]> {
  const path = `/users/${userId}/accounts`
  await user('POST', path, { account_type: 'HSA' })
  const deadline = performance.now() + JOBS_TIMEOUT_MS
  for (let seen = -1; ; await sleep(POLL_MS)) {
    const { data } = await user('GET', `${path}?status=ACTIVE`)
    if (data.length !== seen) report(`  accounts: ${data.length} of 2 ACTIVE`)
    seen = data.length
    if (seen === 2) return data.map(({ id }) => id)
    if (performance.now() > deadline) {
      throw new DemoError(
        `The accounts are not ACTIVE after ${JOBS_TIMEOUT_MS / 1000} s. Does a worker run (\`start\` or \`work\`), and does the account provider at ACCOUNT_PROVIDER_URL respond?`,
      )
    }
  }
}

async function consult(
  { user, provider, report }: { user: As; provider: As; report: Report },
  { userId, providerId }: { userId: string; providerId: string },
): Promise<string> {
  const path = `/users/${userId}/consultations`
  const { id = '' } = await user('POST', path, { benefit_provider_id: providerId })
  const say = (who: As, content: string) =>
    who('POST', `${path}/${id}/messages`, { body: { content, message_type: 'TEXT' } })
  await say(user, 'नमस्ते, बेटी को सोमवार से बुखार है।')
  await say(provider, 'How high is the fever, and does she drink enough?')
  await say(user, '38.5 °C, and she drinks well.')
  await say(provider, 'Let her rest for two days and measure twice a day.\nWrite again if it goes above 39 °C.')
  report('  consultation with four messages')
  return id
}

type Credit = (body: object) => Promise<unknown>
type WalletContext = { walletUrl: string; sandboxUrl: string; credit: Credit; report: Report }

/** Signs in with the code that the sandbox shows, creates the wallet, and credits it once a job has provisioned it. */
async function openWallet(
  { walletUrl, sandboxUrl, credit, report }: WalletContext,
  { platformId, phone }: { platformId: string; phone: Phone },
) {
  const send = senderTo(walletUrl)
  const challenge = await send('POST', '/auth/otp', { body: { platform_id: platformId, ...phone } })
  const { challenge_id } = challenge
  const to = encodeURIComponent(phone.phone_country_code + phone.phone_number)
  type Messages = { messages: { text: string }[] }
  const otp = await untilFound('The one-time code did not arrive', async () => {
    const { messages } = (await senderTo(sandboxUrl)('GET', `/sms/messages?to=${to}`)) as unknown as Messages
    return /^\d{6}/.exec(messages.at(-1)?.text ?? '')?.[0]
  })
  const session = await send('POST', '/auth/otp/verify', { body: { challenge_id, otp } })
  const { access_token: token = '', refresh_token = '' } = session
  const { partner_wallet_id = '' } = await send('POST', '/wallet', { token })
  await untilFound('The wallet was not provisioned', async () => {
    const { wallet_status } = await send('GET', `/wallet/${partner_wallet_id}/status`, { token })
    return wallet_status === 'COMPLETED' || undefined
  })
  await credit({ amount: CREDIT_PAISE, reference: 'demo-allowance' })
  report('  wallet with a credit')
  return { partner_wallet_id, balance: CREDIT_PAISE, access_token: token, refresh_token }
}

/** Asks until there is a value. Throws a `DemoError` when a worker that runs would have made one. */
async function untilFound<Value>(complaint: string, ask: () => Promise<Value | undefined>): Promise<Value> {
  for (const deadline = performance.now() + JOBS_TIMEOUT_MS; performance.now() < deadline; await sleep(POLL_MS)) {
    const value = await ask()
    if (value !== undefined) return value
  }
  throw new DemoError(`${complaint} within ${JOBS_TIMEOUT_MS / 1000} s. Does a worker run (\`start\` or \`work\`)?`)
}
