import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp } from '../../support/app.ts'
import { changedBefore } from '../../support/policies-in-bulk.ts'
import { plansOf, sentBy } from '../../support/plans.ts'

const t = await openTestApp({ own: true })
const { platform, provider, benefitId } = await changedBefore(t, 600)

describe('the plan of a page', () => {
  it('reads each state from its index, from the time of the cursor on, and sorts only what has one time', async () => {
    // Most rows are of others, so that the index of each scope reads the fewest.
    const [others, away] = [await t.platform(), await t.provider()]
    await t.sql(
      `update insurance_policies set benefit_id = $1, benefit_provider_id = $2, platform_id = $3 where md5(policy_id) < 'e'`,
      [await t.benefit(others, away), away.id, others.id],
    )
    await t.sql('analyze insurance_policies')
    const { next } = (await t.call('GET', '/v1/insurance_policies?limit=20', { token: provider.token })).body
    assert(next)
    const cases = [
      ['provider', `limit=20&after=${next}`, provider.token],
      ['platform', 'limit=20', platform.token],
      ['owner', 'limit=20', t.owner],
      ['owner, of a benefit', `benefit_id=${benefitId}`, t.owner],
      ['owner, of a provider', `benefit_provider_id=${provider.id}`, t.owner],
      ['provider, of a state', 'status=ISSUED', provider.token],
    ] as const
    const calls = [true, false].flatMap((batching) => cases.map((one) => [batching, ...one] as const))
    for (const [batching, name, query, token] of calls) {
      const [step] = await sentBy({ ...t, batching }, 'GET', `/v1/insurance_policies?${query}`, { token })
      assert.equal(step?.statement.name.endsWith('_on_shards'), !batching, 'a cluster gets another form')
      for (const plan of await plansOf(t.ownerUrl, step, ['seqscan', 'sort', 'bitmapscan', 'hashjoin', 'mergejoin'])) {
        // Which of them depends on the few rows here; `tests/plans` holds that each is used by one.
        assert.match(
          plan,
          /using insurance_policies_changed\w* on [^\n]+\s+Index Cond: [^\n]*'ISSUED'[^\n]*last_modified_at <= /,
          name,
        )
        const empty = plan.match(/One-Time Filter: false/g)?.length ?? 0 // states that are not asked for
        assert.equal(plan.match(/(?<!Incremental )\bSort {2}\(/g)?.length ?? 0, empty, `${name}: ${plan}`)
      }
    }
  })

  it('reads what waits longest in the order of its index, from the time of the cursor on', async () => {
    await t.sql(
      `update insurance_policies set status = 'PENDING', status_since = last_modified_at, is_sent_back = true`,
    )
    await t.sql('analyze insurance_policies')
    const { next } = (await t.call('GET', '/v1/insurance_policies?limit=20&order=oldest', { token: provider.token }))
      .body
    assert(next)
    const cases = [
      ['insurance_policies_waiting_of_provider', `order=oldest&limit=20&after=${next}`, provider.token],
      ['insurance_policies_waiting', 'order=oldest', platform.token],
      ['insurance_policies_waiting', 'order=oldest', t.owner],
      ['insurance_policies_waiting_of_provider', `order=oldest&benefit_provider_id=${provider.id}`, t.owner],
      ['insurance_policies_sent_back', 'sent_back=true', platform.token],
    ] as const
    const calls = [true, false].flatMap((batching) => cases.map((one) => [batching, ...one] as const))
    for (const [batching, index, query, token] of calls) {
      const [step] = await sentBy({ ...t, batching }, 'GET', `/v1/insurance_policies?${query}`, { token })
      for (const plan of await plansOf(t.ownerUrl, step as never, [
        'seqscan',
        'sort',
        'bitmapscan',
        'hashjoin',
        'mergejoin',
      ]))
        assert.match(plan, new RegExp(`using ${index} on [^\\n]+\\s+Index Cond: [^\\n]*'PENDING'[^\\n]*>= `), plan)
    }
  })

  it('reads the work of one person from who works on what, however many policies there are', async () => {
    await t.sql(`insert into policy_assignees (user_id, policy_id, administrator_id, assigned_at)
                 select user_id, policy_id, 'adm_' || md5(policy_id), now() from insurance_policies`)
    await t.sql('analyze policy_assignees, insurance_policies')
    const [row] = await t.sql<{ id: string }>('select administrator_id as id from policy_assignees limit 1')
    for (const batching of [true, false]) {
      for (const order of ['', '&order=oldest', '&due_before=2999-01-01', '&sent_back=true']) {
        const url = `/v1/insurance_policies?assignee=${row?.id}${order}`
        const [step] = await sentBy({ ...t, batching }, 'GET', url, { token: provider.token })
        for (const plan of await plansOf(t.ownerUrl, step as never, [])) {
          assert.match(plan, /using policy_assignees_of_administrator /, plan)
          assert.doesNotMatch(plan, /Seq Scan on (insurance_policies|policy_assignees)/, plan)
        }
      }
    }
  })
})
