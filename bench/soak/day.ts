import { randomInt } from 'node:crypto'
import { Agent } from 'node:http'
import { systemClock, todayIn } from '../../src/kernel/clock.ts'
import { ask, call, type Request } from '../ask.ts'
import { exchange, PLAN } from '../catalogue.ts'
import { userInputOf } from '../families.ts'
import type { Tenant } from '../fill.ts'
import { get } from '../get.ts'
import { type Documents, issuePolicies } from '../issue-policies.ts'
import type { BenchContext } from '../part.ts'
import { createWallet, walletStatus } from '../wallet-requests.ts'
import { openWalletSide } from '../wallet-side.ts'

/** Who reads their wallet and gets bookings, with tokens that are used again until they are renewed. */
const HOLDERS = 500
const DOCUMENTED = 20
const RENEW_MS = 5 * 60_000
/** The first number that belongs to no user. */
const UNKNOWN_FROM = 5_000_000
const CHILD = { first_name: 'Kiran', last_name: 'Example', date_of_birth: '2015-08-02' }

/** Of a hundred requests; onboarding and renewals come alongside them. */
const SHARES = { list: 58, token: 29, status: 8, booking: 4, document: 1 } as const

/** The callers of a day: each function makes one of their requests, or one user's onboarding. */
export type Day = { one(): Promise<void>; onboard(): Promise<void>; requests(): number; close(): void }

export async function prepareDay(context: BenchContext): Promise<Day> {
  const { stage, tenant, closers } = context
  const { productUrl } = stage
  const side = await openWalletSide({ tenant, stage, closers })
  const documents = await issuePolicies(context, DOCUMENTED)
  const agent = new Agent({ keepAlive: true })
  let requests = 0
  let renewed_ms = Number.NEGATIVE_INFINITY
  let platform = ''
  let holders: { userId: string; walletId: string; headers: Record<string, string> }[] = []

  async function renew(): Promise<void> {
    renewed_ms = performance.now()
    platform = `Bearer ${await exchange(productUrl, tenant.platformBasic)}`
    holders = tenant.people
      .flatMap(({ userId, walletId }) =>
        walletId === undefined ? [] : [{ userId, walletId, headers: side.headersOf(userId) }],
      )
      .slice(0, HOLDERS)
  }

  const anyOf = <T>(list: readonly T[]): T => list[randomInt(list.length)] as T
  const download = async (path: string) =>
    void (await get(productUrl + path, { agent, headers: { authorization: platform } }))
  async function send(request: Request, status = 200): Promise<void> {
    const response = await ask(productUrl, request)
    if (response.status !== status)
      throw new Error(`${request.method} ${request.path} returned ${response.status}: ${response.text}`)
  }
  const json = { 'content-type': 'application/json' }
  const makers: Record<keyof typeof SHARES, () => Promise<void>> = {
    list: () => download(`/v1/users/${anyOf(tenant.people).userId}/insurance_policies`),
    token: () =>
      send({
        method: 'POST',
        path: '/v1/auth/token',
        headers: { authorization: platform, ...json },
        body: JSON.stringify(anyOf(tenant.people).input),
      }),
    status() {
      const { walletId, headers } = anyOf(holders)
      return send(walletStatus(walletId, headers))
    },
    booking: () => book(anyOf(holders).userId),
    document: () => download(anyOf<Documents>(documents).policy_certificate),
  }
  const kinds = Object.entries(SHARES).flatMap(([kind, share]) =>
    Array.from({ length: share }, () => kind as keyof typeof SHARES),
  )

  let booked = 0
  const book = (userId: string) => {
    const reference = `payroll-${++booked}`
    const headers = { authorization: platform, ...json, 'idempotency-key': reference }
    const body = JSON.stringify({ amount: 50_000, reference, description: 'Wellness allowance' })
    return send({ method: 'POST', path: `/v1/users/${userId}/wallet/credits`, headers, body }, 201)
  }

  await renew()
  let onboarded = 0
  return {
    async one() {
      requests++
      if (performance.now() - renewed_ms > RENEW_MS) await renew()
      await makers[anyOf(kinds)]()
    },
    async onboard() {
      const position = onboarded++
      requests += await onboardUser(context, { platform, position, headersOf: side.headersOf })
    },
    requests: () => requests,
    close: () => agent.destroy(),
  }
}

type Newcomer = { platform: string; position: number; headersOf(userId: string): Record<string, string> }

/** A new user with a child, a policy and a wallet; returns the number of requests. */
async function onboardUser(
  { stage, tenant }: BenchContext,
  { platform, position, headersOf }: Newcomer,
): Promise<number> {
  const url = stage.productUrl
  const post = <T>(path: string, body: object) => call<T>(url, { path: `/v1${path}`, authorization: platform, body })
  const { user_id } = await post<{ user_id: string }>('/auth/token', userInputOf(UNKNOWN_FROM + position))
  const { data } = await post<{ data: { id: string }[] }>(`/users/${user_id}/dependants/bulk`, { dependants: [CHILD] })
  const dependant_ids = data.map(({ id }) => id)
  await post(`/users/${user_id}/insurance_policies`, {
    benefit_id: benefitOf(tenant),
    plan_code: PLAN.plan_code,
    start_date: todayIn(systemClock),
    dependant_ids,
    nominee_details: { nominee_type: 'DEPENDANT', dependant_id: dependant_ids[0] },
    questionnaire: { questions: [{ question: 'Do you smoke?', answer: false }] },
  })
  const { status, text } = await ask(url, createWallet(headersOf(user_id)))
  if (status !== 201) throw new Error(`create wallet returned ${status}: ${text}`)
  return 4
}

const benefitOf = ({ benefitIds }: Tenant) => benefitIds[0]
