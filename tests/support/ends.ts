import assert from 'node:assert/strict'
import { cardOfMember } from '../../src/domains/cover/documents/card-of-member.ts'
import type { PolicyStatus } from '../../src/domains/cover/policies/states.ts'
import {
  type Body,
  PLAN,
  type TestApp,
  type TestPlatform,
  type TestProvider,
  type TestResponse,
  type TestUser,
} from './app.ts'
import { errorsOf } from './problems.ts'

/** An issued policy; `url` is its own. */
export type Scene = Record<'benefit' | 'id' | 'url', string> & {
  platform: TestPlatform
  provider: TestProvider
  user: TestUser
}

/** Policies with ends, and everything that shows or stores one. */
export function prepareEnds(t: TestApp) {
  /** Sets the calendar to noon of a day in India. No worker runs here. */
  const on = (day: string) => void (t.calendar.at = new Date(`${day}T12:00:00+05:30`))

  const inr = (value: number) => ({ currency: 'INR', value })

  /** A policy from 2026-04-01 to 2027-03-31, issued on its first day. */
  async function issued(plan: object = {}, input: object = {}) {
    const [platform, provider] = [await t.platform(), await t.provider()]
    const benefit = await t.benefit(platform, provider, [{ ...PLAN, ...plan }])
    const user = await t.onboardedUser(platform)
    on('2026-04-01')
    const id = await t.policy(platform, user, benefit, { start_date: '2026-04-01', ...input })
    const at = { platform, provider, benefit, user, id, url: `/v1/users/${user.id}/insurance_policies/${id}` }
    await transition(at, 'VERIFICATION', 'APPROVED', 'ISSUED')
    return at
  }

  const putStatus = (
    { url, provider }: Pick<Scene, 'url' | 'provider'>,
    status: PolicyStatus,
    token = provider.token,
  ) => t.call('PUT', `${url}/status`, { token, body: { status, reason: 'a reason' } })

  async function transition(at: Pick<Scene, 'url' | 'provider'>, ...path: PolicyStatus[]) {
    for (const status of path) {
      const response = await putStatus(at, status)
      assert.equal(response.status, 200, response.text)
    }
  }

  /** Renewed in the window, on 2027-03-10: the record is in the term from 2027-04-01 to 2028-03-31. */
  async function renewedEarly() {
    const at = await issued()
    on('2027-03-10')
    await transition(at, 'ISSUED')
    assert.deepEqual(await datesOf(at), ['2027-04-01', '2028-03-31'])
    return at
  }

  const put = (at: Scene, body: object, token = at.platform.token, headers = {}) =>
    t.call('PUT', `${at.url}/end`, { token, body: { code: 'LEFT', ...body }, headers })
  const take = (at: Scene, token = at.platform.token) => t.call('DELETE', `${at.url}/end`, { token })
  const read = (at: Scene, token = at.platform.token) => t.call('GET', `${at.url}/end`, { token })

  async function ended(at: Scene, body: object, token?: string): Promise<Body> {
    const response = await put(at, body, token)
    assert.equal(response.status, 200, response.text)
    return response.body
  }

  const datesOf = async ({ url, platform }: Scene) => {
    const { start_date, end_date } = await t.made('GET', url, { token: platform.token })
    return [start_date, end_date]
  }
  const statusOf = ({ url, provider }: Scene) => t.made('GET', `${url}/status`, { token: provider.token })

  async function listed({ id, platform }: Scene): Promise<Body> {
    const { data } = await t.made('GET', '/v1/insurance_policies?limit=100', { token: platform.token })
    return data.find((one: Body) => one.id === id)
  }

  async function checked({ user, id }: Scene) {
    const holder = { userId: user.id, policyId: id, memberId: 'self' } as Parameters<typeof cardOfMember>[1]
    const { body } = await t.call(
      'GET',
      `/verify/health_card/${t.deps.cards.issue(cardOfMember(t.deps.vault, holder).id)}`,
    )
    return [body.result, body.valid_until]
  }

  /** Everything that an end could have changed. */
  const storedOf = async ({ id }: Scene) =>
    JSON.stringify([
      await t.sql('select * from insurance_policies where policy_id = $1', [id]),
      await t.sql('select * from policy_ends where policy_id = $1 order by end_id', [id]),
      await t.sql('select * from user_status_changes where entity_id = $1 order by change_id', [id]),
      await t.sql('select * from events where subject = $1 order by event_id', [id]),
    ])

  const eventsOf = async ({ id }: Scene) =>
    (
      await t.sql<{ type: string; to: string | null }>(
        `select type, data ->> 'to' as to from events where subject = $1 order by occurred_at, event_id`,
        [id],
      )
    ).map(({ type, to }) => (to ? `${type} ${to}` : type))

  async function assertRefused(at: Scene, call: () => Promise<TestResponse>, expected: string | string[]) {
    const before = await storedOf(at)
    const response = await call()
    if (typeof expected === 'string')
      assert.equal(response.status === 409 ? (response.body.reason ?? response.body.code) : response.status, expected)
    else assert.deepEqual(errorsOf(response), expected)
    assert.equal(await storedOf(at), before, 'nothing has changed')
  }

  async function enrolledToo(at: Scene) {
    const user = await t.onboardedUser(at.platform)
    const id = await t.policy(at.platform, user, at.benefit, { start_date: '2026-04-01' })
    return { user, id, url: `/v1/users/${user.id}/insurance_policies/${id}` }
  }

  return {
    on,
    inr,
    issued,
    putStatus,
    transition,
    renewedEarly,
    put,
    take,
    read,
    ended,
    datesOf,
    statusOf,
    listed,
    checked,
    storedOf,
    eventsOf,
    assertRefused,
    enrolledToo,
  }
}
