import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp, PLAN } from '../../support/app.ts'
import { errorsOf } from '../../support/problems.ts'

const t = await openTestApp()

const list = (token: string, query = '') => t.call('GET', `/v1/next_actions${query}`, { token })

async function scene() {
  const { platform, provider, benefit } = await t.makeOffer([PLAN])
  const user = await t.user(platform)
  return { platform, provider, user, id: await t.policy(platform, user, benefit) }
}

describe('GET /v1/next_actions', () => {
  it('200 to the benefit provider and the platform of a policy: what waits, without personal data', async () => {
    const { platform, provider, user, id } = await scene()
    for (const { token } of [platform, provider]) {
      const { body, text } = await list(token)
      const [{ due_on, ...action }, ...others] = body.data
      assert.match(due_on, /^\d{4}-\d\d-\d\d$/)
      assert.deepEqual(others, [])
      assert.deepEqual(action, {
        code: 'take_up_application',
        subject: id,
        subject_kind: 'insurance_policy',
        title: 'Take up the application',
        detail: 'The application is PENDING. Set its status to VERIFICATION.',
        who: 'benefit_provider',
        rule: 'decision',
        user_id: user.id,
        platform_id: platform.id,
        benefit_provider_id: provider.id,
        insurance_policy_id: id,
      })
      assert.doesNotMatch(text, new RegExp(user.phone))
      assert.deepEqual([body.next, body.limit], [null, 20])
    }
  })

  it('200 a sponsor that waits for its review to the platform, not to a benefit provider', async () => {
    const { platform, provider } = await scene()
    const [other, body] = [await t.platform(), { name: 'Banyan Textiles', pan: 'AAACB1234C' }]
    const made = await t.made('POST', '/v1/sponsors', { token: platform.token, body: { ...body, ...SPONSOR } })
    const sponsors = async (token: string) =>
      (await list(token, '?who=operator')).body.data.map(
        ({ subject, code, due_on, user_id }: Record<string, string>) => [subject, code, due_on, user_id],
      )
    assert.deepEqual(await sponsors(platform.token), [[made.id, 'review_sponsor', null, null]])
    for (const { token } of [provider, other]) assert.deepEqual(await sponsors(token), [])
    assert.deepEqual((await list(platform.token, '?who=operator&due_before=2999-12-31')).body.data, [])
  })

  it('200 a rights request to the platform until it is answered, by its due day, and never to a benefit provider', async () => {
    const { platform, provider, user } = await scene()
    const url = `/v1/users/${user.id}/rights_requests`
    const body = { kind: 'GRIEVANCE', text: 'My name is wrong' }
    const { id, due_on: due } = await t.made('POST', url, { token: user.token, body })
    const asked = async (token: string, query = '') =>
      (await list(token, `?who=platform${query}`)).body.data.map((one: Record<string, string>) => [
        one['code'],
        one['subject'],
        one['due_on'],
        one['rule'],
      ])
    const waits = ['answer_rights_request', id, due, 'rights_request']
    assert.deepEqual(await asked(platform.token), [waits])
    assert.deepEqual(await asked(platform.token, `&due_before=${due}`), [])
    assert.deepEqual(await asked(provider.token), [])
    const own = await t.call('GET', `/v1/users/${user.id}/next_actions`, { token: user.token })
    assert(own.body.data.some(({ subject }: { subject: string }) => subject === id))
    for (const state of ['IN_PROGRESS', 'ANSWERED'])
      await t.made('PUT', `${url}/${id}/state`, { token: platform.token, body: { state } })
    assert.deepEqual(await asked(platform.token), [])
  })

  it('200 within a platform or a benefit provider that an administrator names; 422 for another one of the caller’s kind', async () => {
    const [one, other] = [await scene(), await scene()]
    const subjects = async (token: string, query: string) =>
      (await list(token, query)).body.data.map(({ subject }: { subject: string }) => subject)
    assert.deepEqual(await subjects(t.viewer, `?platform_id=${one.platform.id}`), [one.id])
    assert.deepEqual(await subjects(t.viewer, `?benefit_provider_id=${one.provider.id}`), [one.id])
    assert.deepEqual(await subjects(one.platform.token, `?benefit_provider_id=${one.provider.id}`), [one.id])
    assert.deepEqual(await subjects(one.platform.token, `?benefit_provider_id=${other.provider.id}`), [])
    const both = `?platform_id=${one.platform.id}&benefit_provider_id=${other.provider.id}`
    assert.deepEqual(await subjects(t.viewer, both), [])
    assert.deepEqual(errorsOf(await list(one.platform.token, `?platform_id=${other.platform.id}`)), [
      'query:platform_id not_allowed',
    ])
    assert.deepEqual(errorsOf(await list(one.provider.token, `?benefit_provider_id=${other.provider.id}`)), [
      'query:benefit_provider_id not_allowed',
    ])
  })

  it('401 without a token, 403 for a user, 422 for a filter that is none', async () => {
    const { platform, user } = await scene()
    assert.equal((await t.call('GET', '/v1/next_actions', {})).status, 401)
    assert.equal((await list(user.token)).status, 403)
    assert.deepEqual(errorsOf(await list(platform.token, '?who=nobody')), ['query:who not_allowed'])
    assert.deepEqual(errorsOf(await list(platform.token, '?due_before=soon')), ['query:due_before format'])
    assert.deepEqual(errorsOf(await list(platform.token, '?changed_after=2026-01-01T00:00:00')), [
      'query:changed_after unknown',
    ])
    assert.deepEqual(errorsOf(await list(platform.token, '?after=x')), ['query:after format'])
  })
})

const SPONSOR = {
  address: { line1: '12 MG Road', city: 'Bengaluru', state: 'Karnataka', country: 'India', pincode: '560001' },
  sponsor_details: { sponsor_kind: 'ORGANISATION', email: 'hr@example.com' },
}
