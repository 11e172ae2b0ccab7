import type { TestApp, TestPlatform } from './app.ts'
import { settled } from './settled.ts'

export const NOTICE = {
  items: [{ data: 'Name and date of birth', purpose: 'To enrol you', service: 'Group health insurance' }],
  withdraw_url: 'https://app.example.com/privacy/withdraw',
  rights_url: 'https://app.example.com/privacy/rights',
  complaint_url: 'https://app.example.com/privacy/complain',
  contact: 'privacy@example.com',
  text: 'We process the data below for the purposes below.',
}

export const CONSENT = { notice_version: '2027-05', language: 'en', given_by: 'SELF', basis: 'CONSENT' }
export const OF_PARENT = { ...CONSENT, purpose: 'children', given_by: 'PARENT', verified_by: 'HELD_DETAILS' }

const EVERY_PURPOSE = ['insurance', 'children', 'care', 'wallet', 'accounts'] as const

type NoticeInput = { version?: string; language?: string } & Partial<Record<keyof typeof NOTICE, unknown>>

/** Notices, consents and rules of a test. */
export function consentScenes(t: TestApp) {
  const notice = (of: TestPlatform, { version = '2027-05', language = 'en', ...input }: NoticeInput = {}) =>
    t.call('PUT', `/v1/notices/${version}/${language}`, { token: of.token, body: { ...NOTICE, ...input } })

  const give = (user: { id: string }, token: string, input: object = {}) =>
    t.call('POST', `/v1/users/${user.id}/consents`, { token, body: { ...CONSENT, purpose: 'insurance', ...input } })

  const withdraw = (user: { id: string }, token: string, id: string) =>
    t.call('DELETE', `/v1/users/${user.id}/consents/${id}`, { token })

  const setRules = (of: { id: string }, body: object, token = t.operator) =>
    t.call('PUT', `/v1/platforms/${of.id}/consent_rules`, { token, body })

  /** Has every purpose need consent from a day on, known to this API. */
  async function needConsent(of: { id: string }, from = '2026-04-01', ground = 'CONSENT') {
    const rules = Object.fromEntries(EVERY_PURPOSE.map((purpose) => [purpose, { ground, from }]))
    await t.made('PUT', `/v1/platforms/${of.id}/consent_rules`, { token: t.operator, body: rules })
    await t.deps.consentRules.read()
  }

  /** The events about a consent that somebody sees, oldest first. */
  async function eventsOf(token: string, id: string) {
    await settled(t)
    const { data } = await t.made('GET', `/v1/events?subject=${id}`, { token })
    return data as { type: string; platform_id: string | null; data: Record<string, unknown> }[]
  }

  return { notice, give, withdraw, setRules, needConsent, eventsOf }
}
