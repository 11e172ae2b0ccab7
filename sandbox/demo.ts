import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

type DemoSettings = { baseUrl: string; administratorToken: string; print: (text: string) => void }

const REQUEST_TIMEOUT_MS = 15_000
const ACCOUNTS_TIMEOUT_MS = 60_000
const POLL_MS = 500
const CODE_BYTES = 4

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

/**
 * Fills a new platform of the running server with a family, over HTTP like a partner: sponsor, benefit, policies,
 * accounts and a consultation. Throws a `DemoError` when the server cannot be used.
 */
export async function loadDemo({ baseUrl, administratorToken, print }: DemoSettings): Promise<void> {
  const send = senderTo(baseUrl)
  const as = (token: string) => (method: string, path: string, body?: object) => send(method, path, { token, body })

  print(`Creating a family at ${baseUrl} …`)
  const companies = await makeCompanies({ send, admin: as(administratorToken), print })
  const platform = as(companies.platformToken)
  const provider = as(companies.providerToken)
  const family = await makeFamily({ platform, print })
  const user = as(family.userToken)
  const policies = await makePolicies({ platform, provider, print }, { ...companies, ...family })
  const accounts = await openAccounts({ user, print }, family.userId)
  const consultation = await consult({ user, provider, print }, { ...companies, ...family })

  print(
    [
      '',
      `platform_id           ${companies.platformId}`,
      `benefit_provider_id   ${companies.providerId}`,
      `sponsor_id            ${companies.sponsorId}`,
      `benefit_id            ${companies.benefitId}`,
      `user_id               ${family.userId}`,
      `dependant_ids         ${family.dependantIds.join(' ')}`,
      `insurance_policy_ids  ${policies.issued} (ISSUED) ${policies.pending} (PENDING)`,
      `account_ids           ${accounts.join(' ')}`,
      `consultation_id       ${consultation}`,
      '',
      'Tokens, valid for 60 minutes:',
      '',
      `PLATFORM_TOKEN=${companies.platformToken}`,
      `USER_TOKEN=${family.userToken}`,
      '',
      'Try:',
      '',
      `curl -s '${baseUrl}/users/${family.userId}/insurance_policies?status=ISSUED' -H "authorization: Bearer $USER_TOKEN"`,
      `curl -so /tmp/certificate.pdf '${baseUrl}/users/${family.userId}/insurance_policies/${policies.issued}/documents/policy_certificate' -H "authorization: Bearer $USER_TOKEN"`,
      `curl -s '${baseUrl}/users/${family.userId}/consultations/${consultation}/messages' -H "authorization: Bearer $PLATFORM_TOKEN"`,
    ].join('\n'),
  )
}

type Response = Record<string, string> & { data: { id: string }[] }
type RequestOptions = { token?: string; headers?: Record<string, string>; body?: object | undefined }
type Send = (method: string, path: string, options: RequestOptions) => Promise<Response>
type As = (method: string, path: string, body?: object) => Promise<Response>
type Print = (text: string) => void

function senderTo(baseUrl: string): Send {
  return async (method, path, { token, headers, body }) => {
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

type CompaniesContext = { send: Send; admin: As; print: Print }

async function makeCompanies({ send, admin, print }: CompaniesContext) {
  const tokenOf = async (owner: string) => {
    const { basic_token } = await admin('POST', `${owner}/credentials`)
    const headers = { authorization: `Basic ${basic_token}` }
    return (await send('POST', '/oauth/token', { headers, body: { grant_type: 'client_credentials' } }))[
      'access_token'
    ] as string
  }
  const { id: platformId = '' } = await admin('POST', '/platforms', { name: 'Demo Platform' })
  const platformToken = await tokenOf(`/platforms/${platformId}`)
  print('  platform with a credential')

  const code = `DEMO_INSURER_${randomBytes(CODE_BYTES).toString('hex').toUpperCase()}`
  const { id: providerId = '' } = await admin('POST', '/benefit_providers', { name: 'Demo General Insurance', code })
  const providerToken = await tokenOf(`/benefit_providers/${providerId}`)
  print(`  benefit provider ${code} with a credential`)

  const { id: sponsorId = '' } = await admin('POST', '/sponsors', {
    platform_id: platformId,
    name: 'Demo Textiles',
    pan: 'AAACD1234E',
    address: OFFICE,
    sponsor_details: { sponsor_kind: 'ORGANISATION', email: 'hr@example.com', phone: '+91 80 5550 0100' },
  })
  await admin('PUT', `/sponsors/${sponsorId}/status`, { status: 'ACTIVE' })
  const { id: benefitId = '' } = await admin('POST', '/benefits', {
    name: 'Family health cover',
    benefit_provider_id: providerId,
    sponsor_id: sponsorId,
    plans: PLANS,
  })
  print('  sponsor, ACTIVE, and a benefit with two plans')
  return { platformId, platformToken, providerId, providerToken, sponsorId, benefitId }
}

async function makeFamily({ platform, print }: { platform: As; print: Print }) {
  const { user_id: userId = '' } = await platform('POST', '/auth/token', {
    id_proof: { number: 'DEMO12345' },
    phone_country_code: '+91',
    phone_number: '9800000000',
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
  print('  user, onboarded, with a spouse and two children')
  return { userId, userToken, dependantIds: data.map(({ id }) => id) }
}

type EnrolledFamily = { userId: string; dependantIds: string[]; benefitId: string }

async function makePolicies(
  { platform, provider, print }: { platform: As; provider: As; print: Print },
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
  print('  two policies: one ISSUED, one PENDING')
  return { issued, pending }
}

const firstOfThisMonth = () => `${new Date().toISOString().slice(0, 7)}-01`

/** Onboarding has requested the savings account; requests the HSA too. A job of the worker opens both. */
async function openAccounts({ user, print }: { user: As; print: Print }, userId: string): Promise<string[]> {
  const path = `/users/${userId}/accounts`
  await user('POST', path, { account_type: 'HSA' })
  const deadline = performance.now() + ACCOUNTS_TIMEOUT_MS
  for (let seen = -1; ; await sleep(POLL_MS)) {
    const { data } = await user('GET', `${path}?status=ACTIVE`)
    if (data.length !== seen) print(`  accounts: ${data.length} of 2 ACTIVE`)
    seen = data.length
    if (seen === 2) return data.map(({ id }) => id)
    if (performance.now() > deadline) {
      throw new DemoError(
        `The accounts are not ACTIVE after ${ACCOUNTS_TIMEOUT_MS / 1000} s. Does a worker run (\`start\` or \`work\`), and does the account provider at ACCOUNT_PROVIDER_URL respond?`,
      )
    }
  }
}

async function consult(
  { user, provider, print }: { user: As; provider: As; print: Print },
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
  print('  consultation with four messages')
  return id
}
