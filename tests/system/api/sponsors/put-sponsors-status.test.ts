import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ADDRESS, type CallFunction, openTestApp } from '../../../support/app.ts'
import { meetAt } from '../../../support/meeting.ts'
import { openedReasons } from '../../../support/reasons.ts'
import { assertSameNotFound, errorsOf } from '../../../support/problems.ts'

const t = await openTestApp({ own: true })

type Status = 'PENDING' | 'ACTIVE' | 'INACTIVE'

const INPUT = {
  name: 'Banyan Textiles',
  pan: 'AAACB1234C',
  address: ADDRESS,
  sponsor_details: { sponsor_kind: 'ORGANISATION', email: 'hr@example.com' },
}

const setStatus = (id: string, body: unknown, call: object = { token: t.operator }, node = t.call) =>
  node('PUT', `/v1/sponsors/${id}/status`, { body, ...call })

async function sponsorIn(status: Status) {
  const { platform } = await t.offer()
  const { id } = await t.made('POST', '/v1/sponsors', { token: platform.token, body: INPUT })
  if (status !== 'PENDING') assert.equal((await setStatus(id, { status })).status, 200)
  return { id: id as string, platform, read: () => t.call('GET', `/v1/sponsors/${id}`, { token: platform.token }) }
}

const historyOf = (id: string) =>
  t.sql<{ from_status: string | null; to_status: string; actor: string; request_id: string; reason: string | null }>(
    `select from_status, to_status, actor, request_id, reason
       from catalogue_status_changes where entity_id = $1 order by change_id`,
    [id],
  )

const eventsOf = (id: string) =>
  t.sql<{ type: string; platform_id: string; data: object }>(
    'select type, platform_id, data from events where subject = $1 order by event_id',
    [id],
  )

/** An administrator's transitions; only a change of PAN or kind returns to PENDING. */
const ALLOWED: Record<Status, Status[]> = {
  PENDING: ['ACTIVE', 'INACTIVE'],
  ACTIVE: ['INACTIVE'],
  INACTIVE: ['ACTIVE'],
}
const STATUSES = Object.keys(ALLOWED) as Status[]

describe('PUT /v1/sponsors/{sponsor_id}/status', () => {
  for (const from of STATUSES) {
    for (const to of ALLOWED[from]) {
      it(`200 from ${from} to ${to}, with history and event`, async () => {
        const { id, platform, read } = await sponsorIn(from)
        const marks = [(await historyOf(id)).length, (await eventsOf(id)).length]
        const before = await read()
        const response = await setStatus(id, { status: to }, { token: t.owner })
        assert.equal(response.status, 200)
        const { last_modified_at: _, ...after } = response.body
        const { last_modified_at: __, ...rest } = before.body
        assert.deepEqual(after, { ...rest, status: to })
        assert.deepEqual((await read()).body, response.body)
        const request_id = response.headers['x-request-id']
        assert.deepEqual((await historyOf(id)).slice(marks[0]), [
          { from_status: from, to_status: to, actor: 'owner:test-owner', request_id, reason: null },
        ])
        assert.deepEqual((await eventsOf(id)).slice(marks[1]), [
          { type: 'sponsor.status_changed', platform_id: platform.id, data: { sponsor_id: id, from, to } },
        ])
      })
    }
  }

  it('200 for the current status, unchanged: no new version, no history, no event', async () => {
    for (const status of STATUSES) {
      const { id, read } = await sponsorIn(status)
      const first = await read()
      const before = [first.headers['etag'], await historyOf(id), await eventsOf(id)]
      const response = await setStatus(id, { status, reason: 'again' })
      assert.deepEqual(
        [response.status, response.text, response.headers['etag']],
        [200, first.text, first.headers['etag']],
      )
      assert.deepEqual([(await read()).headers['etag'], await historyOf(id), await eventsOf(id)], before)
    }
  })

  it('409 invalid_state for PENDING from INACTIVE, unchanged', async () => {
    const { id, read } = await sponsorIn('INACTIVE')
    const before = [(await read()).headers['etag'], await historyOf(id), await eventsOf(id)]
    const response = await setStatus(id, { status: 'PENDING' })
    assert.deepEqual([response.status, response.body.code], [409, 'invalid_state'])
    assert.deepEqual([response.body.current_state, response.body.allowed_transitions], ['INACTIVE', ['ACTIVE']])
    assert.deepEqual([(await read()).headers['etag'], await historyOf(id), await eventsOf(id)], before)
  })

  it('409 for PENDING from ACTIVE, which only a change of PAN or kind causes; unchanged', async () => {
    const { id, read } = await sponsorIn('ACTIVE')
    const before = [(await read()).headers['etag'], await historyOf(id), await eventsOf(id)]
    for (const token of [t.operator, t.owner]) {
      const response = await setStatus(id, { status: 'PENDING' }, { token })
      assert.deepEqual([response.body.code, response.body.allowed_transitions], ['invalid_state', ['INACTIVE']])
      assert.match(response.body.detail, /The state is \w+\. You can change it to INACTIVE\./)
    }
    assert.deepEqual([(await read()).headers['etag'], await historyOf(id), await eventsOf(id)], before)
  })

  it('200 stores the reason sealed under the sponsor’s key', async () => {
    const { id } = await sponsorIn('PENDING')
    const reason = 'Asha Example sent the papers'
    const response = await setStatus(id, { status: 'ACTIVE', reason })
    assert(!response.text.includes(reason))
    const [, transition] = await historyOf(id)
    assert.doesNotMatch(transition?.reason ?? '', /Asha/)
    assert.deepEqual(await openedReasons(t, id), [null, reason])
  })

  it('200 once: concurrent identical calls on two nodes make one transition, one history row and one event', async () => {
    const { id } = await sponsorIn('PENDING')
    const row = { table: 'sponsors', key: 'sponsor_id', id }
    const nodes = await t.openNodes(2)
    const calls = nodes.map((node) => () => setStatus(id, { status: 'ACTIVE' }, { token: t.owner }, node))
    const responses = await meetAt(t, row, calls)
    assert.equal(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size, 1)
    assert.deepEqual([responses[0]?.status, responses[0]?.body.status], [200, 'ACTIVE'])
    assert.equal((await historyOf(id)).length, 2)
    assert.equal((await eventsOf(id)).length, 3, 'created, PENDING, ACTIVE')
  })

  it('200 for a concurrent new PAN and new status on two nodes: each is decided on the other’s result', async () => {
    const { id, read } = await sponsorIn('ACTIVE')
    const row = { table: 'sponsors', key: 'sponsor_id', id }
    const [one, other] = (await t.openNodes(2)) as [CallFunction, CallFunction]
    const newPan = () => one('PATCH', `/v1/sponsors/${id}`, { token: t.owner, body: { pan: 'AAACB9999C' } })
    const off = () => setStatus(id, { status: 'INACTIVE' }, { token: t.owner }, other)
    const [patched, disabled] = await meetAt(t, row, [newPan, off])
    // PENDING first and then INACTIVE, or INACTIVE first, where a new PAN changes no status: the result is the same.
    assert.deepEqual([patched?.status, disabled?.status], [200, 200])
    assert.deepEqual([(await read()).body.status, (await read()).body.pan], ['INACTIVE', 'AAACB9999C'])
    const steps = (await historyOf(id))
      .slice(2)
      .map(({ from_status, to_status }) => `${from_status} ${to_status}`)
      .join()
    assert(
      ['ACTIVE INACTIVE', 'ACTIVE PENDING,PENDING INACTIVE'].includes(steps),
      `one state follows the other: ${steps}`,
    )
  })

  it('500 without a transition when its event cannot be written: both or neither', async () => {
    const { id, read } = await sponsorIn('PENDING')
    const before = [(await read()).headers['etag'], await historyOf(id), await eventsOf(id)]
    await t.sql('alter table events add constraint full_up check (false) not valid')
    const response = await setStatus(id, { status: 'ACTIVE' })
    await t.sql('alter table events drop constraint full_up')
    assert.deepEqual([response.status, response.body.code], [500, 'internal'])
    assert.doesNotMatch(response.text, /full_up|events/)
    assert.deepEqual([(await read()).headers['etag'], await historyOf(id), await eventsOf(id)], before)
  })

  it('412 for a version other than the stored one, unchanged', async () => {
    const { id, read } = await sponsorIn('PENDING')
    const etag = (await read()).headers['etag'] ?? ''
    const transition = (tag: string) =>
      setStatus(id, { status: 'ACTIVE' }, { token: t.owner, headers: { 'if-match': tag } })
    assert.equal((await transition('"other"')).body.code, 'precondition_failed')
    assert.equal((await read()).body.status, 'PENDING')
    assert.equal((await historyOf(id)).length, 1)
    assert.equal((await transition(etag)).status, 200)
  })

  it('401 and 403 for everyone but operators and owners, including its own platform', async () => {
    const { id, platform, read } = await sponsorIn('PENDING')
    assert.equal((await setStatus(id, { status: 'ACTIVE' }, {})).status, 401)
    for (const token of [platform.token, (await t.user(platform)).token, (await t.provider()).token, t.viewer]) {
      assert.equal((await setStatus(id, { status: 'ACTIVE' }, { token })).body.code, 'forbidden')
    }
    assert.equal((await read()).body.status, 'PENDING')
    assert.equal((await historyOf(id)).length, 1)
  })

  it('404 for a missing sponsor before any error of the body; 422 reports every error', async () => {
    assertSameNotFound(await setStatus('spn_none', { status: 'ACTIVE' }), await setStatus('spn_none', {}))
    const { id, read } = await sponsorIn('PENDING')
    const errors = async (body?: unknown) => errorsOf(await setStatus(id, body))
    assert.deepEqual(await errors(), [' required'])
    assert.deepEqual(await errors({}), ['/status required'])
    assert.deepEqual(await errors({ status: 'active', reason: 5 }), ['/reason type', '/status not_allowed'])
    assert.deepEqual(await errors({ status: 'ACTIVE', reason: 'x'.repeat(501) }), ['/reason too_long'])
    assert.equal((await read()).body.status, 'PENDING')
  })
})
