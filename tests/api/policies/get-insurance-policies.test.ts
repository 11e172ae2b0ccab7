import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { presentPolicy } from '../../../src/domains/cover/policies/records.ts'
import { POLICY_STATUSES } from '../../../src/domains/cover/policies/states.ts'
import { findPolicies, type ListCall } from '../../../src/domains/cover/policies/store.ts'
import type { UserId } from '../../../src/access/user-id.ts'
import { type TestResponse, openTestApp, PLAN } from '../../support/app.ts'
import { assertSameNotFound, errorsOf } from '../../support/problems.ts'

const t = await openTestApp()

const list = (user: { id: string }, token: string | undefined, query = '') =>
  t.call('GET', `/v1/users/${user.id}/insurance_policies${query}`, token === undefined ? {} : { token })

const read = (user: { id: string }, id: string, token: string | undefined, headers = {}) =>
  t.call('GET', `/v1/users/${user.id}/insurance_policies/${id}`, { ...(token && { token }), headers })

const idsOf = (response: TestResponse): string[] => response.body.data.map(({ id }: { id: string }) => id)

/** A user with several policies of one benefit, one per year. */
async function scene(count: number) {
  const { platform, provider, benefit } = await t.offer()
  const user = await t.onboardedUser(platform)
  const ids: string[] = []
  for (let year = 2026; year < 2026 + count; year++) {
    const start_date = `${year}-04-01`
    ids.push(await t.policy(platform, user, benefit, { start_date }))
  }
  return { platform, provider, benefit, user, newestFirst: ids.toReversed() }
}

const storeStatus = (id: string | undefined, status: string) =>
  t.sql('update insurance_policies set status = $2 where policy_id = $1', [id, status])

describe('GET /v1/users/{user_id}/insurance_policies', () => {
  it('200 newest first, for platform, user, benefit provider and every administrator', async () => {
    const { platform, provider, user, newestFirst } = await scene(3)
    for (const token of [platform.token, user.token, provider.token, t.viewer, t.operator, t.owner]) {
      const response = await list(user, token)
      assert.equal(response.status, 200)
      assert.deepEqual(idsOf(response), newestFirst)
      const { limit, offset, total } = response.body
      assert.deepEqual({ limit, offset, total }, { limit: 20, offset: 0, total: 3 })
    }
  })

  it('200 each record equals the one read by id, with everybody’s names', async () => {
    const { platform, benefit, user } = await scene(1)
    const [ravi = '', mira = ''] = await t.dependants({ ...user, token: platform.token }, ['Ravi', 'Mira'])
    const input = { start_date: '2027-04-01', dependant_ids: [mira, ravi] }
    const id = await t.policy(platform, user, benefit, input)
    const token = platform.token
    const correction = { token, body: { first_name: 'Corrected' } }
    const { id: corrected } = await t.made('PATCH', `/v1/users/${user.id}/dependants/${ravi}`, correction)
    const response = await list(user, token)
    for (const policy of response.body.data) assert.deepEqual(policy, (await read(user, policy.id, token)).body)
    const [newest] = response.body.data
    assert.equal(newest.id, id)
    // A policy follows the new version of a covered person.
    assert.deepEqual(newest.dependant_ids, [mira, corrected])
    assert.deepEqual(newest.dependants, [
      { id: mira, first_name: 'Mira', last_name: 'Example' },
      { id: corrected, first_name: 'Corrected', last_name: 'Example' },
    ])
  })

  it('200 status filters, may repeat, and determines the total', async () => {
    const { platform, user, newestFirst } = await scene(POLICY_STATUSES.length)
    for (const [index, status] of POLICY_STATUSES.entries()) await storeStatus(newestFirst[index], status)
    for (const [index, status] of POLICY_STATUSES.entries()) {
      const response = await list(user, platform.token, `?status=${status}`)
      assert.deepEqual([idsOf(response), response.body.total], [[newestFirst[index]], 1])
    }
    const several = await list(user, platform.token, '?status=EXPIRED&status=PENDING&limit=1&status=PENDING')
    assert.deepEqual([idsOf(several), several.body.total], [[newestFirst[0]], 2])
    const all = await list(user, platform.token, `?${POLICY_STATUSES.map((status) => `status=${status}`).join('&')}`)
    assert.deepEqual(idsOf(all), newestFirst)
  })

  it('200 in pages with links that keep the filter; every policy is on exactly one page', async () => {
    const { platform, user, newestFirst } = await scene(7)
    const address = `/v1/users/${user.id}/insurance_policies`
    const page = await list(user, platform.token, '?offset=3&status=PENDING&limit=3')
    assert.deepEqual(idsOf(page), newestFirst.slice(3, 6))
    assert.deepEqual(String(page.headers['link']).split(', '), [
      `<${address}?status=PENDING&limit=3&offset=0>; rel="first"`,
      `<${address}?status=PENDING&limit=3&offset=0>; rel="prev"`,
      `<${address}?status=PENDING&limit=3&offset=6>; rel="next"`,
      `<${address}?status=PENDING&limit=3&offset=6>; rel="last"`,
    ])

    const seen: string[] = []
    let next: string | undefined = `${address}?limit=2`
    while (next !== undefined) {
      const response: TestResponse = await t.call('GET', next, { token: platform.token })
      assert.equal(response.body.total, 7)
      seen.push(...idsOf(response))
      next = /<([^>]+)>; rel="next"/.exec(String(response.headers['link']))?.[1]
    }
    assert.deepEqual(seen, newestFirst)
  })

  it('200 policies of the same time are ordered by id, so that pages do not overlap', async () => {
    const { platform, user, newestFirst } = await scene(5)
    await t.sql(`update insurance_policies set created_at = '2026-01-01' where user_id = $1`, [user.id])
    const pages = [0, 2, 4].map((offset) => list(user, platform.token, `?limit=2&offset=${offset}`))
    const seen = (await Promise.all(pages)).flatMap(idsOf)
    assert.deepEqual(seen, newestFirst.toSorted().toReversed())
  })

  it('200 the total is exact past the last page, and for a user without policies', async () => {
    const { platform, user } = await scene(3)
    for (const offset of [3, 100_000]) {
      const beyond = await list(user, platform.token, `?limit=100&offset=${offset}`)
      assert.deepEqual(beyond.body, { data: [], limit: 100, offset, total: 3 })
      assert.ok(!String(beyond.headers['link']).includes('rel="next"'))
    }
    const filtered = await list(user, platform.token, '?status=REJECTED')
    assert.deepEqual(filtered.body, { data: [], limit: 20, offset: 0, total: 0 })
    const none = await list(await t.user(platform), platform.token)
    assert.deepEqual(none.body, { data: [], limit: 20, offset: 0, total: 0 })
  })

  it('200 a benefit provider sees and counts only the policies of its own benefits', async () => {
    const { platform, provider, user, newestFirst } = await scene(2)
    const second = await t.provider()
    const theirs = await t.policy(platform, user, await t.benefit(platform, second))
    const [first, other] = [await list(user, provider.token), await list(user, second.token)]
    assert.deepEqual([idsOf(first), first.body.total], [newestFirst, 2])
    assert.deepEqual([idsOf(other), other.body.total], [[theirs], 1])
    assert.equal((await list(user, platform.token)).body.total, 3)
  })

  it('200 many concurrent different calls each get their own response', async () => {
    const scenes = [await scene(1), await scene(2), await scene(3)]
    const calls = Array.from({ length: 30 }, (_, index) => ({ at: scenes[index % 3] as (typeof scenes)[0], index }))
    const responses = await Promise.all(
      calls.map(({ at, index }) => list(at.user, at.platform.token, index % 2 ? '?limit=2' : '?offset=1')),
    )
    for (const [index, { at }] of calls.entries()) {
      const expected = index % 2 ? at.newestFirst.slice(0, 2) : at.newestFirst.slice(1)
      assert.deepEqual(idsOf(responses[index] as TestResponse), expected)
    }
  })

  it('200 the same pages whether or not calls share a statement', async () => {
    const { platform, provider, user, newestFirst } = await scene(4)
    await t.policy(platform, user, await t.benefit(platform, await t.provider()))
    await storeStatus(newestFirst[1], 'ISSUED')
    const [nobody, userId] = [(await t.user(platform)).id as UserId, user.id as UserId]
    const of = { userId, platformId: platform.id, providerId: null, statuses: undefined, limit: 3, offset: 0 }
    const calls: ListCall[] = [
      of,
      { ...of, offset: 3 },
      { ...of, offset: 9 },
      { ...of, statuses: ['ISSUED', 'PENDING'], limit: 2, offset: 1 },
      { ...of, statuses: ['REJECTED'] },
      { ...of, platformId: null, providerId: provider.id },
      { ...of, userId: nobody },
    ]
    const kitOf = (batching: boolean) => ({ ...t.deps, db: { ...t.db, batching } })
    const pagesOf = async (batching: boolean) => {
      const context = kitOf(batching)
      const pages = await Promise.all(calls.map((call) => findPolicies(context, call)))
      return pages.map(({ rows, total }) => ({ data: rows.map(presentPolicy), total }))
    }
    const [shared, alone] = [await pagesOf(t.db.batching), await pagesOf(false)]
    assert.deepEqual(alone, shared)
    assert.deepEqual(
      shared.map(({ data, total }) => [data.length, total]),
      [
        [3, 5],
        [2, 5],
        [0, 5],
        [2, 5],
        [0, 0],
        [3, 4],
        [0, 0],
      ],
    )
    await assert.rejects(findPolicies(kitOf(false), { ...of, platformId: 'plt_other' }), { code: 'not_found' })
  })

  it('401 without a token', async () => {
    const { user } = await scene(0)
    assert.equal((await list(user, undefined)).status, 401)
  })

  it('404 for another owner’s user as for a missing one: for platforms, users and benefit providers', async () => {
    const { platform, user } = await scene(1)
    for (const { token } of [await t.platform(), await t.user(platform), await t.provider()]) {
      for (const query of ['', '?limit=0&status=NOPE']) {
        assertSameNotFound(await list(user, token, query), await list({ id: '099999999999' }, token, query))
      }
    }
  })

  it('422 an unknown status lists the allowed ones', async () => {
    const { platform, user } = await scene(0)
    const response = await list(user, platform.token, '?status=PENDING&status=pending')
    assert.deepEqual(errorsOf(response), ['query:status not_allowed'])
    for (const status of POLICY_STATUSES) assert.ok(response.body.errors[0].detail.includes(status))
    for (const query of ['?status=', '?status=PENDING,ISSUED']) {
      assert.deepEqual(errorsOf(await list(user, platform.token, query)), ['query:status not_allowed'])
    }
  })

  it('422 reports unknown parameters and invalid paging, all at once', async () => {
    const { platform, user } = await scene(0)
    const response = await list(user, platform.token, '?limit=101&offset=100001&status=NOPE&page=2&account_type=HSA')
    assert.deepEqual(errorsOf(response), [
      'query:account_type unknown',
      'query:limit too_large',
      'query:offset too_large',
      'query:page unknown',
      'query:status not_allowed',
    ])
    for (const [query, error] of [
      ['limit=0', 'query:limit too_small'],
      ['limit=ten', 'query:limit type'],
      ['limit=', 'query:limit type'],
      ['limit=1.5', 'query:limit type'],
      ['limit=1e1', 'query:limit type'],
      ['limit=5&limit=6', 'query:limit type'],
      ['offset=-1', 'query:offset too_small'],
    ]) {
      assert.deepEqual(errorsOf(await list(user, platform.token, `?${query}`)), [error], query)
    }
  })
})

describe('GET /v1/users/{user_id}/insurance_policies/{insurance_policy_id}', () => {
  it('200 for everyone who may list it, 304 for its ETag until the policy changes', async () => {
    const { platform, provider, user, newestFirst } = await scene(1)
    const id = String(newestFirst[0])
    for (const token of [platform.token, user.token, provider.token, t.viewer, t.operator, t.owner]) {
      const response = await read(user, id, token)
      assert.deepEqual([response.status, response.body.id, response.body.plan_code], [200, id, PLAN.plan_code])
      assert.deepEqual((await list(user, token)).body.data, [response.body])
    }
    const etag = String((await read(user, id, platform.token)).headers['etag'])
    const known = await read(user, id, platform.token, { 'if-none-match': etag })
    assert.deepEqual([known.status, known.text, known.headers['etag']], [304, '', etag])

    const status = { token: t.operator, body: { status: 'VERIFICATION' } }
    await t.made('PUT', `/v1/users/${user.id}/insurance_policies/${id}/status`, status)
    assert.equal((await read(user, id, platform.token, { 'if-none-match': etag })).status, 200)
  })

  it('401 without a token, and with a wallet token', async () => {
    const { platform, user, newestFirst } = await scene(1)
    assert.equal((await read(user, String(newestFirst[0]), undefined)).status, 401)
    assert.equal((await read(user, String(newestFirst[0]), await t.walletToken(platform, user))).status, 401)
  })

  it('404 for somebody else’s policy as for a missing one', async () => {
    const { platform, provider, user, newestFirst } = await scene(1)
    const [stranger, neighbour, insurer] = [await t.platform(), await t.user(platform), await t.provider()]
    // It insures the user as well, in another policy.
    await t.policy(platform, user, await t.benefit(platform, insurer))
    const id = String(newestFirst[0])
    const missing = await read(user, 'pol_nothing', platform.token)
    for (const { token } of [stranger, neighbour, insurer]) assertSameNotFound(await read(user, id, token), missing)
    for (const { token } of [platform, provider]) assertSameNotFound(await read(neighbour, id, token), missing)
  })

  it('422 for malformed ids', async () => {
    const { platform, user } = await scene(0)
    assert.deepEqual(errorsOf(await read({ id: 'me' }, 'x'.repeat(101), platform.token)), [
      'path:insurance_policy_id too_long',
      'path:user_id format',
    ])
    assert.deepEqual(errorsOf(await read(user, 'pol%0A', platform.token)), ['path:insurance_policy_id format'])
  })
})
