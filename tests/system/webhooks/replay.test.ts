import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import pg from 'pg'
import { eventsSchema } from '../../../src/domains/integration/events/index.ts'
import { deleteOldDeliveries } from '../../../src/domains/integration/webhooks/index.ts'
import {
  beginDeliveries,
  type DueDelivery,
  findDueDeliveries,
  type Outcome,
  recordOutcomes,
} from '../../../src/domains/integration/webhooks/sender-store.ts'
import { openTestApp } from '../../support/app.ts'
import { isVerified, type Received } from '../../support/receiver.ts'
import { dated, openWebhooks } from '../../support/webhooks.ts'

const t = await openTestApp({ own: true })
const webhooks = await openWebhooks(t)
const { deliveries, delivered, emit, endpoint, openReceiver } = webhooks

const isEvent = new Ajv2020({ strict: false, formats: { 'date-time': true } }).compile(eventsSchema())

const idsIn = (received: Received[]) => received.map(({ event }) => event.id as string)
const wire = (offset_ms: number) => new Date(Date.now() + offset_ms).toISOString().slice(0, 19)
const HOUR_MS = 3_600_000

async function taken(types = ['user.updated']) {
  const [platform, receiver] = [await t.platform(), await openReceiver()]
  const { id, secret } = await endpoint(platform.token, receiver.url, types)
  const url = `/v1/webhook_endpoints/${id}`
  const post = (path: string, body?: object) =>
    t.call('POST', `${url}${path}`, { token: platform.token, ...(body && { body }) })
  const isDelivered = async () => {
    const all = await deliveries(platform.token, id)
    return all.length > 0 && all.every(({ status }) => status === 'DELIVERED')
  }
  return { platform, receiver, id, secret, url, post, isDelivered }
}

describe('a replay of what has failed', () => {
  it('200: counts first, then sends the failed ones of the time again, and no other', async () => {
    const { platform, receiver, id, post, isDelivered } = await taken()
    const events = await emit(platform.id, ['user', 'user', 'user'])
    await delivered(isDelivered)
    assert.equal(events.length, 3)
    const [failed = ''] = events
    await t.sql(`update webhook_deliveries set status = 'FAILED' where endpoint_id = $1 and event_id = $2`, [
      id,
      failed,
    ])
    const range = { from: wire(-HOUR_MS), to: wire(HOUR_MS) }
    const before = receiver.received.length
    for (const [more, queued] of [
      [{ dry_run: true }, 3],
      [{ dry_run: true, status: 'FAILED' }, 1],
    ] as const)
      assert.deepEqual((await post('/replay', { ...range, ...more })).body, { queued })
    assert.equal((await deliveries(platform.token, id, '&status=PENDING')).length, 0)
    assert.equal(receiver.received.length, before)
    assert.deepEqual((await post('/replay', { ...range, status: 'FAILED' })).body, { queued: 1 })
    await delivered(() => receiver.received.length === before + 1)
    assert.equal(idsIn(receiver.received).at(-1), failed)
    await delivered(isDelivered)
    assert.deepEqual((await post('/replay', { ...range, status: 'FAILED' })).body, { queued: 0 })
  })
})

describe('POST /v1/webhook_endpoints/{id}/test', () => {
  it('200: an event is sent to this endpoint only, whatever its types, and is in its list', async () => {
    const { platform, receiver, id, secret, post, isDelivered } = await taken(['policy.*'])
    const other = await openReceiver()
    await endpoint(platform.token, other.url)
    const { status, body } = await post('/test')
    assert.deepEqual([status, body.event_type, body.status], [200, 'webhook_endpoint.tested', 'PENDING'])
    await delivered(() => receiver.received.length === 1)
    const [one] = receiver.received
    assert(one && isVerified(secret, one))
    assert.deepEqual([one.event.id, one.event.data], [body.id, { webhook_endpoint_id: id }])
    assert(isEvent(one.event), JSON.stringify(isEvent.errors))
    await delivered(isDelivered)
    const [last = ''] = await emit(platform.id, ['user'])
    await delivered(() => idsIn(other.received).includes(last))
    assert.equal(other.ofType('webhook_endpoint.tested').length, 0)
  })
})

describe('POST /v1/webhook_endpoints/{id}/deliveries/{delivery_id}/replay', () => {
  it('200: the same event is sent again, with the same id, and both attempts are listed', async () => {
    const { platform, receiver, id, post, isDelivered } = await taken()
    const [event = ''] = await emit(platform.id, ['user'])
    await delivered(isDelivered)
    const { status, body } = await post(`/deliveries/${event}/replay`)
    assert.deepEqual([status, body.id, body.status], [200, event, 'PENDING'])
    await delivered(() => receiver.received.length === 2)
    await delivered(isDelivered)
    assert.deepEqual(idsIn(receiver.received), [event, event])
    const [delivery] = await deliveries(platform.token, id)
    assert.equal(delivery.attempts.length, 2)
    assert.equal((await deliveries(platform.token, id, '&status=FAILED&status=PENDING')).length, 0)
    assert.equal((await deliveries(platform.token, id, '&status=DELIVERED')).length, 1)
  })

  it('200: a delivery that used up its attempts gets all of them again: ten, each after its pause', async () => {
    const { platform, receiver, post, id } = await taken()
    receiver.responses(500)
    const [event = ''] = await emit(platform.id, ['user'])
    const read = async () => {
      const [row] = await t.sql(
        `select status, tries, extract(epoch from next_attempt_at)::float8 * 1000 as due_ms,
                (attempts -> -1 ->> 'at_ms')::float8 as at_ms
           from webhook_deliveries where event_id = $1`,
        [event],
      )
      return row as { status: string; tries: number; due_ms: number; at_ms: number } | undefined
    }
    const pauses: number[] = []
    for (let tries = 1; tries <= 10; tries++) {
      await delivered(async () => (await read())?.tries === tries)
      const { status = '', due_ms = 0, at_ms = 0 } = (await read()) ?? {}
      assert.equal(status, tries < 10 ? 'PENDING' : 'FAILED')
      if (tries === 10) break
      pauses.push(due_ms - at_ms)
      t.clock.at = new Date(due_ms + 60_000)
    }
    t.clock.at = undefined
    const least = [5, 300, 1_800, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * 3_600)]
    assert(
      pauses.every(
        (pause, index) => pause >= (least[index] ?? 0) * 1_000 && pause <= (least[index] ?? 0) * 1_250 + 1_000,
      ),
      pauses.join(),
    )
    assert.equal(receiver.received.length, 10)

    receiver.responses(200)
    await t.made('PATCH', `/v1/webhook_endpoints/${id}`, { token: platform.token, body: { status: 'DISABLED' } })
    const refused = await post(`/deliveries/${event}/replay`)
    assert.deepEqual([refused.status, refused.body.code, refused.body.reason], [409, 'conflict', 'inactive'])
    assert.equal((await post('/deliveries/evt_missing/replay')).status, 404, 'the record in the path comes first')
    await t.made('PATCH', `/v1/webhook_endpoints/${id}`, { token: platform.token, body: { status: 'ACTIVE' } })
    assert.equal((await post(`/deliveries/${event}/replay`)).status, 200)
    await delivered(async () => (await read())?.status === 'DELIVERED')
  })

  for (const late of [500, 204]) {
    it(`200: it is sent again with all its attempts, though an attempt from before ends with ${late} afterwards`, async () => {
      const { platform, receiver, id, post, isDelivered } = await taken()
      const [event = ''] = await emit(platform.id, ['user'])
      await delivered(isDelivered)
      const end = receiver.holds()
      await t.sql(
        `update webhook_deliveries set status = 'PENDING', tries = 9, next_attempt_at = now() where event_id = $1`,
        [event],
      )
      await delivered(() => receiver.received.length === 2)
      assert.equal((await post(`/deliveries/${event}/replay`)).body.status, 'PENDING')
      receiver.does()
      end(late)
      await delivered(() => receiver.received.length === 3)
      await delivered(isDelivered)
      const [{ tries } = {}] = await t.sql<{ tries: number }>(
        'select tries from webhook_deliveries where event_id = $1',
        [event],
      )
      assert.equal(tries, 1)
      const [delivery] = await deliveries(platform.token, id)
      assert.deepEqual(
        delivery.attempts.map(({ status }: { status: number }) => status),
        [204, late, 204],
      )
    })
  }

  it('404 for a delivery of another endpoint; nothing is sent', async () => {
    const [ours, theirs] = [await taken(), await taken()]
    const [event = ''] = await emit(theirs.platform.id, ['user'])
    await delivered(theirs.isDelivered)
    assert.equal((await ours.post(`/deliveries/${event}/replay`)).status, 404)
    assert.equal((await ours.post('/deliveries/evt_missing/replay')).status, 404)
  })
})

describe('POST /v1/webhook_endpoints/{id}/replay', () => {
  it('200: failed and delivered events are sent in order, and nothing else', async () => {
    const { platform, receiver, id, post, isDelivered } = await taken()
    const patch = (status: string) =>
      t.made('PATCH', `/v1/webhook_endpoints/${id}`, { token: platform.token, body: { status } })
    const before = await emit(platform.id, ['user'])
    await delivered(isDelivered)
    await patch('DISABLED')
    const missed = await emit(platform.id, ['user', 'user', 'user'])
    await emit((await t.platform()).id, ['user'])
    const other = await taken()
    await emit(other.platform.id, ['user'])
    await delivered(other.isDelivered)
    await patch('ACTIVE')

    const range = { from: wire(-HOUR_MS), to: wire(HOUR_MS) }
    const { status, body } = await post('/replay', range)
    assert.deepEqual([status, body], [200, { queued: 4 }])
    await delivered(() => receiver.received.length === 5)
    await delivered(isDelivered)
    assert.deepEqual(idsIn(receiver.received), [...before, ...before, ...missed])
    assert.deepEqual((await post('/replay', { from: wire(HOUR_MS), to: wire(2 * HOUR_MS) })).body, { queued: 0 })
  })

  it('200: a benefit provider gets its own events, an administrator all', async () => {
    const [provider, receiver, ofAll] = [await t.provider(), await openReceiver(), await openReceiver()]
    const { id } = await endpoint(provider.token, receiver.url, ['credential.*'])
    await t.made('POST', `/v1/benefit_providers/${provider.id}/credentials`, { token: t.owner })
    await t.platform()
    await delivered(() => receiver.received.length > 0)
    const range = { from: wire(-HOUR_MS), to: wire(HOUR_MS) }
    const { queued } = await t.made('POST', `/v1/webhook_endpoints/${id}/replay`, {
      token: provider.token,
      body: range,
    })
    assert.equal(queued, 2, 'the credential that it calls with, and another')
    const all = await endpoint(t.owner, ofAll.url, ['credential.*'])
    const of = await t.made('POST', `/v1/webhook_endpoints/${all.id}/replay`, { token: t.operator, body: range })
    assert(of.queued > 3)
    await delivered(() => ofAll.received.length >= of.queued)
  })

  it('422 for malformed times, or an end before the start', async () => {
    const { post } = await taken()
    const errorsOf = async (body: object) =>
      ((await post('/replay', body)).body.errors as { pointer: string; code: string }[]).map(
        ({ pointer, code }) => `${pointer} ${code}`,
      )
    assert.deepEqual(await errorsOf({}), ['/from required', '/to required'])
    assert.deepEqual(await errorsOf({ from: 'yesterday', to: '2026-02-30T00:00:00' }), ['/from format', '/to format'])
    assert.deepEqual(await errorsOf({ from: wire(0), to: wire(0) }), ['/to too_small'])
  })
})

describe('the sender', () => {
  it('skips no event, however late its transaction commits', async () => {
    const { platform, receiver } = await taken()
    const client = new pg.Client({ connectionString: t.ownerUrl, options: '-c search_path=banyan' })
    await client.connect()
    await client.query('begin')
    await client.query(
      `insert into events (event_id, type, platform_id, subject, data)
       values ('evt_late', 'user.updated', $1, 'late', '{"user_id":"late"}')`,
      [platform.id],
    )
    const [early = ''] = await emit(platform.id, ['early'])
    await delivered(() => receiver.received.length === 1)
    await client.query('commit')
    await client.end()
    await delivered(() => receiver.received.length === 2)
    assert.deepEqual(idsIn(receiver.received), [early, 'evt_late'])
  })

  it('that stops midway loses nothing: the next one sends what was not recorded, at least once', async () => {
    const { platform, receiver, isDelivered } = await taken()
    const held: (() => void)[] = []
    receiver.does((_, response) => void held.push(() => response.end()))
    const ids = await emit(
      platform.id,
      Array.from({ length: 100 }, (_, index) => `user ${index}`),
    )
    await delivered(() => receiver.received.length > 0)
    const stopped = webhooks.stop()
    receiver.does()
    await stopped
    const stop = webhooks.start()
    await delivered(isDelivered)
    assert.deepEqual(new Set(idsIn(receiver.received)), new Set(ids))
    await stop()
    webhooks.start()
  })

  it('that lost its leadership changes nothing that its successor has recorded', async () => {
    await webhooks.stop()
    const { platform, receiver, id } = await taken()
    const ids = await emit(platform.id, ['1', '2', '3'])
    await beginDeliveries(
      t.db,
      ids.map((eventId, place) => ({ endpointId: id, eventId, place })),
    )
    const due = () =>
      findDueDeliveries(t.db, { at: new Date(), inMemory: [], rooms: new Map([[id, 9]]), ofEach: 0, inAll: 9 })
    const [old, successor] = [await due(), await due()]
    assert.deepEqual(
      old.map(({ event }) => event.id),
      ids,
    )
    const later = new Date(Date.now() + HOUR_MS)
    const outcome = ({ event, dueAt }: DueDelivery, http: number, nextAttemptAt: Date | null = null): Outcome => ({
      endpointId: id,
      eventId: event.id,
      dueAt,
      status: http === 204 ? 'DELIVERED' : nextAttemptAt ? 'PENDING' : 'FAILED',
      tries: 1,
      nextAttemptAt,
      attempt: { at_ms: 0, duration_ms: 1, status: http, failure: null, excerpt: null },
    })
    const [first, second, third] = successor
    assert(first && second && third)
    await recordOutcomes(t.db, [outcome(first, 204), outcome(second, 500, later)])
    await recordOutcomes(
      t.db,
      old.map((one) => outcome(one, 503)),
    )
    const rows = await t.sql<{ status: string; is_due: boolean | null }>(
      'select status, next_attempt_at = $2 as is_due from webhook_deliveries where endpoint_id = $1 order by event_id',
      [id, later],
    )
    assert.deepEqual(
      rows.map(({ status, is_due }) => [status, is_due]),
      [
        ['DELIVERED', null],
        ['PENDING', true],
        ['FAILED', null],
      ],
    )
    const listed = await deliveries(platform.token, id)
    assert.deepEqual(
      listed.map(({ attempts }) => attempts.map(({ status }: { status: number }) => status)),
      [[503], [500, 503], [204, 503]],
      'every attempt that was made is shown',
    )
    assert.equal(receiver.received.length, 0)
    webhooks.start()
  })

  it('has one leader: a second one sends nothing twice, and takes over when the first has stopped', async () => {
    const stop = webhooks.start()
    const { platform, receiver, isDelivered } = await taken()
    const ids = await emit(
      platform.id,
      Array.from({ length: 200 }, (_, index) => `user ${index}`),
    )
    await delivered(isDelivered)
    assert.equal(receiver.received.length, ids.length)
    await stop()
    const [last = ''] = await emit(platform.id, ['last'])
    await delivered(() => idsIn(receiver.received).includes(last))
  })
})

describe('old data', () => {
  it('deliveries are deleted with events of 30 days, those of a deleted endpoint immediately, and no others', async () => {
    const [ours, deleted] = [await taken(), await taken()]
    const [old = ''] = await dated(-30.1, () => emit(ours.platform.id, ['old']))
    const [young = ''] = await dated(-29.9, () => emit(ours.platform.id, ['young']))
    const [misdated = ''] = await dated(-31, () =>
      emit(ours.platform.id, ['written just now, by a clock that is behind']),
    )
    await emit(deleted.platform.id, ['user'])
    await delivered(
      async () => ours.receiver.received.length === 3 && (await ours.isDelivered()) && (await deleted.isDelivered()),
    )
    await t.sql(
      `update webhook_deliveries set created_at = created_at - interval '30.1 days' where event_id = any ($1)`,
      [[old, young]],
    )
    await t.made('DELETE', deleted.url, { token: deleted.platform.token })
    const left = async () =>
      (
        await t.sql('select event_id from webhook_deliveries where endpoint_id = any ($1)', [[ours.id, deleted.id]])
      ).map(({ event_id }) => event_id)
    await deleteOldDeliveries(t.db)
    assert.deepEqual(new Set(await left()), new Set([young, misdated]))
    assert.equal((await t.sql('select from webhook_endpoints where endpoint_id = $1', [deleted.id])).length, 0)
    assert.equal((await t.call('GET', ours.url, { token: ours.platform.token })).status, 200)
  })
})
