import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Body, openTestApp } from '../../support/app.ts'
import { insertIssuedPolicies } from '../../support/policies-in-bulk.ts'
import { plansOf, sentBy } from '../../support/plans.ts'
import { errorsOf } from '../../support/problems.ts'

const POLICIES = 600
const TERMS = { start_date: '2026-04-01', renewal_window_days: 30, grace_days: 30 }

const t = await openTestApp({ own: true })
const [platform, provider] = [await t.platform(), await t.provider()]
const benefitId = await t.benefit(platform, provider)
const catalogue = { vault: t.deps.vault, platformId: platform.id, benefitId, benefitProviderId: provider.id }
const made = await insertIssuedPolicies(
  t.sql,
  catalogue,
  Array.from({ length: POLICIES }, () => TERMS),
)
await t.sql(
  `update insurance_policies
      set platform_id = $1, last_modified_at = now() - interval '1 day' - ('x' || right(md5(policy_id), 4))::bit(16)::int * interval '1 second'`,
  [platform.id],
)

const list = (query: string, token = provider.token) => t.call('GET', `/v1/insurance_policies?${query}`, { token })

/** Follows `next` to the end; returns the id of each entry, in order. */
async function listAll(query: string, betweenPages = async () => {}): Promise<string[]> {
  const ids: string[] = []
  for (let after = ''; ; ) {
    const { body, text } = await list(`${query}${after}`)
    assert(body.data, text)
    ids.push(...body.data.map(({ id }: Body) => id))
    if (body.next === null) return ids
    after = `&after=${body.next}`
    await betweenPages()
  }
}

describe('a list that others write to while it is read', () => {
  it('has every policy that does not change exactly once, and the others by changed_after', async () => {
    const since = new Date(Date.now() - 60_000).toISOString().slice(0, 19)
    const moving = made.filter((_, index) => index % 3 === 0).map(({ id }) => id)
    const changed = new Set<string>()
    const writing = { isOver: false }
    /** Writes as fast as it can: status changes there and back, and no pause between them. */
    async function write(): Promise<void> {
      for (let turn = 0; !writing.isOver; turn++) {
        const id = moving[(turn * 7) % moving.length] as string
        changed.add(id)
        await t.sql(
          `update insurance_policies
              set last_modified_at = now(),
                  status = case status when 'ISSUED' then 'REQUIRES_CUSTOMER_RENEWAL' else 'ISSUED' end
            where policy_id = $1`,
          [id],
        )
      }
    }
    const writers = [write(), write()]
    const seen = await listAll('limit=20')
    writing.isOver = true
    await Promise.all(writers)

    const times = Map.groupBy(seen, (id) => id)
    const still = made.map(({ id }) => id).filter((id) => !changed.has(id))
    assert(changed.size > 0 && still.length > POLICIES / 2, 'some changed and others did not')
    assert.deepEqual(
      still.filter((id) => times.get(id)?.length !== 1),
      [],
    )
    const again = new Set(await listAll(`limit=100&changed_after=${since}`))
    assert.deepEqual(
      [...changed].filter((id) => !again.has(id)),
      [],
      'what has moved is found by the time of its change',
    )
  })

  it('has an end, although rows move to its front faster than it is read', async () => {
    const changeAll = async () => void (await t.sql('update insurance_policies set last_modified_at = now()'))
    const seen = await listAll('limit=100', changeAll)
    assert(seen.length <= POLICIES, 'rows that have moved to the front are not met again')
  })

  it('has a cursor for a day: 422 expired afterwards', async () => {
    const { next } = (await list('limit=1', t.owner)).body
    t.clock.at = new Date(Date.now() + 23 * 3_600_000)
    assert.equal((await list(`limit=1&after=${next}`, t.owner)).status, 200)
    t.clock.at = new Date(Date.now() + 25 * 3_600_000)
    const response = await list(`limit=1&after=${next}`, t.owner)
    t.clock.at = undefined
    assert.deepEqual(errorsOf(response), ['query:after expired'])
  })
})

describe('the plan of a page', () => {
  it('reads each state from its index, from the time of the cursor on, and sorts only what has one time', async () => {
    // Most rows are of others, so that the index of each scope reads the fewest.
    const [others, away] = [await t.platform(), await t.provider()]
    await t.sql(
      `update insurance_policies set benefit_id = $1, benefit_provider_id = $2, platform_id = $3 where md5(policy_id) < 'e'`,
      [await t.benefit(others, away), away.id, others.id],
    )
    await t.sql('analyze insurance_policies')
    const { next } = (await list('limit=20')).body
    assert(next)
    const cases = [
      ['provider', `limit=20&after=${next}`, provider.token],
      ['platform', 'limit=20', platform.token],
      ['owner', 'limit=20', t.owner],
      ['owner, of a benefit', `benefit_id=${benefitId}`, t.owner],
      ['owner, of a provider', `benefit_provider_id=${provider.id}`, t.owner],
      ['provider, of a state', 'status=ISSUED', provider.token],
    ] as const
    for (const [name, query, token] of cases) {
      const [step] = await sentBy(t, 'GET', `/v1/insurance_policies?${query}`, { token })
      assert(step)
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
})
