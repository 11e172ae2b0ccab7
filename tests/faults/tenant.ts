import type { Body } from '../support/app.ts'
import { repeatUntilDone } from './persist.ts'
import type { Random } from './random.ts'
import type { Target } from './stage.ts'
import { sponsorEvents } from './stored.ts'
import type { ClientRequest, Traffic } from './traffic.ts'

/** A token lives for 60 minutes. */
const TOKEN_MS = 40 * 60_000

const money = (value: number) => ({ currency: 'INR', value })
const premium_amounts = { annual: money(12_045), daily: money(33), sponsor_contribution: money(6_022.5) }
const ADDRESS = { line1: '12 MG Road', city: 'Bengaluru', state: 'Karnataka', country: 'India', pincode: '560001' }

/** Enough that a user is enrolled several times and never twice in one of them. */
export const PLANS = ['PLAN_A', 'PLAN_B', 'PLAN_C', 'PLAN_D', 'PLAN_E', 'PLAN_F']

/** A platform with what it needs, created before anything is broken. */
export type Tenant = {
  platformId: string
  providerId: string
  benefitId: string
  /** Their tokens, renewed before they expire. */
  platform(): Promise<string>
  provider(): Promise<string>
  newSponsor(name: string): Promise<Sponsor>
  sponsors: Sponsor[]
  /** Whether this version supports `Idempotency-Key` on the operation. */
  takesKey(method: string, path: string): boolean
}

/** `eventsBefore`: the number of its change events before anyone changed it. */
type Sponsor = { id: string; eventsBefore: number }

export async function prepareTenant(
  stage: Target,
  { traffic, random }: { traffic: Traffic; random: Random },
): Promise<Tenant> {
  const ask = async (
    method: ClientRequest['method'],
    path: string,
    rest: Omit<ClientRequest, 'method' | 'path' | 'group'>,
  ) => (await repeatUntilDone({ traffic, random }, { group: 'check', method, path, ...rest })).body
  const token = await stage.command('token', '--role', 'owner')
  const make = (path: string, body?: object) => ask('POST', path, { token, ...(body && { body }) })

  /** The tokens of a platform or benefit provider, from a credential of its own. */
  const tokensOf = async (owner: string) => {
    const { basic_token } = await make(`${owner}/credentials`)
    const headers = { authorization: `Basic ${basic_token}` }
    const body = { grant_type: 'client_credentials' }
    let got: Promise<Body> | undefined
    let gotAt = 0
    return async (): Promise<string> => {
      if (!got || performance.now() - gotAt > TOKEN_MS) {
        gotAt = performance.now()
        got = ask('POST', '/v1/oauth/token', { headers, body })
      }
      return (await got).access_token
    }
  }

  const { id: platformId } = await make('/v1/platforms', { name: 'Platform under load' })
  const code = `INSURER_${random.word().toUpperCase()}`
  const { id: providerId } = await make('/v1/benefit_providers', { name: 'Insurer under load', code })
  const platform = await tokensOf(`/v1/platforms/${platformId}`)
  const provider = await tokensOf(`/v1/benefit_providers/${providerId}`)

  const sponsors: Sponsor[] = []
  const newSponsor = async (name: string): Promise<Sponsor> => {
    const sponsor_details = { sponsor_kind: 'ORGANISATION', email: 'hr@example.com' }
    const body = { name, pan: 'AAACB1234C', address: ADDRESS, sponsor_details }
    const { id } = await ask('POST', '/v1/sponsors', { token: await platform(), body })
    const sponsor = { id, eventsBefore: await sponsorEvents(stage.databaseUrl, id) }
    sponsors.push(sponsor)
    return sponsor
  }
  const { id: sponsor_id } = await newSponsor('Sponsor of the benefit')
  await ask('PUT', `/v1/sponsors/${sponsor_id}/status`, { token, body: { status: 'ACTIVE' } })
  const plans = PLANS.map((plan_code) => ({ plan_code, term_months: 12, premium_amounts }))
  const benefit = { name: 'Family health cover', benefit_provider_id: providerId, sponsor_id, plans }
  const { id: benefitId } = await make('/v1/benefits', benefit)
  const takesKey = keyedOperations(await ask('GET', '/openapi.json', {}))
  return { platformId, providerId, benefitId, platform, provider, newSponsor, sponsors, takesKey }
}

type Document = { paths: Record<string, Record<string, { parameters?: object[] }>> }

/** Read from the document that the program itself serves. */
function keyedOperations({ paths }: Document): Tenant['takesKey'] {
  const keyed = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { parameters }]) => /idempotency-?key/i.test(JSON.stringify(parameters ?? [])))
      .map(([method]) => ({ method, pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`) })),
  )
  return (method, path) => keyed.some((one) => one.method === method.toLowerCase() && one.pattern.test(path))
}
