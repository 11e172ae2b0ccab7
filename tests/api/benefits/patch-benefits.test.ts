import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp, PLAN } from '../../support/app.ts'
import { meetAt } from '../../support/meeting.ts'
import { assertSameNotFound, faultsOf } from '../../support/refusals.ts'

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
    patch: (body: unknown, headers: Record<string, string> = {}, token: string = t.operator) =>
      t.call('PATCH', url, { token, body, headers }),
  }
}

describe('PATCH /v1/benefits/{benefit_id}', () => {
  it('200 changes the field that is sent and keeps the rest, as a merge patch', async () => {
    const { read, patch } = await scene()
    const first = await read()
    const ignored = { sponsor_id: 'spn_other', benefit_provider_id: 'bpr_other', status: 'ARCHIVED', id: 'bnf_other' }
    const headers = { 'content-type': 'application/merge-patch+json' }
    const answer = await patch({ name: 'Cover 2026', ...ignored }, headers)
    assert.equal(answer.status, 200)
    const { last_modified_at, ...after } = answer.body
    const { last_modified_at: earlier, ...before } = first.body
    assert.deepEqual(after, { ...before, name: 'Cover 2026' })
    assert(last_modified_at >= earlier)
    const second = await read()
    assert.deepEqual(second.body, answer.body)
    assert.notEqual(second.headers['etag'], first.headers['etag'])
  })

  it('200 replaces plans whole, and policies keep the plan they were enrolled under', async () => {
    const { id, platform, patch } = await scene()
    const user = await t.user(platform)
    const policyId = await t.policy(platform, user, id)
    const policyUrl = `/v1/users/${user.id}/insurance_policies/${policyId}`
    const before = await t.call('GET', policyUrl, { token: platform.token })
    assert.equal(before.status, 200)

    const plan = { ...PLAN, plan_code: 'NEW', term_months: 24 }
    const answer = await patch({ plans: [plan] }, {}, t.owner)
    assert.deepEqual(answer.body.plans, [{ ...plan, renewal_window_days: 30, grace_days: 30 }])
    assert.equal(answer.body.name, 'Family health cover')
    const after = await t.call('GET', policyUrl, { token: platform.token })
    assert.equal(after.text, before.text)
  })

  it('200 loses no update: changes of different fields at once both stay', async () => {
    const { row, patch, read } = await scene()
    const plans = [{ ...PLAN, plan_code: 'NEW', renewal_window_days: 7, grace_days: 0 }]
    const answers = await meetAt(t, row, [() => patch({ name: 'New name' }), () => patch({ plans })])
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    )
    const { body } = await read()
    assert.deepEqual([body.name, body.plans], ['New name', plans])
  })

  it('409 conflict when it is archived, and leaves it untouched', async () => {
    const { id, patch, read } = await scene()
    await t.made('DELETE', `/v1/benefits/${id}`, { token: t.owner })
    const etag = (await read()).headers['etag']
    const answer = await patch({ name: 'Too late' })
    assert.deepEqual([answer.status, answer.body.code], [409, 'conflict'])
    assert.equal((await read()).headers['etag'], etag)
  })

  it('412 for a version that is not the stored one: of several changes at once one wins', async () => {
    const { row, patch, read } = await scene()
    const etag = (await read()).headers['etag'] ?? ''
    const changes = ['A', 'B', 'C'].map((name) => () => patch({ name }, { 'if-match': etag }))
    const answers = await meetAt(t, row, changes)
    const winners = answers.filter(({ status }) => status === 200)
    assert.equal(winners.length, 1)
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200, 412]))
    assert.equal((await patch({ name: 'D' }, { 'if-match': etag })).body.code, 'precondition_failed')
    const fresh = await read()
    assert.equal(fresh.body.name, winners[0]?.body.name)
    assert.equal((await patch({ name: 'E' }, { 'if-match': fresh.headers['etag'] ?? '' })).status, 200)
  })

  it('401 and 403 for all but operators and owners, and change nothing', async () => {
    const { id, platform, provider, patch, read } = await scene()
    const etag = (await read()).headers['etag']
    assert.equal((await t.call('PATCH', `/v1/benefits/${id}`, { body: { name: 'Taken' } })).status, 401)
    for (const token of [platform.token, provider.token, (await t.user(platform)).token, t.viewer]) {
      assert.equal((await patch({ name: 'Taken' }, {}, token)).body.code, 'forbidden')
    }
    assert.equal((await read()).headers['etag'], etag)
  })

  it('404 for a missing one before any fault of the body, 422 for an id too long', async () => {
    const patch = (id: string, body: unknown) => t.call('PATCH', `/v1/benefits/${id}`, { token: t.owner, body })
    assertSameNotFound(await patch('bnf_none', { name: 'New' }), await patch('bnf_none', {}))
    assert.deepEqual(faultsOf(await patch('x'.repeat(101), {})), ['path:benefit_id too_long'])
  })

  it('422 without a field that can be changed, and for every fault at once', async () => {
    const { patch, read } = await scene()
    const etag = (await read()).headers['etag']
    const faults = async (body: unknown, headers: Record<string, string> = {}) => faultsOf(await patch(body, headers))
    assert.deepEqual(await faults(undefined), [' required'])
    assert.deepEqual(await faults({}), [' required'])
    assert.deepEqual(await faults({ status: 'ARCHIVED' }), [' required'])
    assert.deepEqual(await faults({ name: null, plans: null }), ['/name type', '/plans type'])
    assert.deepEqual(await faults({ name: '', plans: [] }), ['/name too_short', '/plans too_few'])
    assert.deepEqual(await faults({ name: 'Good', plans: [PLAN, PLAN] }), ['/plans/1 duplicate'])
    assert.deepEqual(await faults({ name: 'Good', status: 'ARCHIVED' }, { prefer: 'handling=strict' }), [
      '/status unknown',
    ])
    assert.equal((await read()).headers['etag'], etag)
  })
})
