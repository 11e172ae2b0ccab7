import assert from 'node:assert/strict'
import { afterEach } from 'node:test'
import { PLAN, type TestApp } from './app.ts'
import { textOf } from './pdf.ts'

type Endorsement = { id: string; kind: string; state: string; on: string; refund: { days: number } | null }

/** Acts on policies with members, on days of the calendar, which is set back after each test. */
export function withMembers(t: TestApp) {
  afterEach(() => {
    t.calendar.at = undefined
  })

  /** Sets the calendar to noon of a day in India. */
  const on = (day: string) => void (t.calendar.at = new Date(`${day}T12:00:00+05:30`))

  /** A policy from 1 April 2026 with the child Ravi; Mira, his sister, is registered too. */
  async function enrolled() {
    const [platform, provider] = [await t.platform(), await t.provider()]
    const benefit = await t.benefit(platform, provider, [{ ...PLAN, renewal_window_days: 30 }])
    const user = await t.onboardedUser(platform)
    const [ravi = '', mira = ''] = await t.dependants({ ...user, token: platform.token }, ['Ravi', 'Mira'])
    on('2026-04-01')
    const id = await t.policy(platform, user, benefit, { dependant_ids: [ravi] })
    return { platform, provider, user, ravi, mira, id, address: `/v1/users/${user.id}/insurance_policies/${id}` }
  }
  type Scene = Awaited<ReturnType<typeof enrolled>>

  async function issued(): Promise<Scene> {
    const at = await enrolled()
    for (const status of ['VERIFICATION', 'APPROVED', 'ISSUED'] as const) await setStatus(at, { status })
    return at
  }

  const setStatus = ({ address, provider }: Scene, body: object) =>
    t.made('PUT', `${address}/status`, { token: provider.token, body })

  const put = ({ address, platform }: Scene, person: string, body: object, token = platform.token) =>
    t.call('PUT', `${address}/members/${person}`, { token, body })

  const decide = ({ provider }: Scene, id: string, body: object, token = provider.token) =>
    t.call('PUT', `/v1/endorsements/${id}/state`, { token, body })

  async function endorsements({ provider, id }: Scene): Promise<Endorsement[]> {
    const { data } = await t.made('GET', '/v1/endorsements', { token: provider.token })
    const own = data.filter(({ insurance_policy_id: policy }: { insurance_policy_id: string }) => policy === id)
    return own.toSorted((one: Endorsement, other: Endorsement) => (one.id < other.id ? -1 : 1))
  }

  async function onlyWaiting(at: Scene): Promise<Endorsement> {
    const [one, ...others] = (await endorsements(at)).filter(({ state }) => state === 'REQUESTED')
    assert(one && others.length === 0)
    return one
  }

  /** Who is on the policy besides the user: `id from to asked_from`. */
  async function members({ address, user }: Scene): Promise<string[]> {
    const { data } = await t.made('GET', `${address}/members`, { token: user.token })
    assert.equal(data[0].person, 'member')
    return data
      .slice(1)
      .map((one: Record<string, string>) => [one['id'], one['from'], one['to'], one['asked_from']].join(' '))
  }

  const covered = async ({ address, platform }: Scene): Promise<string[]> =>
    (await t.made('GET', address, { token: platform.token })).dependant_ids

  const statusOf = async ({ address, platform }: Scene): Promise<string> =>
    (await t.made('GET', `${address}/status`, { token: platform.token })).status

  const certificate = async ({ address, user }: Scene, query = ''): Promise<string> =>
    textOf((await t.call('GET', `${address}/documents/policy_certificate${query}`, { token: user.token })).bytes)

  return {
    on,
    enrolled,
    issued,
    setStatus,
    put,
    decide,
    endorsements,
    onlyWaiting,
    members,
    covered,
    statusOf,
    certificate,
  }
}
