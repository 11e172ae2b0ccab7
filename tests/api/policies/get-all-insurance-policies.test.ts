import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { POLICY_STATUSES } from '../../../src/domains/cover/policies/states.ts'
import { type Body, openTestApp, type TestResponse } from '../../support/app.ts'
import { assertSameProblem, errorsOf } from '../../support/problems.ts'

const t = await openTestApp()

/** A process set up as on a cluster, for which the lists are read in another form. */
const unshared = await t.openNode({ batching: false })

async function list(token: string | undefined, query = '') {
  const call = ['GET', `/v1/insurance_policies${query}`, token === undefined ? {} : { token }] as const
  const [response, other] = [await t.call(...call), await unshared.call(...call)]
  assert.deepEqual([other.status, other.body.data], [response.status, response.body.data])
  return response
}
const idsOf = ({ body, text }: TestResponse): string[] => {
  assert(body.data, text)
  return body.data.map(({ id }: { id: string }) => id)
}

/** A platform and an insurer with a policy each of several users, changed at these minutes past an hour. */
async function scene(minutes: number[]) {
  const [platform, provider] = [await t.platform(), await t.provider()]
  const benefit = await t.benefit(platform, provider)
  const ids: string[] = []
  for (const minute of minutes) {
    const user = await t.onboardedUser(platform)
    const id = await t.policy(platform, user, benefit)
    await change(id, `2026-04-01 10:${String(minute).padStart(2, '0')}:00.123456Z`)
    ids.push(id)
  }
  return { platform, provider, benefit, ids }
}

const change = (id: string, at: string) =>
  t.sql('update insurance_policies set last_modified_at = $2 where policy_id = $1', [id, at])
const storeStatus = (id: string, status: string) =>
  t.sql('update insurance_policies set status = $2 where policy_id = $1', [id, status])

/** Follows `next` to the end, and returns the ids of each page. */
async function pages(token: string, query = ''): Promise<string[][]> {
  const all: string[][] = []
  for (let after = ''; ; ) {
    const page = await list(token, `?limit=2${query}${after}`)
    all.push(idsOf(page))
    if (page.body.next === null) return all
    after = `&after=${page.body.next}`
  }
}

describe('GET /v1/insurance_policies', () => {
  it('200 last change first, to the benefit provider, the platform and administrators, in small entries', async () => {
    const { platform, provider, benefit, ids } = await scene([2, 3, 1])
    const [second = '', third = '', first = ''] = ids
    const newestFirst = [third, second, first]
    assert.deepEqual(idsOf(await list(provider.token)), newestFirst)
    assert.deepEqual(idsOf(await list(platform.token)), newestFirst)
    for (const token of [t.viewer, t.operator, t.owner])
      assert.deepEqual(idsOf(await list(token, `?benefit_id=${benefit}`)), newestFirst)
    const { data, next, limit } = (await list(provider.token)).body
    assert.deepEqual([next, limit], [null, 20])
    const { id, user_id, created_at, status_since, ...entry } = data[0]
    assert.deepEqual(entry, {
      platform_id: platform.id,
      benefit_id: benefit,
      benefit_provider_id: provider.id,
      plan_code: 'FAMILY_5L',
      status: 'PENDING',
      start_date: '2026-04-01',
      end_date: '2027-03-31',
      is_sent_back: false,
      assignee: null,
      next_move_on: null,
      last_modified_at: '2026-04-01T10:03:00',
    })
    assert.deepEqual([id, typeof user_id, status_since], [third, 'string', created_at])
  })

  it('200 pages that meet every policy once, also among equal times, and link to each other', async () => {
    const { platform, provider, ids } = await scene([1, 1, 1, 2, 2])
    const expected = [...ids.slice(3).toSorted().toReversed(), ...ids.slice(0, 3).toSorted().toReversed()]
    for (const token of [platform.token, provider.token]) {
      const found = await pages(token)
      assert.deepEqual([found.map((page) => page.length), found.flat()], [[2, 2, 1], expected])
    }
    const first = await list(provider.token, '?limit=2')
    assert.equal(first.headers['link'], `</v1/insurance_policies?limit=2&after=${first.body.next}>; rel="next"`)
    assert.equal((await list(provider.token, '?limit=5')).headers['link'], undefined)
    assert.equal((await list(provider.token, '?limit=5')).body.next, null)
  })

  it('200 every filter, repeated and together', async () => {
    const { platform, provider, benefit, ids } = await scene(POLICY_STATUSES.map((_, index) => 59 - index))
    for (const [index, status] of POLICY_STATUSES.entries()) await storeStatus(ids[index] as string, status)
    for (const [index, status] of POLICY_STATUSES.entries())
      assert.deepEqual(idsOf(await list(provider.token, `?status=${status}`)), [ids[index]])
    const both = idsOf(await list(platform.token, '?status=EXPIRED&status=PENDING&status=PENDING'))
    assert.deepEqual(both, [ids[0], ids[POLICY_STATUSES.indexOf('EXPIRED')]])
    assert.deepEqual((await pages(t.owner, `&benefit_provider_id=${provider.id}`)).flat(), ids)
    const others = `&benefit_provider_id=bpr_missing&benefit_provider_id=${provider.id}`
    assert.deepEqual((await pages(platform.token, others)).flat(), ids)
    assert.deepEqual((await pages(provider.token, `&benefit_id=bnf_missing&benefit_id=${benefit}`)).flat(), ids)
    assert.deepEqual(idsOf(await list(provider.token, '?benefit_id=bnf_missing')), [])
    assert.deepEqual(idsOf(await list(provider.token, '?changed_after=2026-04-01T10:57:00')), ids.slice(0, 3))
    assert.deepEqual(idsOf(await list(provider.token, '?changed_after=2026-04-01T10:58:00.500Z')), ids.slice(0, 1))

    await t.sql('update insurance_policies set next_move_on = $2 where policy_id = $1', [ids[3], '2026-05-01'])
    assert.deepEqual(idsOf(await list(provider.token, '?due_before=2026-05-02')), [ids[3]])
    assert.deepEqual(idsOf(await list(provider.token, '?due_before=2026-05-01')), [])
    assert.deepEqual(idsOf(await list(provider.token, '?due_before=2026-05-02&status=PENDING')), [])
  })

  it('200 of several benefits in one order, in pages that meet every policy once', async () => {
    const { platform, provider, benefit, ids } = await scene([1, 3, 5])
    const others = await Promise.all([1, 2, 3, 4].map(() => t.benefit(platform, provider)))
    const of = async (benefitId: string, minute: number) => {
      const id = await t.policy(platform, await t.onboardedUser(platform), benefitId)
      await change(id, `2026-04-01 10:0${minute}:00.123456Z`)
      return id
    }
    const [second, fourth] = [await of(others[0] as string, 2), await of(others[1] as string, 4)]
    const unlisted = await of(others[3] as string, 6)
    const two = `&benefit_id=${benefit}&benefit_id=${others[0]}&benefit_id=${benefit}`
    assert.deepEqual((await pages(provider.token, two)).flat(), [ids[2], ids[1], second, ids[0]])
    const four = `${two}&benefit_id=${others[1]}&benefit_id=${others[2]}`
    for (const token of [platform.token, provider.token, t.owner])
      assert.deepEqual((await pages(token, four)).flat(), [ids[2], fourth, ids[1], second, ids[0]])
    const twelve = `${four}${Array.from({ length: 8 }, (_, index) => `&benefit_id=bnf_missing_${index}`).join('')}`
    assert.deepEqual((await pages(provider.token, twelve)).flat(), [ids[2], fourth, ids[1], second, ids[0]])
    assert(idsOf(await list(provider.token)).includes(unlisted))
    assert.deepEqual(idsOf(await list((await t.provider()).token, `?${four.slice(1)}`)), [])
  })

  it('200 with due_before the earliest day first, in pages that meet every policy once', async () => {
    const { platform, provider, benefit, ids } = await scene([1, 2, 3, 4, 5, 6])
    const due = async (index: number, day: string, status = 'ISSUED') => {
      const values = [ids[index], day, status]
      await t.sql('update insurance_policies set next_move_on = $2, status = $3 where policy_id = $1', values)
      return ids[index] as string
    }
    const sameDay = [await due(4, '2026-05-02'), await due(1, '2026-05-02', 'REQUIRES_CUSTOMER_RENEWAL')]
    const expected = [await due(0, '2026-05-01'), ...sameDay.toSorted(), await due(3, '2026-05-03')]
    await due(5, '2026-05-09')
    for (const token of [platform.token, provider.token])
      assert.deepEqual((await pages(token, '&due_before=2026-05-09')).flat(), expected)
    const both = `&due_before=2026-05-09&benefit_provider_id=${provider.id}`
    assert.deepEqual((await pages(t.owner, both)).flat(), expected)
    assert.deepEqual((await pages(provider.token, `&due_before=2026-05-09&benefit_id=${benefit}`)).flat(), expected)
    const renewals = '?due_before=2026-05-09&status=REQUIRES_CUSTOMER_RENEWAL&status=PENDING'
    assert.deepEqual(idsOf(await list(provider.token, renewals)), [ids[1]])
    assert.deepEqual(idsOf(await list(provider.token, '?due_before=2026-05-09&status=EXPIRED')), [])
    const since = '?due_before=2026-05-09&changed_after=2026-04-01T10:04:30'
    assert.deepEqual(idsOf(await list(provider.token, since)), [ids[4]])

    const { next } = (await list(provider.token, '?limit=2&due_before=2026-05-09')).body
    const later = await list(provider.token, `?limit=2&due_before=2026-05-08&after=${next}`)
    assert.deepEqual(errorsOf(later), ['query:after unknown_reference'])
  })

  it('200 with a real change first: the policy that was verified last', async () => {
    const { provider, ids } = await scene([1, 2])
    const [older = '', newer = ''] = ids
    const { user_id } = (await list(provider.token)).body.data[1]
    const url = `/v1/users/${user_id}/insurance_policies/${older}/status`
    await t.made('PUT', url, { token: provider.token, body: { status: 'VERIFICATION' } })
    const { data } = (await list(provider.token)).body
    assert.deepEqual(
      data.map(({ id, status }: Body) => [id, status]),
      [
        [older, 'VERIFICATION'],
        [newer, 'PENDING'],
      ],
    )
  })

  it('200 without the policies of others, whatever is asked for', async () => {
    const [ours, theirs] = [await scene([1]), await scene([2])]
    for (const [token, foreign] of [
      [ours.platform.token, theirs],
      [ours.provider.token, theirs],
      [theirs.platform.token, ours],
      [theirs.provider.token, ours],
    ] as const) {
      assert(!idsOf(await list(token)).includes(foreign.ids[0] as string))
      for (const filter of [`benefit_id=${foreign.benefit}`, `benefit_provider_id=${foreign.provider.id}`])
        assert.deepEqual(idsOf(await list(token, `?${filter}`)), [])
    }
  })

  it('200 without the policies of an erased person', async () => {
    const { platform, provider, ids } = await scene([1, 2])
    const { data } = (await list(platform.token)).body
    await t.made('DELETE', `/v1/users/${data[0].user_id}?end_policies=true`, { token: platform.token, headers: {} })
    assert.deepEqual(idsOf(await list(platform.token)), [ids[0]])
    assert.deepEqual(idsOf(await list(provider.token)), [ids[0]])
  })

  it('422 a cursor that is malformed, altered, or of another caller, filter or list', async () => {
    const [ours, theirs] = [await scene([1, 2]), await scene([1, 2])]
    const { next } = (await list(ours.provider.token, '?limit=1')).body
    assert.equal((await list(ours.provider.token, `?after=${next}`)).status, 200)
    const [text = '', code = ''] = next.split('.')
    const altered = `${Buffer.from(Buffer.from(text, 'base64url').toString().replace(/.$/, '!')).toString('base64url')}.${code}`
    const refused = [
      [ours.provider.token, `?after=${altered}`],
      [theirs.provider.token, `?after=${next}`],
      [ours.platform.token, `?after=${next}`],
      [t.owner, `?after=${next}`],
      [ours.provider.token, `?after=${next}&status=PENDING`],
      [ours.provider.token, `?after=${next}&changed_after=2026-04-01T00:00:00`],
    ] as const
    const responses = await Promise.all(refused.map(([token, query]) => list(token, query)))
    for (const response of responses) {
      assert.deepEqual(errorsOf(response), ['query:after unknown_reference'])
      assert.match(response.body.errors[0].detail, /^Not a cursor of this list/)
      assertSameProblem(response, responses[0] as TestResponse)
    }
    const elsewhere = await t.call('GET', `/v1/consultations?after=${next}`, { token: ours.provider.token })
    assert.deepEqual(errorsOf(elsewhere), ['query:after unknown_reference'])
    for (const wrong of ['x', 'evt_06bnv3m2r8f1s4k7q9t3v6w0y2', `${next}x`, '..', '0'])
      assert.deepEqual(errorsOf(await list(ours.provider.token, `?after=${wrong}`)), ['query:after format'], wrong)
  })

  it('200 a cursor in which only the order of repeated filters, or the limit, has changed', async () => {
    const { provider, ids } = await scene([1, 2])
    const { next } = (await list(provider.token, '?limit=1&status=PENDING&status=ISSUED')).body
    const other = await list(provider.token, `?limit=5&status=ISSUED&status=PENDING&status=ISSUED&after=${next}`)
    assert.deepEqual(idsOf(other), [ids[0]])
  })

  it('422 wrong filters, each with its pointer', async () => {
    const { token } = await t.provider()
    const wrong = {
      'status=OPEN': 'query:status not_allowed',
      'limit=0': 'query:limit too_small',
      'limit=101': 'query:limit too_large',
      'offset=1': 'query:offset unknown',
      'due_before=2026-02-30': 'query:due_before format',
      'changed_after=yesterday': 'query:changed_after format',
      'changed_after=2026-02-30T00:00:00': 'query:changed_after format',
      'changed_after=0000-01-01T00:00:00': 'query:changed_after format', // PostgreSQL has no such year
    }
    for (const [query, error] of Object.entries(wrong))
      assert.deepEqual(errorsOf(await list(token, `?${query}`)), [error], query)
  })

  it('401 and 403 for everybody else', async () => {
    assert.equal((await list(undefined)).status, 401)
    const platform = await t.platform()
    const user = await t.user(platform)
    assert.equal((await list(user.token)).status, 403)
  })
})
