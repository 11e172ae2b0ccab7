import assert from 'node:assert/strict'
import { runCalendar } from '../../../src/domains/cover/policies/index.ts'
import { type Body, openTestApp, PLAN, type TestApp } from '../../support/app.ts'
import { pictureOf, qrCodeIn, textOf } from '../../support/pdf.ts'
import { settled } from '../../support/settled.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Who calls: each knows only what responses and events say. */
type Company = (method: Method, path: string, body?: object) => Promise<Body>

/** A partner, an insurer and a plan of a year, with the days of a calendar that the story turns. */
export async function beginStory(plan: object = {}) {
  const t = await openTestApp({ own: true })
  const [platform, provider] = [await t.platform(), await t.provider()]
  const benefit = await t.benefit(platform, provider, [{ ...PLAN, renewal_window_days: 30, ...plan }])
  const partner = as(t, platform.token)
  const insurer = as(t, provider.token)

  /** Noon of a day in India; the calendar has run, as it does at midnight. */
  async function on(day: string): Promise<void> {
    t.calendar.at = new Date(`${day}T12:00:00+05:30`)
    await runCalendar(t.deps)
  }

  /** A person of the partner, onboarded, with children of these names. */
  async function person(...children: string[]) {
    const user = await t.onboardedUser(platform)
    const ids = children.length === 0 ? [] : await t.dependants({ ...user, token: platform.token }, children)
    return { id: user.id, call: as(t, user.token), token: user.token, children: ids, path: `/v1/users/${user.id}` }
  }

  /** Enrols, and the insurer takes it through to the first certificate. */
  async function insured(path: string, dependant_ids: readonly string[], enrolment: object): Promise<string> {
    const input = { benefit_id: benefit, plan_code: PLAN.plan_code, dependant_ids, ...enrolment }
    const { id } = await partner('POST', `${path}/insurance_policies`, input)
    const policy = `${path}/insurance_policies/${id}`
    for (const status of ['VERIFICATION', 'APPROVED', 'ISSUED']) await insurer('PUT', `${policy}/status`, { status })
    return policy
  }

  /** The events of a type that a company has been sent, the first one first. */
  async function heard(by: Company, type: string): Promise<Body[]> {
    await settled(t)
    return (await by('GET', `/v1/events?type=${type}`))['data'].map(({ data }: { data: Body }) => data)
  }

  /** The one endorsement that waits, as the insurer finds it. */
  async function waiting(): Promise<Body> {
    const { data } = await insurer('GET', '/v1/endorsements?state=REQUESTED')
    assert.equal(data.length, 1, 'one endorsement waits')
    return data[0]
  }

  const document = async (token: string, path: string) => (await t.call('GET', path, { token })).bytes

  /** What the certificate of a policy says, to the person. */
  const certificate = async (token: string, policy: string, query = '') =>
    textOf(await document(token, `${policy}/documents/policy_certificate${query}`))

  /** What a counter sees that scans the code of a printed card. */
  async function scanned(card: Uint8Array): Promise<Body> {
    const { pathname } = new URL(qrCodeIn(await pictureOf(card, 2, { dpi: 300 })))
    return (await t.app.inject({ method: 'GET', url: pathname, headers: { accept: 'application/json' } })).json()
  }

  const tokens = { partner: platform.token, insurer: provider.token }
  return { t, tokens, benefit, partner, insurer, on, person, insured, heard, waiting, document, certificate, scanned }
}

const as =
  (t: TestApp, token: string): Company =>
  (method, path, body) =>
    t.made(method, path, { token, ...(body && { body }) })
