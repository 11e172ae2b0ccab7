import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp } from '../../support/app.ts'
import { openedReasons } from '../../support/reasons.ts'
import { assertSameNotFound, errorsOf } from '../../support/problems.ts'

const t = await openTestApp()

const open = (user: { id: string }, token: string | undefined, body: object) =>
  t.call('POST', `/v1/users/${user.id}/consultations`, { ...(token && { token }), body })

async function scene() {
  const { platform, provider } = await t.offer()
  return { platform, provider, user: await t.user(platform), input: { benefit_provider_id: provider.id } }
}

const countOf = async ({ id }: { id: string }) =>
  (await t.sql('select 1 from consultations where user_id = $1', [id])).length

describe('POST /v1/users/{user_id}/consultations', () => {
  it('201 opens one under the benefit provider’s code, for platform and user', async () => {
    const { platform, provider, user, input } = await scene()
    for (const token of [platform.token, user.token]) {
      const response = await open(user, token, input)
      assert.equal(response.status, 201)
      const { id, created_at, last_modified_at, ...rest } = response.body
      assert.match(id, /^con_[0-9a-z]+$/)
      assert.equal(last_modified_at, created_at)
      const expected = { user_id: user.id, benefit_provider_id: provider.id, provider: provider.code, status: 'OPEN' }
      assert.deepEqual(rest, expected)
      const address = `/v1/users/${user.id}/consultations/${id}`
      assert.equal(response.headers['location'], address)
      assert.deepEqual(await t.made('GET', address, { token: platform.token }), response.body)
      const [event] = await t.sql('select type, platform_id, data from events where subject = $1', [id])
      const data = { user_id: user.id, consultation_id: id, benefit_provider_id: provider.id, from: null, to: 'OPEN' }
      assert.deepEqual(event, { type: 'consultation.status_changed', platform_id: platform.id, data })
      const [began] = await t.sql('select from_status, to_status from user_status_changes where entity_id = $1', [id])
      assert.deepEqual(began, { from_status: null, to_status: 'OPEN' })
    }
    assert.equal(await countOf(user), 2)
  })

  it('201 for a benefit provider with a user it insures or treats', async () => {
    const { platform, provider, user, input } = await scene()
    await t.consultation(platform, user, provider)
    assert.equal((await open(user, provider.token, input)).status, 201)
    const insured = await t.user(platform)
    await t.policy(platform, insured, await t.benefit(platform, provider))
    assert.equal((await open(insured, provider.token, input)).status, 201)
  })

  it('404 for a benefit provider and a user unrelated to it, until somebody opens a consultation between them', async () => {
    const { platform, provider, user, input } = await scene()
    const missing = await open({ id: '099999999999' }, provider.token, input)
    assertSameNotFound(await open(user, provider.token, input), missing)
    assert.equal(await countOf(user), 0)
    await t.consultation(platform, user, provider)
    assert.equal((await open(user, provider.token, input)).status, 201)
  })

  it('404 for another platform’s user as for a missing one, whatever the body', async () => {
    const { platform, user, input } = await scene()
    for (const { token } of [await t.platform(), await t.user(platform)]) {
      for (const body of [input, {}]) {
        assertSameNotFound(await open(user, token, body), await open({ id: '099999999999' }, token, body))
      }
    }
    assert.equal(await countOf(user), 0)
  })

  it('401 without a token, 403 for every administrator', async () => {
    const { user, input } = await scene()
    assert.equal((await open(user, undefined, input)).status, 401)
    for (const token of [t.viewer, t.operator, t.owner]) assert.equal((await open(user, token, input)).status, 403)
    assert.equal(await countOf(user), 0)
  })

  it('422 for a missing benefit provider, or another one in the provider’s own call', async () => {
    const { platform, provider, user } = await scene()
    await t.consultation(platform, user, provider)
    const second = await t.provider()
    for (const [token, benefit_provider_id] of [
      [platform.token, 'bpr_nothing'],
      [provider.token, second.id],
      [provider.token, 'bpr_nothing'],
    ] as const) {
      const refused = await open(user, token, { benefit_provider_id })
      assert.deepEqual(errorsOf(refused), ['/benefit_provider_id unknown_reference'])
    }
    assert.deepEqual(errorsOf(await open(user, platform.token, {})), ['/benefit_provider_id required'])
    assert.deepEqual(errorsOf(await open({ id: '1' }, platform.token, {})), ['path:user_id format'])
    assert.equal(await countOf(user), 1)
    const links = await t.sql('select benefit_provider_id as id from user_providers where user_id = $1', [user.id])
    assert.deepEqual(links, [{ id: provider.id }], 'the other one was not let in')
  })
})

describe('PUT /v1/users/{user_id}/consultations/{consultation_id}/status', () => {
  const put = (address: string, token: string | undefined, body: object, headers = {}) =>
    t.call('PUT', `${address}/status`, { ...(token && { token }), body, headers })

  async function opened() {
    const at = await scene()
    const id = await t.consultation(at.platform, at.user, at.provider)
    return { ...at, id, address: `/v1/users/${at.user.id}/consultations/${id}` }
  }

  const historyOf = (id: string) =>
    t.sql<{ reason: string | null }>(
      `select from_status, to_status, actor, reason from user_status_changes
        where entity_id = $1 and from_status is not null`,
      [id],
    )

  /** The from and to of each event of this consultation. */
  async function reportedTransitionsOf(id: string) {
    const reported = await t.sql<{ data: { from: string | null; to: string } }>(
      `select data from events where type = 'consultation.status_changed' and subject = $1 order by event_id`,
      [id],
    )
    return reported.map(({ data }) => [data.from, data.to])
  }

  it('200 closes it for platform, user and benefit provider, with history', async () => {
    for (const who of ['platform', 'user', 'provider'] as const) {
      const at = await opened()
      const response = await put(at.address, at[who].token, { status: 'CLOSED' })
      assert.deepEqual([response.status, response.body.id, response.body.status], [200, at.id, 'CLOSED'])
      const change = { from_status: 'OPEN', to_status: 'CLOSED', actor: `${who}:${at[who].id}`, reason: null }
      assert.deepEqual(await historyOf(at.id), [change])
      assert.deepEqual(await t.made('GET', at.address, { token: at.platform.token }), response.body)
    }
  })

  it('200 stores the reason sealed', async () => {
    const at = await opened()
    await put(at.address, at.user.token, { status: 'CLOSED', reason: 'Sealedreason' })
    const [change] = await historyOf(at.id)
    assert.ok(!String(change?.reason).includes('Sealedreason'))
    assert.equal((await openedReasons(t, at.id)).at(-1), 'Sealedreason')
  })

  it('200 for the current status: the record unchanged, and nothing else', async () => {
    const at = await opened()
    const before = await t.call('GET', at.address, { token: at.user.token })
    const same = await put(at.address, at.user.token, { status: 'OPEN' })
    assert.deepEqual([same.status, same.text, same.headers['etag']], [200, before.text, before.headers['etag']])
    assert.deepEqual(await historyOf(at.id), [])
    const closed = await put(at.address, at.platform.token, { status: 'CLOSED', reason: 'Asked for' })
    const again = await put(at.address, at.user.token, { status: 'CLOSED', reason: 'Asked for once more' })
    assert.deepEqual([again.status, again.text, again.headers['etag']], [200, closed.text, closed.headers['etag']])
    assert.equal((await historyOf(at.id)).length, 1)
    assert.deepEqual(await reportedTransitionsOf(at.id), [
      [null, 'OPEN'],
      ['OPEN', 'CLOSED'],
    ])
  })

  it('409 invalid_state for reopening a closed one', async () => {
    const at = await opened()
    await t.made('PUT', `${at.address}/status`, { token: at.user.token, body: { status: 'CLOSED' } })
    const { body, status } = await put(at.address, at.platform.token, { status: 'OPEN' })
    assert.deepEqual(
      [status, body.code, body.current_state, body.allowed_transitions],
      [409, 'invalid_state', 'CLOSED', []],
    )
    assert.equal((await historyOf(at.id)).length, 1)
  })

  it('200 of many concurrent calls, one closes it', async () => {
    const at = await opened()
    const callers = Array.from({ length: 12 }, (_, index) => [at.platform, at.user, at.provider][index % 3])
    const responses = await Promise.all(callers.map((caller) => put(at.address, caller?.token, { status: 'CLOSED' })))
    for (const { status, text } of responses) assert.deepEqual([status, text], [200, responses[0]?.text])
    assert.equal((await historyOf(at.id)).length, 1)
    assert.equal((await reportedTransitionsOf(at.id)).length, 2)
  })

  it('412 when If-Match names another version than the stored one, 200 when it names this one', async () => {
    const at = await opened()
    const etag = String((await t.call('GET', at.address, { token: at.user.token })).headers['etag'])
    assert.equal((await put(at.address, at.user.token, { status: 'CLOSED' }, { 'if-match': '"other"' })).status, 412)
    assert.deepEqual(await historyOf(at.id), [])
    assert.equal((await put(at.address, at.user.token, { status: 'CLOSED' }, { 'if-match': etag })).status, 200)
  })

  it('401, 403 for every administrator, 404 for another platform’s, 422 for errors: it stays open', async () => {
    const at = await opened()
    const body = { status: 'CLOSED' }
    assert.equal((await put(at.address, undefined, body)).status, 401)
    for (const token of [t.viewer, t.operator, t.owner]) assert.equal((await put(at.address, token, body)).status, 403)

    const second = await t.provider()
    await t.consultation(at.platform, at.user, second) // it can see the user, not this consultation
    const strangers = [await t.platform(), await t.user(at.platform), second]
    for (const { token } of strangers) {
      const missing = `/v1/users/${at.user.id}/consultations/con_nothing`
      assertSameNotFound(await put(at.address, token, body), await put(missing, token, body))
    }
    const faulty = await put(at.address, at.platform.token, { status: 'DONE', reason: '' })
    assert.deepEqual(errorsOf(faulty), ['/reason too_short', '/status not_allowed'])
    assert.equal((await t.made('GET', at.address, { token: at.user.token })).status, 'OPEN')
    assert.deepEqual(await historyOf(at.id), [])
  })
})
