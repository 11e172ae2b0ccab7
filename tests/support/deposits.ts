import assert from 'node:assert/strict'
import { afterEach } from 'node:test'
import { todayIn } from '../../src/kernel/clock.ts'
import { type Body, PLAN, type TestApp, type TestPlatform, type TestProvider, type TestUser } from './app.ts'

/** A sponsor, its deposit, and the plan with the gate. */
export type Parties = Record<'benefit' | 'sponsor' | 'deposit', string> & {
  platform: TestPlatform
  provider: TestProvider
}
/** An enrolment; `address` is its own. */
export type Enrolled = Parties & { user: TestUser; id: string; address: string }

const inr = (value: number) => ({ currency: 'INR', value })

/** Acts on deposits, and on policies whose premium of ₹12,045 a year comes from one, on days of the calendar. */
export function withDeposits(t: TestApp) {
  afterEach(() => {
    t.calendar.at = undefined
  })

  /** Sets the calendar to noon of a day in India. */
  const on = (day: string) => void (t.calendar.at = new Date(`${day}T12:00:00+05:30`))

  async function parties(plan: object = {}): Promise<Parties> {
    const [platform, provider] = [await t.platform(), await t.provider()]
    const benefit = await t.benefit(platform, provider, [{ ...PLAN, premium_gate: 'deposit', ...plan }])
    const { sponsor_id: sponsor } = await t.made('GET', `/v1/benefits/${benefit}`, { token: platform.token })
    return { platform, provider, benefit, sponsor, deposit: `/v1/sponsors/${sponsor}/deposits/${provider.id}` }
  }

  /** A policy that waits to be issued. */
  async function approved(at: Parties, input: object = {}): Promise<Enrolled> {
    const user = await t.onboardedUser(at.platform)
    const id = await t.policy(at.platform, user, at.benefit, { start_date: '2026-04-01', ...input })
    const address = `/v1/users/${user.id}/insurance_policies/${id}`
    for (const status of ['VERIFICATION', 'APPROVED'])
      await t.made('PUT', `${address}/status`, { token: at.provider.token, body: { status } })
    return { ...at, user, id, address }
  }

  const setStatus = ({ address, provider }: Enrolled, body: object, token = provider.token) =>
    t.call('PUT', `${address}/status`, { token, body: { reason: 'a reason', ...body } })
  const issue = (at: Enrolled) => setStatus(at, { status: 'ISSUED' })

  async function issued(at: Parties, input: object = {}): Promise<Enrolled> {
    const enrolled = await approved(at, input)
    const { status, text } = await issue(enrolled)
    assert.equal(status, 200, text)
    return enrolled
  }

  let count = 0
  const enter = (at: Parties, value: number, body: object = {}) =>
    t.call('POST', `${at.deposit}/entries`, {
      token: at.provider.token,
      body: { kind: 'TOP_UP', amount: inr(value), reference: `UTR-${++count}`, ...body },
    })

  async function paid(at: Parties, value: number, paid_on: string, kind = 'TOP_UP'): Promise<void> {
    const { status, text } = await enter(at, value, { paid_on, kind })
    assert.equal(status, 201, text)
  }

  /** The entries, the first one first: `kind amount on`. Their sum is the balance. */
  async function entries(at: Parties): Promise<string[]> {
    const { data } = await t.made('GET', `${at.deposit}/entries?limit=100`, { token: at.platform.token })
    const paise = data.reduce((sum: number, { amount }: Body) => sum + Math.round(amount.value * 100), 0)
    assert.equal(paise, Math.round((await balance(at)) * 100), 'the entries add up to the balance')
    return data.toReversed().map(({ kind, amount, on: day }: Body) => `${kind} ${amount.value} ${day}`)
  }

  async function balance({ sponsor, provider }: Parties): Promise<number> {
    const { data } = await t.made('GET', `/v1/sponsors/${sponsor}/deposits`, { token: provider.token })
    return data[0]?.balance.value ?? 0
  }

  /** The first covered day of each term. */
  async function coverFrom({ address, platform }: Enrolled): Promise<string[]> {
    const { data } = await t.made('GET', `${address}/terms`, { token: platform.token })
    return data.map((term: Body) => term.cover_from)
  }

  return { on, parties, approved, issued, issue, setStatus, enter, paid, entries, balance, coverFrom, inr }
}

/** An entry of a deposit, to be sent in the calendar of tests. */
export const PAID = { kind: 'TOP_UP', amount: inr(100), paid_on: '2026-06-01', reference: 'UTR-1' }

type Benefit = { platform: TestPlatform; provider: TestProvider; policy: string; benefit: string }

/** Returns the sponsor of a benefit, once it has a deposit with an entry of the policy. */
export async function sponsorWithDeposit(
  t: TestApp,
  { platform, provider, policy, benefit }: Benefit,
): Promise<string> {
  const { sponsor_id: sponsor } = await t.made('GET', `/v1/benefits/${benefit}`, { token: platform.token })
  const deposit = `/v1/sponsors/${sponsor}/deposits/${provider.id}`
  const paid_on = todayIn(t.deps.calendar)
  await t.made('POST', `${deposit}/entries`, { token: provider.token, body: { ...PAID, paid_on } })
  await t.sql(
    `insert into deposit_entries (entry_id, sponsor_id, benefit_provider_id, kind, amount_paise, on_day, policy_id, actor, created_at)
     values ('dpe_' || $3, $1, $2, 'PREMIUM', -1, '2026-04-01', $3, 'system:test', now())`,
    [sponsor, provider.id, policy],
  )
  return sponsor
}
