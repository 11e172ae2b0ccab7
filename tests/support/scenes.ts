import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import type { Tokens } from '../../src/access/tokens.ts'
import type { Deps } from '../../src/record/index.ts'
import { provisionWallet } from '../../src/domains/money/wallets/provision-wallet.ts'
import type { Body, Call, CallFunction } from './call.ts'
import type { Installation } from './installation.ts'

export type TestPlatform = { id: string; token: string; credentialId: string; basicToken: string }
export type TestProvider = TestPlatform & { code: string }
export type TestUser = { id: string; token: string; phone: string }

export const ADDRESS = {
  line1: '12 MG Road',
  city: 'Bengaluru',
  state: 'Karnataka',
  country: 'India',
  pincode: '560001',
}

export const ONBOARDING = {
  title: 'MS',
  first_name: 'Asha',
  last_name: 'Example',
  dob: '1990-05-17',
  gender: 'FEMALE',
  email: 'asha@example.com',
  address: 'Flat 4, Lake View, Pune 411001',
  bank_details: { account_number: '001234567890', ifsc_code: 'HDFC0000001' },
}

const money = (value: number) => ({ currency: 'INR', value })

export const PLAN = {
  plan_code: 'FAMILY_5L',
  term_months: 12,
  premium_amounts: { annual: money(12_045), daily: money(33), sponsor_contribution: money(6_022.5) },
}

/** The tokens of an offer are used for as long, by the installation's clock. */
const MOMENT_MS = 60_000

/** A benefit of a provider, for the users of a platform. */
export type Offer = { platform: TestPlatform; provider: TestProvider; benefit: string }

/**
 * The steps that lead to a scene, each through the API itself. Everything but an offer is new each time, so tests do not affect
 * each other.
 */
export async function scenes(call: CallFunction, { deps: { clock, tokens }, calendar }: Installation) {
  const offers = new Map<string, { at_ms: number; offer: Promise<Offer> }>()
  const owner = () => tokens.issueToAdministrator({ role: 'owner', subject: 'test-scenes' }).token

  async function made(method: string, url: string, options: Call): Promise<Body> {
    const response = await call(method, url, options)
    assert(response.status < 300, `${method} ${url} returned ${response.status}: ${response.text}`)
    return response.body
  }

  async function tokenFor(basicToken: string): Promise<string> {
    const body = { grant_type: 'client_credentials' }
    return (await made('POST', '/v1/oauth/token', { headers: { authorization: `Basic ${basicToken}` }, body }))
      .access_token
  }

  async function credentialFor(path: string) {
    const { basic_token: basicToken, credential_id: credentialId } = await made('POST', `${path}/credentials`, {
      token: owner(),
    })
    return { token: await tokenFor(basicToken), credentialId: credentialId as string, basicToken: basicToken as string }
  }

  async function platform(input: object = {}): Promise<TestPlatform> {
    const { id } = await made('POST', '/v1/platforms', { token: owner(), body: { name: 'Acme Benefits', ...input } })
    return { id, ...(await credentialFor(`/v1/platforms/${id}`)) }
  }

  async function provider(): Promise<TestProvider> {
    const code = `PROVIDER_${randomInt(1e9)}`
    const { id } = await made('POST', '/v1/benefit_providers', {
      token: owner(),
      body: { name: 'Suraksha General', code },
    })
    return { id, code, ...(await credentialFor(`/v1/benefit_providers/${id}`)) }
  }

  async function user(of: TestPlatform, input: object = {}): Promise<TestUser> {
    const phone = String(randomInt(1e9, 1e10))
    const body = { phone_country_code: '+91', phone_number: phone, ...input }
    const { user_id: id, access_token: token } = await made('POST', '/v1/auth/token', { token: of.token, body })
    return { id, token, phone }
  }

  async function onboardedUser(of: TestPlatform): Promise<TestUser> {
    const made_ = await user(of)
    await made('POST', `/v1/users/${made_.id}/complete_onboarding`, { token: of.token, body: ONBOARDING })
    return made_
  }

  async function dependants(of: TestUser, names = ['Ravi']): Promise<string[]> {
    const list = names.map((first_name) => ({ first_name, last_name: 'Example', date_of_birth: '2015-08-02' }))
    const { data } = await made('POST', `/v1/users/${of.id}/dependants/bulk`, {
      token: of.token,
      body: { dependants: list },
    })
    return data.map((dependant: { id: string }) => dependant.id)
  }

  async function sponsor(of: TestPlatform): Promise<string> {
    const body = {
      name: 'Banyan Textiles',
      pan: 'AAACB1234C',
      address: ADDRESS,
      sponsor_details: { sponsor_kind: 'ORGANISATION', email: 'hr@example.com' },
    }
    const { id } = await made('POST', '/v1/sponsors', { token: of.token, body })
    await made('PUT', `/v1/sponsors/${id}/status`, { token: owner(), body: { status: 'ACTIVE' } })
    return id
  }

  async function benefit(of: TestPlatform, from: TestProvider, plans: object[] = [PLAN]): Promise<string> {
    const body = { name: 'Family health cover', benefit_provider_id: from.id, sponsor_id: await sponsor(of), plans }
    return (await made('POST', '/v1/benefits', { token: owner(), body })).id
  }

  /**
   * One for all tests of the file that ask for these plans, which is eight requests less for a test that only adds users. A test that
   * changes or counts what is here has its own.
   */
  function offer(plans: object[] = [PLAN]): Promise<Offer> {
    const [asked, at_ms] = [JSON.stringify(plans), clock.now().getTime()]
    const found = offers.get(asked)
    if (found && Math.abs(found.at_ms - at_ms) < MOMENT_MS) return found.offer
    const made_ = found ? found.offer.then(withNewTokens) : makeOffer(plans)
    offers.set(asked, { at_ms, offer: made_ })
    return made_
  }

  async function makeOffer(plans: object[] = [PLAN]): Promise<Offer> {
    const [of, from] = [await platform(), await provider()]
    return { platform: of, provider: from, benefit: await benefit(of, from, plans) }
  }

  const withNewTokens = async ({ platform: of, provider: from, benefit: id }: Offer): Promise<Offer> => ({
    platform: { ...of, token: await tokenFor(of.basicToken) },
    provider: { ...from, token: await tokenFor(from.basicToken) },
    benefit: id,
  })

  /** Enrols on the first day of the term, so that it may be long ago or far ahead. */
  async function policy(of: TestPlatform, holder: TestUser, benefitId: string, input: object = {}): Promise<string> {
    const body = {
      benefit_id: benefitId,
      plan_code: PLAN.plan_code,
      start_date: '2026-04-01',
      dependant_ids: [],
      ...input,
    }
    const enrol = () => made('POST', `/v1/users/${holder.id}/insurance_policies`, { token: of.token, body })
    return (await calendar.on(body.start_date, enrol)).id
  }

  async function consultation(of: TestPlatform, holder: TestUser, from: TestProvider): Promise<string> {
    const body = { benefit_provider_id: from.id }
    return (await made('POST', `/v1/users/${holder.id}/consultations`, { token: of.token, body })).id
  }

  return {
    made,
    platform,
    provider,
    user,
    onboardedUser,
    dependants,
    sponsor,
    benefit,
    offer,
    makeOffer,
    policy,
    consultation,
  }
}

type WalletSceneContext = { call: CallFunction; deps: Deps; walletTokens: Tokens }
export type TestWallet = { id: string; userId: string; token: string }

/** Wallets without sign-in and provisioning, which have tests of their own. */
export function walletScenes({ call, deps, walletTokens }: WalletSceneContext) {
  /** Returns a wallet access token as the OTP sign-in does. */
  async function walletToken(of: { id: string }, holder: { id: string }): Promise<string> {
    const user = { userId: holder.id, platformId: of.id, epoch: 1, sessionId: 'ses_test' }
    return walletTokens.issueToWalletUser(user).token
  }

  /** Creates a provisioned wallet in the given status. */
  type Status = 'ACTIVE' | 'BLOCKED'
  async function wallet(of: { id: string }, holder: { id: string }, status: Status = 'ACTIVE'): Promise<TestWallet> {
    const token = await walletToken(of, holder)
    const made = await call('POST', '/wallet/v1/wallet', { token })
    assert.equal(made.status, 201, made.text)
    const operator = {
      createWallet: async () => ({ outcome: 'held' as const, wallet: { status, sequence: 1 } }),
      findWallet: async () => undefined,
      isCircuitOpen: () => false,
      isHalfOpen: () => false,
    }
    await provisionWallet({ ...deps, operator, callbackUrl: 'http://operator.test' }, holder.id)
    return { id: made.body.partner_wallet_id, userId: holder.id, token }
  }

  return { walletToken, wallet }
}
