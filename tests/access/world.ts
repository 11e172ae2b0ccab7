import { randomInt, randomUUID } from 'node:crypto'
import {
  ADDRESS,
  ONBOARDING,
  PLAN,
  type TestApp,
  type TestPlatform,
  type TestProvider,
  type TestUser,
} from '../support/app.ts'
import { beginDeskSession, beginSession } from '../support/administrators.ts'
import { ADMIN_KEYS } from '../support/keys.ts'
import { CONSENT, NOTICE } from '../support/consents.ts'
import { PAID, sponsorWithDeposit } from '../support/deposits.ts'
import { CSV, csv } from '../support/imports.ts'
import { smallPdf } from '../support/small-pdf.ts'
import { type Principal, ROLE_TABLE } from './role-table.ts'

const WEBHOOK = { url: 'https://hooks.example.com/banyan', event_types: ['*'] }

/** The ids in paths, by parameter name. */
export type Ids = Record<string, string>

export type World = {
  ids: Ids
  platform: TestPlatform
  provider: TestProvider
  /** A person of the provider, by id. */
  desk: string
  tokens: Record<Principal, string>
  /** For administrators, who have a session. */
  cookies: Partial<Record<Principal, string>>
}

/** A plan for each enrolment of a walk, because those of one plan must not overlap. */
const walkedPlan = (index: number) => `WALKED_${index}`
const WALKED_PLANS = Array.from({ length: 49 }, (_, index) => ({ ...PLAN, plan_code: walkedPlan(index) }))

/**
 * One record of everything: a platform, its provider and user, and all that depends on them. Two worlds never overlap.
 */
export async function prepareWorld(t: TestApp): Promise<World> {
  const [platform, provider] = await Promise.all([t.platform(), t.provider()])
  const user = await t.onboardedUser(platform)
  const [dependant = ''] = await t.dependants(user)
  const benefit = await t.benefit(platform, provider, [PLAN, ...WALKED_PLANS])
  const accounts = await t.made('GET', `/v1/users/${user.id}/accounts`, { token: user.token })
  const wallet = await t.wallet(platform, user)
  const policy = await issuedPolicy(t, { platform, provider, user, benefit })
  const body = { name: 'Example Bank' }
  const [viewer, operator, owner] = [
    await beginSession(t, 'viewer'),
    await beginSession(t, 'operator'),
    await beginSession(t, 'owner'),
  ]
  const desk = await beginDeskSession(t, provider.id)
  const webhook = await t.made('POST', '/v1/webhook_endpoints', { token: platform.token, body: WEBHOOK })
  const ids = {
    platform_id: platform.id,
    benefit_provider_id: provider.id,
    credential_id: `crd_that_never_was_${platform.id}`, // revoking it succeeds and leaves the tokens of this test valid
    user_id: user.id,
    sponsor_id: await sponsorWithDeposit(t, { platform, provider, benefit, policy }),
    benefit_id: benefit,
    dependant_id: dependant,
    insurance_policy_id: policy,
    endorsement_id: await endorsedNominee(t, { platform, provider, user, policy, dependant }),
    document_type: 'policy_certificate',
    state_machine_name: 'insurance_policy',
    member_id: 'self',
    account_id: accounts.data[0].id,
    wallet_id: wallet.id,
    consultation_id: await t.consultation(platform, user, provider),
    administrator_id: viewer.administratorId,
    session_id: `ads_that_never_was_${platform.id}`, // the sessions of this test stay valid
    webhook_endpoint_id: webhook.id,
    ...(await consentsOf(t, { platform, user })),
    import_id: await importOf(t, { platform, user, dependant }),
    comparison_id: await comparisonOf(t, { platform, provider, dependant }),
    delivery_id: (await t.made('POST', `/v1/webhook_endpoints/${webhook.id}/test`, { token: platform.token })).id,
    account_provider_id: (await t.made('POST', '/v1/account_providers', { adminKey: ADMIN_KEYS[0] ?? '', body })).id,
  }
  const tokens = {
    platform: platform.token,
    user: user.token,
    provider: provider.token,
    viewer: viewer.token,
    operator: operator.token,
    owner: owner.token,
    wallet_user: wallet.token,
  }
  const cookies = { viewer: viewer.cookie, operator: operator.cookie, owner: owner.cookie }
  return {
    ids,
    platform,
    provider,
    desk: desk.administratorId,
    tokens: { ...tokens, admin_key: ADMIN_KEYS[0] ?? '' },
    cookies,
  }
}

/** A notice of a version of its own, a consent on it, and a request. */
async function consentsOf(t: TestApp, { platform, user }: Pick<Endorsing, 'platform' | 'user'>) {
  const [version, language] = [randomUUID(), String.fromCharCode(...[0, 1, 2].map(() => 97 + randomInt(26)))]
  await t.made('PUT', `/v1/notices/${version}/${language}`, { token: platform.token, body: NOTICE })
  const address = `/v1/users/${user.id}`
  const given = { ...CONSENT, purpose: 'insurance', notice_version: version, language, proof: 'Screen 4' }
  const consent = await t.made('POST', `${address}/consents`, { token: user.token, body: given })
  const asked = { kind: 'ACCESS', text: 'What do you know of me?' }
  const request = await t.made('POST', `${address}/rights_requests`, { token: user.token, body: asked })
  return { version, language, consent_id: consent.id as string, request_id: request.id as string }
}

/** An import with a row that is done; no worker runs here. */
async function importOf(t: TestApp, { platform, user, dependant }: Pick<Endorsing, 'platform' | 'user' | 'dependant'>) {
  const body = csv('phone_country_code,phone_number', `+91,${user.phone}`)
  const { id } = await t.made('POST', '/v1/imports?kind=users', { token: platform.token, headers: CSV, body })
  await t.sql(
    `insert into import_rows (import_id, row_number, position, outcome, user_id, record_id) values ($1, 2, 0, 'DONE', $2, $3)`,
    [id, user.id, dependant],
  )
  return id
}

/** A comparison of both, which a call makes for one, with a difference. */
async function comparisonOf(t: TestApp, { platform, provider, dependant }: Omit<Endorsing, 'user' | 'policy'>) {
  const headers = CSV
  const body = csv('external_policy_id,first_name,last_name,date_of_birth', 'X,Asha,Example,1990-05-17')
  const url = '/v1/comparisons?kind=members&master_policy_number=MP-77'
  const { id } = await t.made('POST', url, { token: platform.token, headers, body })
  await t.sql('update comparisons set benefit_provider_id = $2 where comparison_id = $1', [id, provider.id])
  await t.sql(
    `insert into comparison_differences (comparison_id, position, difference, person_id) values ($1, 1, 'birth', $2)`,
    [id, dependant],
  )
  return id
}

type Endorsing = { platform: TestPlatform; provider: TestProvider; user: TestUser; policy: string; dependant: string }

/** Nominates the dependant; the benefit provider has accepted that, so the policy is ISSUED again. */
async function endorsedNominee(t: TestApp, { platform, provider, user, policy, dependant }: Endorsing) {
  const nominee_details = { nominee_type: 'DEPENDANT', dependant_id: dependant }
  const url = `/v1/users/${user.id}/insurance_policies/${policy}/nominee`
  await t.made('PUT', url, { token: platform.token, body: { nominee_details } })
  const { data } = await t.made('GET', '/v1/endorsements', { token: provider.token })
  const { id } = data[0]
  await t.made('PUT', `/v1/endorsements/${id}/state`, {
    token: provider.token,
    body: { state: 'ACCEPTED', reason: 'All is well' },
  })
  return id
}

type Enrolling = { platform: TestPlatform; provider: TestProvider; user: TestUser; benefit: string }

async function issuedPolicy(t: TestApp, { platform, provider, user, benefit }: Enrolling): Promise<string> {
  const id = await t.policy(platform, user, benefit)
  const master_policy_number = `MP-${user.id}`
  for (const status of ['VERIFICATION', 'APPROVED', 'ISSUED']) {
    const url = `/v1/users/${user.id}/insurance_policies/${id}/status`
    await t.made('PUT', url, { token: provider.token, body: { status, master_policy_number } })
  }
  return id
}

/**
 * Well-formed ids of missing records. Types of documents and of members are excluded: they are the same for everyone.
 */
export const MISSING: Ids = {
  platform_id: 'plt_missing',
  benefit_provider_id: 'bpr_missing',
  credential_id: 'crd_missing',
  user_id: '999999999999',
  sponsor_id: 'spn_missing',
  benefit_id: 'bnf_missing',
  dependant_id: 'dep_missing',
  insurance_policy_id: 'pol_missing',
  endorsement_id: 'edo_missing',
  account_id: 'acc_missing',
  wallet_id: 'wal_missing',
  consultation_id: 'con_missing',
  account_provider_id: 'apr_missing',
  administrator_id: 'adm_missing',
  session_id: 'ads_missing',
  webhook_endpoint_id: 'whe_missing',
  delivery_id: 'evt_missing',
  state_machine_name: 'missing',
  import_id: 'imp_missing',
  comparison_id: 'cmp_missing',
  version: 'missing',
  language: 'mis',
  consent_id: 'cst_missing',
  request_id: 'rrq_missing',
}

export const malformed = (name: string) => (name === 'user_id' ? '12345' : 'x'.repeat(101))

export const namesIn = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string)

/** It makes what its path names, in the caller's own platform, so that nothing there is missing. */
const MAKES = ['PUT /v1/notices/{version}/{language}']
/** 201 for who has none, 200 for everyone in a world. */
export const MADE_ONCE = ['POST /wallet/v1/wallet', ...MAKES]

/** Whether an operation looks for the record that its path names. */
export const findsRecord = ({ method, path }: { method: string; path: string }): boolean =>
  namesIn(path).length > 0 && !MAKES.includes(`${method} ${path}`)

/** Returns the path with these ids filled in. */
export const addressOf = (path: string, ids: Ids): string =>
  path.replace(/\{(\w+)\}/g, (_, name) => ids[name] as string)

/**
 * A body that every allowed caller may send, by operation; a fresh one where a record can exist only once. Each record
 * is set to its current status.
 */
export function bodiesIn({ ids, desk }: World): Record<string, object | Buffer | (() => object)> {
  const status = (word: string) => ({ status: word })
  let calls = 0
  const another = () => ++calls
  let enrolments = 0
  const { platform_id, benefit_provider_id, sponsor_id, benefit_id, dependant_id } = ids
  const sponsor_details = { sponsor_kind: 'INDIVIDUAL', first_name: 'Asha', last_name: 'Example' }
  const dependants = () => [{ date_of_birth: '2016-01-31', first_name: `Ravi ${another()}`, last_name: 'Example' }]
  const enrolment = { benefit_id, start_date: '2026-04-01', dependant_ids: [] }
  const user = '/v1/users/{user_id}'
  return {
    'POST /v1/auth/token': { phone_country_code: '+91', phone_number: '9800000001' },
    'POST /v1/oauth/token': { grant_type: 'client_credentials' },
    'POST /v1/platforms': { name: 'Another platform' },
    'PUT /v1/platforms/{platform_id}/status': status('ACTIVE'),
    'PUT /v1/platforms/{platform_id}/web_origins': { web_origins: ['https://app.example.com'] },
    'PUT /v1/platforms/{platform_id}/wallet_limits': {
      wallet_limits: [{ from_day: '2999-01-01', balance: 1_000_000 }],
    },
    'PUT /v1/notices/{version}/{language}': NOTICE,
    'PUT /v1/platforms/{platform_id}/consent_rules': {},
    [`POST ${user}/consents`]: {
      ...CONSENT,
      purpose: 'insurance',
      notice_version: ids['version'],
      language: ids['language'],
    },
    [`POST ${user}/rights_requests`]: { kind: 'ACCESS', text: 'What do you know of me?' },
    [`PUT ${user}/rights_requests/{request_id}/state`]: { state: 'RECEIVED' },
    [`PUT ${user}/reference`]: { employee_number: 'EMP-004711' },
    'POST /v1/platforms/{platform_id}/credentials': { ip_allow_list: ['127.0.0.1'] },
    'POST /v1/benefit_providers/{benefit_provider_id}/credentials': { ip_allow_list: ['127.0.0.1'] },
    'POST /v1/benefit_providers': () => ({ name: 'Another provider', code: `ANOTHER_${another()}` }),
    'POST /v1/sponsors': { name: 'Ours', pan: 'AAACB1234C', address: ADDRESS, sponsor_details, platform_id },
    'PATCH /v1/sponsors/{sponsor_id}': { name: 'Renamed' },
    'PUT /v1/sponsors/{sponsor_id}/status': status('ACTIVE'),
    'POST /v1/sponsors/{sponsor_id}/deposits/{benefit_provider_id}/entries': () => ({
      ...PAID,
      reference: randomUUID(),
    }),
    'PUT /v1/sponsors/{sponsor_id}/deposits/{benefit_provider_id}/low_below': { amount: PAID.amount },
    'POST /v1/benefits': { name: 'Cover', benefit_provider_id, sponsor_id, plans: [PLAN] },
    'PATCH /v1/benefit_providers/{benefit_provider_id}': { colour: '#17503d' },
    'PATCH /v1/benefits/{benefit_id}': { name: 'Renamed' },
    'POST /v1/account_providers': { name: 'Another bank' },
    'PATCH /v1/account_providers/{account_provider_id}': { name: 'Renamed' },
    'PUT /v1/account_providers/{account_provider_id}/status': status('active'),
    'POST /v1/auth/logout': { return_to: '/docs' },
    'PUT /v1/administrators/{administrator_id}/status': status('ACTIVE'),
    'POST /v1/wallets/retry': { platform_id },
    'POST /wallet/v1/auth/otp': { platform_id, phone_country_code: '+91', phone_number: '9800000002' },
    'POST /wallet/v1/auth/otp/verify': { challenge_id: 'otp_missing', otp: '123456' },
    'POST /wallet/v1/auth/token/refresh': { refresh_token: 'byn_rt_missing' },
    'POST /wallet/v1/auth/logout': { refresh_token: 'byn_rt_missing' },
    'POST /wallet/v1/operator/events': { event_id: 'evt', reference: 'wal_missing', status: 'ACTIVE', sequence: 1 },
    'POST /v1/imports': () => Buffer.from(csv('phone_country_code,phone_number', `+91,98${randomInt(1e7, 1e8)}`)),
    'POST /v1/comparisons': () =>
      Buffer.from(csv('external_policy_id,first_name,last_name,date_of_birth', 'X,Asha,Example,1990-05-17')),
    'POST /v1/webhook_endpoints': WEBHOOK,
    'PATCH /v1/webhook_endpoints/{webhook_endpoint_id}': { description: 'Ours' },
    'POST /v1/webhook_endpoints/{webhook_endpoint_id}/replay': {
      from: '2026-04-01T00:00:00',
      to: '2026-04-02T00:00:00',
    },
    'POST /v1/users/search': { external_policy_id: 'of nobody' },
    'PUT /v1/endorsements/{endorsement_id}/state': { state: 'ACCEPTED' },
    'POST /v1/endorsements/search': { master_policy_number: `MP-${ids.user_id}` },
    'POST /v1/members/search': { master_policy_number: `MP-${ids.user_id}`, on: '2026-06-01' },
    'POST /v1/insurance_policies/search': { external_policy_id: 'of nobody' },
    [`PATCH ${user}`]: { email: 'asha@example.com' },
    [`POST ${user}/wallet/credits`]: () => ({ amount: 100, reference: `walk-credit-${another()}` }),
    [`POST ${user}/wallet/debits`]: () => ({ amount: 1, reference: `walk-debit-${another()}` }),
    [`POST ${user}/complete_onboarding`]: ONBOARDING,
    [`POST ${user}/dependants/bulk`]: () => ({ dependants: dependants() }),
    [`PATCH ${user}/dependants/{dependant_id}`]: { first_name: 'Ravi' },
    [`POST ${user}/insurance_policies`]: () => ({ ...enrolment, plan_code: walkedPlan(enrolments++) }),
    [`PUT ${user}/insurance_policies/{insurance_policy_id}/status`]: status('ISSUED'),
    [`PUT ${user}/insurance_policies/{insurance_policy_id}/nominee`]: {
      nominee_details: { nominee_type: 'DEPENDANT', dependant_id },
    },
    [`PUT ${user}/insurance_policies/{insurance_policy_id}/members/{dependant_id}`]: { to: null },
    [`PUT ${user}/insurance_policies/{insurance_policy_id}/end`]: { on: '2027-03-31', code: 'LEFT' },
    [`PUT ${user}/insurance_policies/{insurance_policy_id}/assignee`]: { administrator_id: desk },
    [`PUT ${user}/insurance_policies/{insurance_policy_id}/documents/{document_type}`]: smallPdf('Uploaded'),
    [`PUT ${user}/insurance_policies/{insurance_policy_id}/documents/health_card/{member_id}`]: smallPdf('Uploaded'),
    [`POST ${user}/accounts`]: { account_type: 'HSA' },
    [`PUT ${user}/accounts/{account_id}/status`]: status('PENDING'),
    [`POST ${user}/consultations`]: { benefit_provider_id },
    [`PUT ${user}/consultations/{consultation_id}/status`]: status('OPEN'),
    [`POST ${user}/consultations/{consultation_id}/messages`]: { body: { content: 'Hello', message_type: 'TEXT' } },
  }
}

/** What a call needs in its query, by operation. */
export const queriesIn = ({ ids }: World): Record<string, string> => ({
  'GET /v1/exposure': `?credential_id=${ids['credential_id']}`,
  'POST /v1/imports': `?kind=users&platform_id=${ids['platform_id']}`,
  'POST /v1/comparisons': `?kind=members&master_policy_number=MP-${ids['user_id']}`,
})

/** A new record is returned by its id. */
type Need = (caller: Principal) => Promise<Ids | undefined>

/** What an operation needs before each call, because it removes it or because each caller has its own: by operation. */
export function needsIn(t: TestApp, { ids, tokens, platform, provider }: World): Record<string, Need> {
  const documents = '/v1/users/{user_id}/insurance_policies/{insurance_policy_id}/documents'
  const paths = [`${documents}/{document_type}`, `${documents}/health_card/{member_id}`]
  const upload = (path: string) => async () => {
    const headers = { 'content-type': 'application/pdf' }
    await t.made('PUT', addressOf(path, ids), { token: tokens.owner, body: smallPdf('Uploaded'), headers })
    return undefined
  }
  /** A credential that issued no token of this test. */
  const credential = (kind: string, owner: string | undefined) => async () => {
    await t.sql('delete from credentials where credential_id = $1', [ids['credential_id']])
    const columns = 'credential_id, owner_kind, owner_id, slot, secret_hash'
    const values = [ids['credential_id'], kind, owner, 20, Buffer.alloc(32)]
    await t.sql(`insert into credentials (${columns}) values ($1, $2, $3, $4, $5)`, values)
    return undefined
  }
  const user = addressOf('/v1/users/{user_id}', ids)
  const balance = async () => {
    const body = { amount: 1, reference: randomUUID() }
    const headers = { 'idempotency-key': randomUUID() }
    await t.made('POST', `${user}/wallet/credits`, { token: tokens.owner, body, headers })
    return undefined
  }
  const noAccount = async () => {
    const end = `update accounts set status = 'INACTIVE' where user_id = $1 and account_type = 'HSA'`
    await t.sql(end, [ids['user_id']])
    return undefined
  }
  const failedWallet = async () => {
    const holder = await t.user(platform)
    await t.wallet(platform, holder)
    const fail = `update wallets set wallet_status = 'FAILED', wallet_status_partner = 'UNKNOWN' where user_id = $1`
    await t.sql(fail, [holder.id])
    return { user_id: holder.id }
  }
  /** The endpoint belongs to the caller and exists. */
  const endpoint: Need = async (caller) => {
    const kind = { platform: 'platform', provider: 'provider' }[caller as string] ?? 'administrators'
    const owners = {
      platform: ids['platform_id'],
      provider: ids['benefit_provider_id'],
      administrators: 'administrators',
    }
    const values = [ids['webhook_endpoint_id'], kind, owners[kind as keyof typeof owners]]
    const set = 'owner_kind = $2, owner_id = $3, slot = 20, deleted_at = null'
    await t.sql(`update webhook_endpoints set ${set} where endpoint_id = $1`, values)
    return undefined
  }
  const ofEndpoints = ROLE_TABLE.filter(({ path }) => path.includes('{webhook_endpoint_id}'))
  return {
    ...Object.fromEntries(ofEndpoints.map(({ method, path }) => [`${method} ${path}`, endpoint])),
    ...Object.fromEntries(paths.map((path) => [`DELETE ${path}`, upload(path)])),
    'GET /v1/platforms/{platform_id}/credentials/{credential_id}': credential('platform', ids['platform_id']),
    'GET /v1/benefit_providers/{benefit_provider_id}/credentials/{credential_id}': credential(
      'provider',
      ids['benefit_provider_id'],
    ),
    'DELETE /v1/benefits/{benefit_id}': async () => ({ benefit_id: await t.benefit(platform, provider) }),
    'DELETE /v1/users/{user_id}': async () => ({ user_id: (await t.user(platform)).id }),
    'DELETE /v1/users/{user_id}/sessions': async () => ({ user_id: (await t.user(platform)).id }),
    'POST /v1/users/{user_id}/accounts': noAccount,
    'POST /v1/users/{user_id}/wallet/retry': failedWallet,
    'POST /v1/users/{user_id}/wallet/debits': balance,
  }
}
