import { call } from './ask.ts'
import type { Stage } from './stage.ts'

const money = (value: number) => ({ currency: 'INR', value })

export const PLAN = {
  plan_code: 'FAMILY_5L',
  term_months: 12,
  renewal_window_days: 30,
  grace_days: 30,
  premium_amounts: { annual: money(12_045), daily: money(33), sponsor_contribution: money(6_022.5) },
}

const BENEFITS = ['Family health cover', 'Personal accident cover', 'Family dental and vision cover']

const SPONSOR = {
  name: 'Banyan Textiles',
  pan: 'AAACB1234C',
  address: { line1: '12 MG Road', city: 'Bengaluru', state: 'Karnataka', country: 'India', pincode: '560001' },
  sponsor_details: { sponsor_kind: 'ORGANISATION', email: 'hr@example.com' },
}

export type Catalogue = {
  platformId: string
  /** The platform's credential, to exchange for tokens. */
  platformBasic: string
  platformToken: string
  benefitProviderId: string
  benefitIds: string[]
}

/** Creates a platform with its token, a benefit provider and three benefits, through the product itself. */
export async function makeCatalogue({
  administrator,
  productUrl,
}: Pick<Stage, 'administrator' | 'productUrl'>): Promise<Catalogue> {
  const authorization = await administrator('owner')
  const make = <T = { id: string }>(path: string, body?: object) =>
    call<T>(productUrl, { path: `/v1${path}`, authorization, ...(body && { body }) })

  const platform = await make('/platforms', { name: 'Acme Benefits' })
  const { basic_token: platformBasic } = await make<{ basic_token: string }>(`/platforms/${platform.id}/credentials`)
  const provider = await make('/benefit_providers', { name: 'Suraksha General', code: 'SURAKSHA_GENERAL' })
  const sponsor = await make('/sponsors', { ...SPONSOR, platform_id: platform.id })
  const isActive = { path: `/v1/sponsors/${sponsor.id}/status`, body: { status: 'ACTIVE' } }
  await call(productUrl, { method: 'PUT', authorization, ...isActive })
  const benefitIds: string[] = []
  for (const name of BENEFITS) {
    const body = { name, benefit_provider_id: provider.id, sponsor_id: sponsor.id, plans: [PLAN] }
    benefitIds.push((await make('/benefits', body)).id)
  }
  const platformToken = await exchange(productUrl, platformBasic)
  return { platformId: platform.id, platformBasic, platformToken, benefitProviderId: provider.id, benefitIds }
}

/** Exchanges a credential for an access token. */
export async function exchange(productUrl: string, basicToken: string): Promise<string> {
  const { access_token } = await call<{ access_token: string }>(productUrl, {
    path: '/v1/oauth/token',
    authorization: `Basic ${basicToken}`,
    body: { grant_type: 'client_credentials' },
  })
  return access_token
}
