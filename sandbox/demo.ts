import { randomBytes, randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  AuthenticationError,
  Banyan,
  BanyanError,
  type BenefitId,
  type BenefitProviderId,
  benefitProviderId,
  ConnectionError,
  type CredentialId,
  dayOf,
  type DependantId,
  Money,
  type PlainDate,
  type PlatformId,
  platformId,
  type UserId,
  WaitError,
} from '../client/src/index.ts'
import { Sandbox } from '../client/src/sandbox.ts'
import { DEMO_ADDRESSES } from './demo-names.ts'

/** The running server and its sandbox. */
export type DemoTarget = {
  origin: string
  sandboxUrl: string
  /** Lives 15 minutes, which is enough for thousands of people. */
  ownerToken: string
  /** The companies that are filled: those of the sandbox's people. */
  partners: { platformId: string; providerId: string }
}

type Report = (text: string) => void
type DemoSettings = DemoTarget & { report: Report }

const CALL_TIMEOUT_MS = 30_000
const JOBS_TIMEOUT_MS = 60_000
const POLL_MS = 500
/** As many as the server keeps of one owner. */
const CREDENTIALS_MAX = 20
const ID_PROOF_BYTES = 4
const CREDIT = Money.rupees('500')
const PHONE_MIN = 9_000_000_000
const PHONE_MAX = 10_000_000_000

/** An error shown without a stack. */
class DemoError extends Error {
  readonly code = 'DEMO'
}

const [HOME, OFFICE] = DEMO_ADDRESSES

export const plan = (plan_code: string, annual: string, share: string) => ({
  plan_code,
  term_months: 12,
  premium_amounts: {
    annual: Money.rupees(annual),
    daily: Money.paise(Math.floor(Money.rupees(annual).paise / 365)),
    sponsor_contribution: Money.rupees(share),
  },
})

const QUESTIONNAIRE = {
  questions: [
    { question: 'Does anyone in the family smoke?', answer: false },
    { question: 'Has anyone been in hospital in the last two years?', answer: true },
  ],
}

export type Demo = Awaited<ReturnType<typeof fillPlatform>>

/**
 * Fills the demo platform of the running server with a new family, as a partner does with the client: sponsor, benefit,
 * policies, accounts, a consultation and a wallet. Returns every id, secret and URL that it made. Throws a `DemoError`
 * when the server cannot be used.
 */
export const loadDemo = (settings: DemoSettings): Promise<Demo> =>
  explainingErrors(settings.origin, () => fillPlatform(settings))

/** Turns what goes wrong between the demo and the server into a `DemoError`, which says what to do. */
export async function explainingErrors<T>(origin: string, work: () => Promise<T>): Promise<T> {
  const api = `${origin}/v1`
  try {
    return await work()
  } catch (error) {
    if (error instanceof ConnectionError)
      throw new DemoError(`No server at ${api}. Start one with \`start\` and run this again.`, { cause: error })
    if (error instanceof AuthenticationError)
      throw new DemoError(
        `The server at ${api} rejects this token. Run the demo with the settings of the server (DATA_DIR, PORT, PUBLIC_URL, keys).`,
      )
    if (error instanceof BanyanError) throw new DemoError(error.message, { cause: error })
    throw error
  }
}

async function fillPlatform({ origin, sandboxUrl, ownerToken, partners, report }: DemoSettings) {
  const baseUrl = `${origin}/v1`
  report(`Creating a family at ${baseUrl} …`)
  const owner = new Banyan({ accessToken: ownerToken, baseUrl, timeout: CALL_TIMEOUT_MS, maxRetries: 1 })
  const companies = await makeCompanies(owner, partners, report)
  const platform = owner.as({ basicToken: companies.platform.basic_token })
  const phone = newPhone()
  const family = await makeFamily(platform, report, phone)
  const { user_id: userId, access_token: accessToken } = family.user
  const views: Views = {
    platform: platform.user(userId),
    provider: owner.as({ basicToken: companies.benefit_provider.basic_token }).user(userId),
    user: owner.as({ accessToken }).user(userId),
  }
  const policies = await makePolicies(views, report, { ...family, benefit_id: companies.benefit_id })
  const accountIds = await openAccounts(views.user, report)
  const consultation = await consult(views, report, companies.benefit_provider.id)
  const holder = { platformId: companies.platform.id, userId, phone }
  const wallet = await creditWallet({ platform, sandbox: new Sandbox(sandboxUrl) }, report, holder)
  return {
    urls: { api: baseUrl, wallet: `${origin}/wallet/v1`, docs: `${origin}/docs`, sandbox: sandboxUrl },
    valid_for: {
      basic_token: `until it is revoked; demo number ${CREDENTIALS_MAX} after this one revokes it`,
      access_token: '60 minutes; 15 for the wallet',
      refresh_token: 'until it is used or the wallet is not used for 30 days',
      owner_token: '15 minutes',
    },
    owner_token: ownerToken,
    ...companies,
    ...family,
    insurance_policy_ids: policies,
    account_ids: accountIds,
    ...consultation,
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
    `Credentials, until they are revoked; demo number ${CREDENTIALS_MAX} after this one revokes them:`,
    '',
    `PLATFORM_BASIC_TOKEN=${platform.basic_token}`,
    `INSURER_BASIC_TOKEN=${provider.basic_token}`,
    '',
    'Tokens, valid for 60 minutes (owner and wallet 15):',
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
export const newPhone = () => ({ phone_country_code: '+91', phone_number: String(randomInt(PHONE_MIN, PHONE_MAX)) })
type Phone = ReturnType<typeof newPhone>

async function makeCompanies(owner: Banyan, partners: DemoSettings['partners'], report: Report) {
  const withToken = async ({ credential_id, basic_token }: NewCredential) => {
    const { credentials } = owner.as({ basicToken: basic_token })
    const { access_token } = await credentials.exchange({ grant_type: 'client_credentials' })
    return { credential_id, basic_token, access_token }
  }
  const platform = await owner.platforms.read(platformId(partners.platformId))
  const platformToken = await withToken(await newCredential(owner.platforms, platform.id))
  report('  credential of the demo platform')

  const provider = await owner.benefitProviders.read(benefitProviderId(partners.providerId))
  const providerToken = await withToken(await newCredential(owner.benefitProviders, provider.id))
  report(`  credential of the benefit provider ${provider.code}`)

  const sponsor = await makeSponsor(owner, platform.id)
  const benefit = await owner.benefits.create({
    name: 'Family health cover',
    benefit_provider_id: provider.id,
    sponsor_id: sponsor.id,
    plans: [plan('FAMILY_5L', '12045', '6022.50'), plan('TOP_UP_10L', '4380', '0')],
  })
  report('  sponsor, ACTIVE, and a benefit with two plans')
  return {
    platform: { id: platform.id, ...platformToken },
    benefit_provider: { id: provider.id, ...providerToken, code: provider.code },
    sponsor_id: sponsor.id,
    benefit_id: benefit.id,
  }
}

export async function makeSponsor(owner: Banyan, platform_id: PlatformId) {
  const sponsor = await owner.sponsors.create({
    platform_id,
    name: 'Demo Textiles',
    pan: 'AAACD1234E',
    address: OFFICE,
    sponsor_details: { sponsor_kind: 'ORGANISATION', email: 'hr@example.com', phone: '+91 80 5550 0100' },
  })
  await owner.sponsors.setStatus(sponsor.id, { status: 'ACTIVE' })
  return sponsor
}

type NewCredential = { credential_id: CredentialId; basic_token: string }

type Credentials<Id> = {
  listCredentials(owner: Id): Promise<{ credentials: readonly { credential_id: CredentialId }[] }>
  createCredential(owner: Id): Promise<NewCredential>
  revokeCredential(owner: Id, id: CredentialId): Promise<unknown>
}

/** The companies stay from one demo to the next, so the oldest credential makes room. */
export async function newCredential<Id>(of: Credentials<Id>, owner: Id): Promise<NewCredential> {
  const { credentials } = await of.listCredentials(owner)
  const oldest = credentials.length >= CREDENTIALS_MAX ? credentials.at(-1) : undefined
  if (oldest) await of.revokeCredential(owner, oldest.credential_id)
  return of.createCredential(owner)
}

async function makeFamily(platform: Banyan, report: Report, phone: Phone) {
  const { user_id } = await platform.users.issueToken({
    id_proof: { number: `DEMO${randomBytes(ID_PROOF_BYTES).toString('hex').toUpperCase()}` },
    ...phone,
  })
  const { access_token } = await platform.user(user_id).completeOnboarding({
    title: 'MRS',
    first_name: 'आशा',
    last_name: 'उदाहरण',
    dob: '1988-05-17',
    gender: 'FEMALE',
    email: 'asha@example.com',
    address: { ...HOME, raw: '14 झील रोड, पुणे 411001' },
    bank_details: { account_number: '001234567890', ifsc_code: 'HDFC0000001' },
  })
  const { data } = await platform.user(user_id).dependants.create({
    dependants: [
      { first_name: 'रवि', last_name: 'उदाहरण', date_of_birth: '1986-11-02' },
      { first_name: 'मीना', last_name: 'Example', date_of_birth: '2014-08-21' },
      { first_name: 'ನಿಧಿ', last_name: 'Example', date_of_birth: '2018-03-09' },
    ],
  })
  report('  user, onboarded, with a spouse and two children')
  return { user: { user_id, ...phone, access_token }, dependant_ids: data.map(({ id }) => id) }
}

/** The user as each of them may see and change it. */
type Views = Record<'platform' | 'provider' | 'user', ReturnType<Banyan['user']>>

type Family = { dependant_ids: DependantId[]; benefit_id: BenefitId }

async function makePolicies({ platform, provider }: Views, report: Report, { dependant_ids, benefit_id }: Family) {
  const spouses = dependant_ids.slice(0, 1)
  const enrolment = {
    benefit_id,
    start_date: firstOfThisMonth(),
    nominee_details: { nominee_type: 'DEPENDANT', dependant_id: spouses[0] as DependantId },
    questionnaire: QUESTIONNAIRE,
  } as const
  const { id: issued } = await platform.policies.enrol({ ...enrolment, plan_code: 'FAMILY_5L', dependant_ids })
  for (const status of ['VERIFICATION', 'APPROVED'] as const) await provider.policies.setStatus(issued, { status })
  await provider.policies.setStatus(issued, {
    status: 'ISSUED',
    external_policy_id: 'DEMO-2026-000123',
    master_policy_number: 'DEMO-MASTER-77',
    provider_metadata: { branch: 'Pune' },
  })
  const topUp = { ...enrolment, plan_code: 'TOP_UP_10L', dependant_ids: spouses }
  const { id: pending } = await platform.policies.enrol(topUp)
  report('  two policies: one ISSUED, one PENDING')
  return { issued, pending }
}

export const firstOfThisMonth = () => `${dayOf(new Date()).slice(0, 7)}-01` as PlainDate

/** Onboarding has requested the savings account; requests the HSA too. A job of the worker opens both. */
async function openAccounts({ accounts }: Views['user'], report: Report) {
  await accounts.create({ account_type: 'HSA' })
  const deadline = performance.now() + JOBS_TIMEOUT_MS
  for (let seen = -1; ; await sleep(POLL_MS)) {
    const { data } = await accounts.list({ status: ['ACTIVE'] })
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

async function consult({ user, provider }: Views, report: Report, benefit_provider_id: BenefitProviderId) {
  const { id: consultation_id } = await user.consultations.create({ benefit_provider_id })
  const message_ids: string[] = []
  const say = async ({ consultations }: Views['user'], content: string) => {
    const body = { content, message_type: 'TEXT' } as const
    message_ids.push((await consultations.createMessage(consultation_id, { body })).id)
  }
  await say(user, 'नमस्ते, बेटी को सोमवार से बुखार है।')
  await say(provider, 'How high is the fever, and does she drink enough?')
  await say(user, '38.5 °C, and she drinks well.')
  await say(provider, 'Let her rest for two days and measure twice a day.\nWrite again if it goes above 39 °C.')
  report('  consultation with four messages')
  return { consultation_id, message_ids }
}

type Companies = { platform: Banyan; sandbox: Sandbox }
type Holder = { platformId: PlatformId; userId: UserId; phone: Phone }

/** Signs in with the code that the sandbox shows, and creates the wallet, which a job provisions. */
export async function openWallet({ platform, sandbox }: Companies, { platformId, phone }: Omit<Holder, 'userId'>) {
  const challenge = await platform.wallet.signIn({ platform_id: platformId, ...phone })
  const session = await challenge.verify(await sandbox.sms.lastCode(phone.phone_country_code + phone.phone_number))
  const { partner_wallet_id } = await session.create()
  return { session, partner_wallet_id }
}

async function creditWallet(companies: Companies, report: Report, holder: Holder) {
  const { session, partner_wallet_id } = await openWallet(companies, holder)
  await session.waitUntilReady({ timeout: JOBS_TIMEOUT_MS }).catch((error: unknown) => {
    if (!(error instanceof WaitError)) throw error
    throw new DemoError('The wallet was not provisioned. Does a worker run (`start` or `work`)?', { cause: error })
  })
  const { wallet } = companies.platform.user(holder.userId)
  const { balance_after, id: transaction_id } = await wallet.credit(CREDIT, { reference: 'demo-allowance' })
  report('  wallet with a credit')
  const { access_token, refresh_token } = session.tokens
  return { partner_wallet_id, balance: balance_after.paise, transaction_id, access_token, refresh_token }
}
