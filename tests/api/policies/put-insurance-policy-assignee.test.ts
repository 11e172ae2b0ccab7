import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Body, openTestApp, type TestResponse } from '../../support/app.ts'
import { beginDeskSession, beginSession } from '../../support/administrators.ts'
import { errorsOf } from '../../support/problems.ts'

const t = await openTestApp()

/** A process set up as on a cluster, for which the lists are read in another form. */
const unshared = await t.openNode({ batching: false })

async function prepare(count = 1) {
  const [platform, provider] = [await t.platform(), await t.provider()]
  const benefit = await t.benefit(platform, provider)
  const policies: { id: string; userId: string; url: string; assignee: string }[] = []
  for (let index = 0; index < count; index++) {
    const user = await t.onboardedUser(platform)
    const id = await t.policy(platform, user, benefit)
    const url = `/v1/users/${user.id}/insurance_policies/${id}`
    policies.push({ id, userId: user.id, url, assignee: `${url}/assignee` })
  }
  const [first] = policies
  assert(first)
  const [desk, colleague] = [
    await beginDeskSession(t, provider.id, 'Kiran Example'),
    await beginDeskSession(t, provider.id, 'Nila Example'),
  ]
  return { platform, provider, policies, first, desk, colleague }
}

const assign = (url: string, token: string, body: object = {}) => t.call('PUT', url, { token, body })
const release = (url: string, token: string) => t.call('DELETE', url, { token })

async function list(token: string, query: string): Promise<Body[]> {
  const call = ['GET', `/v1/insurance_policies${query}`, { token }] as const
  const [response, other] = [await t.call(...call), await unshared.call(...call)]
  assert.equal(response.status, 200, response.text)
  assert.deepEqual([other.status, other.body.data], [200, response.body.data])
  return response.body.data
}
const idsOf = (rows: Body[]): string[] => rows.map(({ id }) => id)
const assigneeOf = ({ body }: TestResponse) => body.assignee

describe('PUT /v1/users/{user_id}/insurance_policies/{insurance_policy_id}/assignee', () => {
  it('200 to oneself and to a colleague, without a new version of the policy and without an event', async () => {
    const { provider, first, desk, colleague } = await prepare()
    const before = await t.call('GET', first.url, { token: provider.token })
    const events = async () =>
      (await t.sql('select 1 from events where data ->> $1 = $2', ['policy_id', first.id])).length
    const count = await events()
    const taken = await assign(first.assignee, desk.token)
    assert.deepEqual(
      [taken.status, taken.body.insurance_policy_id, assigneeOf(taken)],
      [200, first.id, { id: desk.administratorId, name: 'Kiran Example' }],
    )
    assert.match(taken.body.assigned_at, /^\d{4}-/)
    assert.deepEqual((await t.call('GET', first.assignee, { token: desk.token })).body, taken.body)
    for (const again of [await assign(first.assignee, desk.token), await t.call('PUT', first.assignee, desk)])
      assert.deepEqual(again.body, taken.body, 'again, also without a body, changes nothing')
    const given = await assign(first.assignee, desk.token, {
      administrator_id: colleague.administratorId,
      take_over: true,
    })
    assert.deepEqual(assigneeOf(given), { id: colleague.administratorId, name: 'Nila Example' })
    const after = await t.call('GET', first.url, { token: provider.token })
    assert.deepEqual([after.headers['etag'], after.body], [before.headers['etag'], before.body])
    assert.equal(await events(), count)
  })

  it('200 for an administrator to another, and to somebody of the desk; the audit has who did it', async () => {
    const { first, desk } = await prepare()
    const [operator, viewer] = [await beginSession(t, 'operator'), await beginSession(t, 'viewer', 'Meera Example')]
    for (const [body, id, name] of [
      [{}, operator.administratorId, 'Asha Example'],
      [{ administrator_id: viewer.administratorId, take_over: true }, viewer.administratorId, 'Meera Example'],
      [{ administrator_id: desk.administratorId, take_over: true }, desk.administratorId, 'Kiran Example'],
    ] as const)
      assert.deepEqual(assigneeOf(await assign(first.assignee, operator.token, body)), { id, name })
    const entries = await t.sql('select actor, action from audit_entries where subject = $1 and operation = $2', [
      first.id,
      'assignInsurancePolicy',
    ])
    assert.deepEqual(
      entries,
      Array.from({ length: 3 }, () => ({ actor: `operator:${operator.administratorId}`, action: 'change' })),
    )
  })

  it('200 shows names to administrators and to the desk of that person, ids to others', async () => {
    const { platform, provider, first, desk } = await prepare()
    const owner = await beginSession(t, 'owner', 'Meera Example')
    await assign(first.assignee, desk.token)
    const shownTo = async (token: string) => assigneeOf(await t.call('GET', first.assignee, { token }))
    const id = desk.administratorId
    for (const token of [desk.token, provider.token, owner.token, t.viewer])
      assert.deepEqual(await shownTo(token), { id, name: 'Kiran Example' })
    assert.deepEqual(await shownTo(platform.token), { id, name: null })
    await assign(first.assignee, owner.token, { take_over: true })
    assert.deepEqual(await shownTo(desk.token), { id: owner.administratorId, name: null })
    const [row] = await list(provider.token, '')
    assert.deepEqual(row?.assignee, { id: owner.administratorId, name: null })
  })

  it('409 when somebody else works on it, of two at once to the second', async () => {
    const { first, desk, colleague } = await prepare()
    const both = await Promise.all([desk, colleague].map(({ token }) => assign(first.assignee, token)))
    assert.deepEqual(
      both.map(({ status }) => status).toSorted((one, other) => one - other),
      [200, 409],
    )
    const refused = both.find(({ status }) => status === 409)
    assert.deepEqual([refused?.body.code, refused?.body.reason], ['conflict', 'assigned'])
    const winner = both.find(({ status }) => status === 200)
    assert(winner)
    assert.deepEqual(assigneeOf(await t.call('GET', first.assignee, { token: desk.token })), assigneeOf(winner))
  })

  it('422 for who cannot work on it, and for a token of nobody', async () => {
    const { provider, first, desk } = await prepare()
    const [other, gone, operator] = [
      await beginDeskSession(t, (await t.provider()).id),
      await beginDeskSession(t, provider.id),
      await beginSession(t, 'operator'),
    ]
    await t.made('PUT', `/v1/administrators/${gone.administratorId}/status`, {
      token: t.owner,
      body: { status: 'DISABLED' },
    })
    for (const [token, administrator_id] of [
      [desk.token, 'adm_missing'],
      [desk.token, other.administratorId],
      [desk.token, operator.administratorId],
      [desk.token, gone.administratorId],
      [operator.token, other.administratorId],
    ] as const) {
      const response = await assign(first.assignee, token, { administrator_id })
      assert.deepEqual([response.status, errorsOf(response)], [422, ['/administrator_id unknown_reference']])
    }
    for (const token of [provider.token, t.operator])
      assert.deepEqual(errorsOf(await assign(first.assignee, token)), ['/administrator_id required'])
    assert.equal(assigneeOf(await t.call('GET', first.assignee, { token: desk.token })), null)
  })

  it('401, 403 and 404 for whose policy it is not', async () => {
    const { platform, first } = await prepare()
    const other = await beginDeskSession(t, (await t.provider()).id)
    const viewer = await beginSession(t, 'viewer')
    for (const method of ['PUT', 'DELETE']) {
      const sent = method === 'PUT' ? { body: {} } : {}
      assert.equal((await t.call(method, first.assignee, sent)).status, 401)
      for (const token of [platform.token, viewer.token])
        assert.equal((await t.call(method, first.assignee, { token, ...sent })).status, 403)
      assert.equal((await t.call(method, first.assignee, { token: other.token, ...sent })).status, 404)
    }
    assert.equal((await t.call('GET', first.assignee, { token: other.token })).status, 404)
  })

  it('404 once the person is erased', async () => {
    const { first, desk, platform } = await prepare()
    await t.made('DELETE', `/v1/users/${first.userId}?end_policies=true`, { token: platform.token })
    for (const response of [await assign(first.assignee, desk.token), await release(first.assignee, desk.token)])
      assert.equal(response.status, 404)
  })
})

describe('DELETE /v1/users/{user_id}/insurance_policies/{insurance_policy_id}/assignee', () => {
  it('200 by a colleague, and again', async () => {
    const { first, desk, colleague } = await prepare()
    await assign(first.assignee, desk.token)
    for (const _ of [1, 2]) {
      const { status, body } = await release(first.assignee, colleague.token)
      assert.deepEqual([status, body], [200, { insurance_policy_id: first.id, assignee: null, assigned_at: null }])
    }
    assert.deepEqual(
      (await list(desk.token, '')).map(({ assignee }) => assignee),
      [null],
    )
  })
})

describe('GET /v1/insurance_policies?assignee=', () => {
  it('200 mine, nobody’s, and those of a person, in each order of the list', async () => {
    const { provider, policies, desk, colleague } = await prepare(4)
    const [a, b, c, d] = policies
    assert(a && b && c && d)
    for (const [policy, { token }] of [
      [a, desk],
      [b, desk],
      [c, colleague],
    ] as const)
      await assign(policy.assignee, token)
    const mine = [a.id, b.id].toSorted()
    for (const order of ['', '&order=oldest', '&status=PENDING', '&due_before=2999-01-01']) {
      const none: string[] = order.startsWith('&due') ? [] : [d.id]
      const own: string[] = order.startsWith('&due') ? [] : mine
      assert.deepEqual(idsOf(await list(desk.token, `?assignee=me${order}`)).toSorted(), own, order)
      assert.deepEqual(idsOf(await list(desk.token, `?assignee=none${order}`)), none, order)
    }
    const [listed] = await list(desk.token, `?assignee=${colleague.administratorId}`)
    assert.deepEqual([listed?.id, listed?.assignee], [c.id, { id: colleague.administratorId, name: 'Nila Example' }])
    assert.deepEqual(idsOf(await list(desk.token, '?assignee=me&sent_back=true')), [])
    assert.deepEqual(idsOf(await list(desk.token, '?assignee=me&status=ISSUED')), [])
    assert.deepEqual(idsOf(await list((await t.provider()).token, `?assignee=${desk.administratorId}`)), [])
    const { next } = (await t.call('GET', '/v1/insurance_policies?assignee=me&limit=1', { token: desk.token })).body
    assert.equal((await list(desk.token, `?assignee=me&limit=1&after=${next}`)).length, 1)
    const refused = await t.call('GET', '/v1/insurance_policies?assignee=me', { token: provider.token })
    assert.deepEqual([refused.status, errorsOf(refused)], [422, ['query:assignee not_allowed']])
  })

  it('200 in a search by number, too', async () => {
    const { first, desk } = await prepare()
    await assign(first.assignee, desk.token)
    const body = { policy_number: first.id }
    const { data } = await t.made('POST', '/v1/insurance_policies/search', { token: desk.token, body })
    assert.deepEqual(data[0].assignee, { id: desk.administratorId, name: 'Kiran Example' })
  })
})
