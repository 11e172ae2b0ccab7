import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp, PLAN } from '../../support/app.ts'
import { meetAt } from '../../support/meeting.ts'
import { assertSameNotFound, conflictOf, errorsOf } from '../../support/problems.ts'

const t = await openTestApp()

async function scene() {
  const platform = await t.platform()
  const provider = await t.provider()
  const id = await t.benefit(platform, provider)
  const url = `/v1/benefits/${id}`
  return {
    id,
    row: { table: 'benefits', key: 'benefit_id', id },
    platform,
    provider,
    read: () => t.call('GET', url, { token: t.viewer }),
    patch: (body: unknown, headers: Record<string, string> = {}, token: string = t.operator, node = t.call) =>
      node('PATCH', url, { token, body, headers }),
    updates: () => t.sql(`select platform_id, data from events where type = 'benefit.updated' and subject = $1`, [id]),
  }
}

describe('PATCH /v1/benefits/{benefit_id}', () => {
  it('200 changes the field sent and keeps the rest, as a merge patch', async () => {
    const { id, platform, provider, read, patch, updates } = await scene()
    const first = await read()
    const ignored = { sponsor_id: 'spn_other', benefit_provider_id: 'bpr_other', status: 'ARCHIVED', id: 'bnf_other' }
    const headers = { 'content-type': 'application/merge-patch+json' }
    const response = await patch({ name: 'Cover 2026', ...ignored }, headers)
    assert.equal(response.status, 200)
    const { last_modified_at, ...after } = response.body
    const { last_modified_at: earlier, ...before } = first.body
    assert.deepEqual(after, { ...before, name: 'Cover 2026' })
    assert(last_modified_at >= earlier)
    const second = await read()
    assert.deepEqual(second.body, response.body)
    assert.notEqual(second.headers['etag'], first.headers['etag'])
    assert.deepEqual(await updates(), [
      { platform_id: platform.id, data: { benefit_id: id, benefit_provider_id: provider.id } },
    ])
  })

  it('200 for the current values, unchanged: no new version, no event', async () => {
    const { id, read, patch, updates } = await scene()
    const first = await read()
    const { name, plans } = first.body
    for (const same of [{ name }, { plans }, { name, plans }, { plans: [PLAN] }]) {
      const response = await patch(same)
      assert.deepEqual(
        [response.status, response.text, response.headers['etag']],
        [200, first.text, first.headers['etag']],
      )
    }
    assert.equal((await patch({ name }, { 'if-match': '"other"' })).status, 412)
    await t.made('DELETE', `/v1/benefits/${id}`, { token: t.owner })
    assert.equal((await patch({ name })).body.status, 'ARCHIVED')
    assert.equal((await patch({ plans: plans.map((plan: object) => ({ ...plan, grace_days: 7 })) })).status, 409)
    assert.deepEqual(await updates(), [])
  })

  it('200 replaces plans as a whole, and policies keep the plan they were enrolled under', async () => {
    const { id, platform, patch } = await scene()
    const user = await t.user(platform)
    const policyId = await t.policy(platform, user, id)
    const policyUrl = `/v1/users/${user.id}/insurance_policies/${policyId}`
    const before = await t.call('GET', policyUrl, { token: platform.token })
    assert.equal(before.status, 200)

    const plan = { ...PLAN, plan_code: 'NEW', term_months: 24 }
    const response = await patch({ plans: [plan] }, {}, t.owner)
    assert.deepEqual(response.body.plans, [
      { ...plan, plan_name: null, renewal_window_days: 30, grace_days: 30, grace_cover: 'FULL', premium_gate: 'none' },
    ])
    assert.equal(response.body.name, 'Family health cover')
    const after = await t.call('GET', policyUrl, { token: platform.token })
    assert.equal(after.text, before.text)
  })

  it('200 a plan of before has full cover in grace, and the same plan again changes nothing', async () => {
    const { id, patch, read } = await scene()
    await t.sql(
      `update benefits set plans = (select jsonb_agg(plan - 'grace_cover' - 'premium_gate') from jsonb_array_elements(plans) plan) where benefit_id = $1`,
      [id],
    )
    const { body, headers } = await read()
    assert.deepEqual(
      body.plans.map(({ grace_cover }: { grace_cover: string }) => grace_cover),
      ['FULL'],
    )
    const again = await patch({ plans: body.plans })
    assert.deepEqual([again.status, again.headers['etag']], [200, headers['etag']])
  })

  it('200 loses no update: concurrent changes of different fields are all kept', async () => {
    const { row, patch, read } = await scene()
    const plans = [
      {
        ...PLAN,
        plan_code: 'NEW',
        plan_name: 'New',
        renewal_window_days: 7,
        grace_days: 0,
        grace_cover: 'NONE',
        premium_gate: 'deposit',
      },
    ]
    const [one, other] = await t.openNodes(2)
    const responses = await meetAt(t, row, [
      () => patch({ name: 'New name' }, {}, t.owner, one),
      () => patch({ plans }, {}, t.owner, other),
    ])
    assert.deepEqual(
      responses.map(({ status }) => status),
      [200, 200],
    )
    const { body } = await read()
    assert.deepEqual([body.name, body.plans], ['New name', plans])
  })

  it('409 conflict when archived, unchanged', async () => {
    const { id, patch, read } = await scene()
    await t.made('DELETE', `/v1/benefits/${id}`, { token: t.owner })
    const etag = (await read()).headers['etag']
    const response = await patch({ name: 'Too late' })
    assert.equal(conflictOf(response), 'archived')
    assert.equal((await read()).headers['etag'], etag)
  })

  it('412 for a version other than the stored one: one of several concurrent changes wins', async () => {
    const { row, patch, read } = await scene()
    const etag = (await read()).headers['etag'] ?? ''
    const nodes = await t.openNodes(2)
    const changes = nodes.map(
      (node, index) => () => patch({ name: `Name ${index}` }, { 'if-match': etag }, t.owner, node),
    )
    const responses = await meetAt(t, row, changes)
    const winners = responses.filter(({ status }) => status === 200)
    assert.equal(winners.length, 1)
    assert.deepEqual(new Set(responses.map(({ status }) => status)), new Set([200, 412]))
    assert.equal((await patch({ name: 'D' }, { 'if-match': etag })).body.code, 'precondition_failed')
    const fresh = await read()
    assert.equal(fresh.body.name, winners[0]?.body.name)
    assert.equal((await patch({ name: 'E' }, { 'if-match': fresh.headers['etag'] ?? '' })).status, 200)
  })

  it('401 and 403 for everyone but operators and owners; nothing changes', async () => {
    const { id, platform, provider, patch, read } = await scene()
    const etag = (await read()).headers['etag']
    assert.equal((await t.call('PATCH', `/v1/benefits/${id}`, { body: { name: 'Taken' } })).status, 401)
    for (const token of [platform.token, provider.token, (await t.user(platform)).token, t.viewer]) {
      assert.equal((await patch({ name: 'Taken' }, {}, token)).body.code, 'forbidden')
    }
    assert.equal((await read()).headers['etag'], etag)
  })

  it('404 for a missing one before any error of the body, 422 for an overlong id', async () => {
    const patch = (id: string, body: unknown) => t.call('PATCH', `/v1/benefits/${id}`, { token: t.owner, body })
    assertSameNotFound(await patch('bnf_none', { name: 'New' }), await patch('bnf_none', {}))
    assert.deepEqual(errorsOf(await patch('x'.repeat(101), {})), ['path:benefit_id too_long'])
  })

  it('422 without a field that can be changed, and for every error at once', async () => {
    const { patch, read } = await scene()
    const etag = (await read()).headers['etag']
    const errors = async (body: unknown, headers: Record<string, string> = {}) => errorsOf(await patch(body, headers))
    assert.deepEqual(await errors(undefined), [' required'])
    assert.deepEqual(await errors({}), [' required'])
    assert.deepEqual(await errors({ status: 'ARCHIVED' }), [' required'])
    assert.deepEqual(await errors({ name: null, plans: null }), ['/name type', '/plans type'])
    assert.deepEqual(await errors({ name: '', plans: [] }), ['/name too_short', '/plans too_few'])
    assert.deepEqual(await errors({ name: 'Good', plans: [PLAN, PLAN] }), ['/plans/1 duplicate'])
    assert.deepEqual(await errors({ name: 'Good', status: 'ARCHIVED' }, { prefer: 'handling=strict' }), [
      '/status unknown',
    ])
    assert.equal((await read()).headers['etag'], etag)
  })
})
