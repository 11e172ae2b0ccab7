import type { Client } from './client.ts'
import type { Ids, Owner } from './kept.ts'

const ADDRESS = { line1: '12 MG Road', city: 'Bengaluru', state: 'Karnataka', country: 'India', pincode: '560001' }
const money = (value: number) => ({ currency: 'INR', value })
const premium_amounts = { annual: money(12_045), daily: money(33), sponsor_contribution: money(6_022.5) }

/** One for each story, so that nobody is enrolled twice in one plan. */
const plan = (plan_code: string) => ({ plan_code, term_months: 12, premium_amounts })

export type Companies = {
  platforms: (Owner & { token: string; benefitId: string })[]
  providers: (Owner & { token: string; code: string })[]
  revoked: Owner & { tokenUntilThen: string }
}

type Making = { client: Client; owner: string; adminKey: string; stories: readonly string[]; add(ids: Ids): void }

/** Two platforms and two insurers with credentials, and what they have to have: sponsors, benefits, account providers. */
export async function makeCompanies({
  client: { made },
  owner: token,
  adminKey,
  stories,
  add,
}: Making): Promise<Companies> {
  const credentialOf = async (path: string, ids: Ids) => {
    const { basic_token, credential_id } = await made('POST', `${path}/credentials`, { token })
    add({ ...ids, credential_id })
    const headers = { authorization: `Basic ${basic_token}` }
    const { access_token } = await made('POST', '/v1/oauth/token', {
      headers,
      body: { grant_type: 'client_credentials' },
    })
    return { basicToken: basic_token as string, token: access_token as string, credentialId: credential_id as string }
  }

  async function makeProvider(name: string, code: string) {
    const { id } = await made('POST', '/v1/benefit_providers', { token, body: { name, code } })
    const ids = { benefit_provider_id: id }
    add(ids)
    return { id: id as string, code, ...(await credentialOf(`/v1/benefit_providers/${id}`, ids)) }
  }

  async function makePlatform(name: string, providerId: string) {
    const { id } = await made('POST', '/v1/platforms', { token, body: { name } })
    const ids = { platform_id: id }
    add(ids)
    const credential = await credentialOf(`/v1/platforms/${id}`, ids)
    const sponsor = (body: object) => made('POST', '/v1/sponsors', { token: credential.token, body })
    const organisation = await sponsor({
      name: `${name} Textiles`,
      pan: 'AAACB1234C',
      address: { ...ADDRESS, line2: 'पहली मंज़िल' },
      sponsor_details: { sponsor_kind: 'ORGANISATION', email: 'hr@example.com', phone: '+91 80 5550 0100' },
    })
    const individual = await sponsor({
      name: 'आशा उदाहरण',
      pan: 'ABCPE1234F',
      address: ADDRESS,
      sponsor_details: { sponsor_kind: 'INDIVIDUAL', first_name: 'आशा', last_name: 'उदाहरण' },
    })
    for (const { id: sponsor_id } of [organisation, individual]) add({ sponsor_id })
    const status = (sponsor_id: string, body: object) =>
      made('PUT', `/v1/sponsors/${sponsor_id}/status`, { token, body })
    await status(organisation.id, { status: 'ACTIVE', reason: 'Papers seen' })
    await made('PATCH', `/v1/sponsors/${organisation.id}`, {
      token: credential.token,
      body: { name: `${name} & Sons` },
    })
    if (name !== 'Platform One') await status(individual.id, { status: 'INACTIVE', reason: 'No longer pays; निष्क्रिय' })
    const benefit = { name: 'Family health cover', benefit_provider_id: providerId, sponsor_id: organisation.id }
    const { id: benefitId } = await made('POST', '/v1/benefits', {
      token,
      body: { ...benefit, plans: stories.map(plan) },
    })
    const spare = await made('POST', '/v1/benefits', {
      token,
      body: { ...benefit, name: 'Eye care', plans: [plan('EYES')] },
    })
    await made('DELETE', `/v1/benefits/${spare.id}`, { token })
    for (const benefit_id of [benefitId, spare.id]) add({ benefit_id })
    return { id: id as string, ...credential, benefitId: benefitId as string }
  }

  const providers = [await makeProvider('Insurer One', 'INSURER_1'), await makeProvider('Insurer Two', 'INSURER_2')]
  const platforms = [
    await makePlatform('Platform One', providers[0]?.id ?? ''),
    await makePlatform('Platform Two', providers[1]?.id ?? ''),
  ]
  const admin = { headers: { 'admin-api-key': adminKey } }
  const bank = await made('POST', '/v1/account_providers', { ...admin, body: { name: 'Bank of Examples' } })
  await made('PATCH', `/v1/account_providers/${bank.id}`, { ...admin, body: { name: 'Example Bank' } })
  add({ account_provider_id: bank.id })

  const path = `/v1/platforms/${platforms[0]?.id}`
  const spare = await credentialOf(path, { platform_id: platforms[0]?.id ?? '' })
  await made('DELETE', `${path}/credentials/${spare.credentialId}`, { token })
  const revoked = { id: platforms[0]?.id ?? '', basicToken: spare.basicToken, tokenUntilThen: spare.token }
  return { platforms, providers, revoked }
}
