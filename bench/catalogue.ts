import type { Config } from '../src/config.ts'
import { mainTokens } from '../src/run.ts'
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

export type Catalogue = { platformId: string; platformToken: string; benefitProviderId: string; benefitIds: string[] }

/** One platform with its token, one benefit provider and three benefits, made through the product itself. */
export async function makeCatalogue({ config, productUrl }: Stage): Promise<Catalogue> {
  const authorization = ownerAuthorization(config)
  const make = <T = { id: string }>(path: string, body?: object) =>
    call<T>(productUrl, { path: `/v1${path}`, authorization, ...(body && { body }) })

  const platform = await make('/platforms', { name: 'Acme Benefits' })
  const credential = await make<{ basic_token: string }>(`/platforms/${platform.id}/credentials`)
  const { access_token: platformToken } = await call<{ access_token: string }>(productUrl, {
    path: '/v1/oauth/token',
    authorization: `Basic ${credential.basic_token}`,
    body: { grant_type: 'client_credentials' },
  })
  const provider = await make('/benefit_providers', { name: 'Suraksha General', code: 'SURAKSHA_GENERAL' })
  const sponsor = await make('/sponsors', { ...SPONSOR, platform_id: platform.id })
  const isActive = { path: `/v1/sponsors/${sponsor.id}/status`, body: { status: 'ACTIVE' } }
  await call(productUrl, { method: 'PUT', authorization, ...isActive })
  const benefitIds: string[] = []
  for (const name of BENEFITS) {
    const body = { name, benefit_provider_id: provider.id, sponsor_id: sponsor.id, plans: [PLAN] }
    benefitIds.push((await make('/benefits', body)).id)
  }
  return { platformId: platform.id, platformToken, benefitProviderId: provider.id, benefitIds }
}

export const ownerAuthorization = (config: Config): string =>
  `Bearer ${mainTokens(config).issueToAdministrator({ role: 'owner', subject: 'bench' }).token}`
