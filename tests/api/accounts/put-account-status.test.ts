import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp } from '../../support/app.ts'
import { openedReasons } from '../../support/reasons.ts'
import { assertSameNotFound, conflictOf, errorsOf } from '../../support/problems.ts'

const t = await openTestApp()

type Status = 'PENDING' | 'ACTIVE' | 'INACTIVE'
const STATUSES: Status[] = ['PENDING', 'ACTIVE', 'INACTIVE']

/** An administrator's transitions; only the account provider's response makes PENDING → ACTIVE. */
const ARROWS: Record<Status, Status[]> = { PENDING: ['INACTIVE'], ACTIVE: ['INACTIVE'], INACTIVE: ['ACTIVE'] }

async function scene(status: Status = 'PENDING') {
  const { platform } = await t.offer()
  const user = await t.onboardedUser(platform)
  const { data } = await t.made('GET', `/v1/users/${user.id}/accounts`, { token: platform.token })
  const at = { platform, user, id: String(data[0].id), address: `/v1/users/${user.id}/accounts/${data[0].id}` }
  if (status !== 'PENDING') await storeStatus(at, status)
  return at
}
type Scene = Awaited<ReturnType<typeof scene>>

const put = ({ address }: { address: string }, token: string | undefined, body: unknown, headers = {}) =>
  t.call('PUT', `${address}/status`, { ...(token && { token }), body, headers })

/** Sets what the account provider's response would have set. */
const storeStatus = ({ id }: { id: string }, status: Status) =>
  t.sql(
    `update accounts set status = $2, external_account_id = 'EXT-1', ifsc_code = 'BNYN0000001' where account_id = $1`,
    [id, status],
  )

async function traces({ id }: Scene) {
  const [row] = await t.sql('select * from accounts where account_id = $1', [id])
  const history = await t.sql<{ from_status: string; to_status: string; actor: string; reason: string | null }>(
    `select from_status, to_status, actor, reason from user_status_changes
      where entity_id = $1 and from_status is not null
      order by at, change_id`,
    [id],
  )
  const events = await t.sql(
    `select data from events where subject = $1 and data ->> 'from' is not null order by occurred_at, event_id`,
    [id],
  )
  return { row, history, events }
}

describe('PUT /v1/users/{user_id}/accounts/{account_id}/status', () => {
  for (const from of STATUSES) {
    it(`200 from ${from} to ${ARROWS[from].join(', ')}; every other transition leaves the account unchanged`, async () => {
      for (const token of [t.operator, t.owner]) {
        for (const to of STATUSES) {
          const at = await scene(from)
          const before = await traces(at)
          const response = await put(at, token, { status: to })
          const step = `${from} → ${to}: ${response.text}`
          if (ARROWS[from].includes(to)) {
            assert.deepEqual([response.status, response.body.id, response.body.status], [200, at.id, to], step)
            const { row, history, events } = await traces(at)
            assert.deepEqual([row?.['status'], history.length, events.length], [to, 1, 1], step)
            continue
          }
          assert.deepEqual(await traces(at), before, step)
          if (to === from) {
            assert.deepEqual([response.status, response.body.status], [200, from], step)
            continue
          }
          assert.deepEqual(
            [response.status, response.body.code, response.body.current_state],
            [409, 'invalid_state', from],
            step,
          )
          assert.deepEqual(response.body.allowed_transitions, ARROWS[from], step)
        }
      }
    })
  }

  it('409 invalid_state for an account that was never opened: it has no number', async () => {
    const at = await scene()
    assert.equal((await put(at, t.operator, { status: 'INACTIVE' })).status, 200)
    const before = await traces(at)
    const refused = await put(at, t.operator, { status: 'ACTIVE' })
    assert.equal(refused.status, 409)
    const { code, current_state, allowed_transitions } = refused.body
    assert.deepEqual([code, current_state, allowed_transitions], ['invalid_state', 'INACTIVE', []])
    assert.match(refused.body.detail, /Request a new account/)
    assert.deepEqual((await put(at, t.operator, { status: 'PENDING' })).body.allowed_transitions, [])
    assert.deepEqual(await traces(at), before)
  })

  it('409 conflict when another account of the type has replaced it', async () => {
    const at = await scene('INACTIVE')
    const body = { account_type: 'SAVINGS' }
    const { id } = await t.made('POST', `/v1/users/${at.user.id}/accounts`, { token: at.platform.token, body })
    const before = await traces(at)
    const refused = await put(at, t.owner, { status: 'ACTIVE' })
    assert.equal(conflictOf(refused), `already_exists ${id}`)
    assert.deepEqual(await traces(at), before)
    const allowed = async () => (await t.made('GET', `${at.address}/status`, { token: t.owner })).allowed_transitions
    const listed = async () => (await put(at, t.owner, { status: 'PENDING' })).body.allowed_transitions
    assert.deepEqual([await allowed(), await listed()], [[], []], 'neither offers what is refused')
    await t.made('PUT', `/v1/users/${at.user.id}/accounts/${id}/status`, {
      token: t.operator,
      body: { status: 'INACTIVE' },
    })
    assert.deepEqual([await allowed(), await listed()], [['ACTIVE'], ['ACTIVE']])
  })

  it('200 history has the actor and the sealed reason, the event has the states', async () => {
    const at = await scene('ACTIVE')
    await put(at, t.operator, { status: 'INACTIVE', reason: 'Sealedreason' })
    const { history, events } = await traces(at)
    const [change] = history
    assert.deepEqual(
      { ...change, reason: '' },
      { from_status: 'ACTIVE', to_status: 'INACTIVE', actor: 'operator:test-operator', reason: '' },
    )
    assert.equal((await openedReasons(t, at.id)).at(-1), 'Sealedreason')
    const data = { user_id: at.user.id, account_id: at.id, from: 'ACTIVE', to: 'INACTIVE' }
    assert.deepEqual(events, [{ data }])
  })

  it('200 the account keeps its number through both transitions', async () => {
    const at = await scene('ACTIVE')
    for (const status of ['INACTIVE', 'ACTIVE']) assert.equal((await put(at, t.owner, { status })).status, 200)
    const { body } = await t.call('GET', at.address, { token: at.platform.token })
    assert.deepEqual([body.external_account_id, body.account_details.ifsc_code], ['EXT-1', 'BNYN0000001'])
  })

  it('412 when If-Match names another version than the stored one, 200 when it names this one', async () => {
    const at = await scene('ACTIVE')
    const etag = String((await t.call('GET', at.address, { token: t.owner })).headers['etag'])
    const before = await traces(at)
    assert.equal((await put(at, t.owner, { status: 'INACTIVE' }, { 'if-match': '"other"' })).status, 412)
    assert.deepEqual(await traces(at), before)
    assert.equal((await put(at, t.owner, { status: 'INACTIVE' }, { 'if-match': etag })).status, 200)
    assert.equal((await put(at, t.owner, { status: 'ACTIVE' }, { 'if-match': etag })).status, 412)
  })

  it('200 for ten concurrent identical transitions, applied once', async () => {
    const at = await scene('ACTIVE')
    const responses = await Promise.all(Array.from({ length: 10 }, () => put(at, t.owner, { status: 'INACTIVE' })))
    assert.deepEqual(new Set(responses.map(({ status }) => status)), new Set([200]))
    const { history, events } = await traces(at)
    assert.deepEqual([history.length, events.length], [1, 1])
  })

  it('401 without a token, 403 for the platform, the user, viewers and benefit providers', async () => {
    const at = await scene()
    const before = await traces(at)
    assert.equal((await put(at, undefined, { status: 'INACTIVE' })).status, 401)
    for (const token of [at.platform.token, at.user.token, t.viewer, (await t.provider()).token]) {
      assert.equal((await put(at, token, { status: 'INACTIVE' })).status, 403)
    }
    assert.deepEqual(await traces(at), before)
  })

  it('404 for another user’s account as for a missing one, whatever the body', async () => {
    const at = await scene()
    const neighbour = await t.user(at.platform)
    for (const body of [{ status: 'INACTIVE' }, {}]) {
      const foreign = await put({ address: `/v1/users/${neighbour.id}/accounts/${at.id}` }, t.owner, body)
      assertSameNotFound(foreign, await put({ address: `/v1/users/${at.user.id}/accounts/acc_nothing` }, t.owner, body))
    }
  })

  it('422 reports every error at once', async () => {
    const at = await scene()
    const before = await traces(at)
    assert.deepEqual(errorsOf(await put(at, t.owner, {})), ['/status required'])
    assert.deepEqual(errorsOf(await put(at, t.owner, { status: 'CLOSED', reason: '' })), [
      '/reason too_short',
      '/status not_allowed',
    ])
    assert.deepEqual(await traces(at), before)
  })
})
