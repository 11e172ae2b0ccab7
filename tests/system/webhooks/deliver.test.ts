import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp } from '../../support/app.ts'
import { isVerified, type Received } from '../../support/receiver.ts'
import { dated, openWebhooks } from '../../support/webhooks.ts'

const t = await openTestApp({ own: true })
const { deliveries, delivered, emit, endpoint, openReceiver, start, stop } = await openWebhooks(t)

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DOWN_MS = 72 * HOUR_MS
/** The longest delay between two attempts, including the random extra. */
const PAUSE_MAX_MS = 29 * HOUR_MS

const typesIn = (received: Received[]) => received.map(({ event }) => event.type as string)
const idsIn = (received: Received[]) => received.map(({ event }) => event.id as string)

describe('a partner', () => {
  it('receives its events, which the public verifier accepts, and rejects any that was changed on the way', async () => {
    const [platform, receiver] = [await t.platform(), await openReceiver()]
    const { secret } = await endpoint(platform.token, receiver.url, ['user.*'])
    const user = await t.onboardedUser(platform)
    await delivered(() => receiver.received.length === 2)

    assert.deepEqual(typesIn(receiver.received), ['user.created', 'user.onboarded'])
    for (const one of receiver.received) {
      assert(isVerified(secret, one))
      const { id, type: _type, timestamp, ...rest } = one.event
      assert.deepEqual(rest, { subject: user.id, platform_id: platform.id, data: { user_id: user.id } })
      assert.equal(one.headers['webhook-id'], id)
      assert.match(timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      assert.equal(one.headers['content-type'], 'application/json')

      const earlier = String(Number(one.headers['webhook-timestamp']) - 1)
      const tampered = [
        { ...one, text: one.text.replace('user', 'User') },
        { ...one, text: `${one.text} ` },
        { ...one, headers: { ...one.headers, 'webhook-id': `${id}x` } },
        { ...one, headers: { ...one.headers, 'webhook-timestamp': earlier } },
        { ...one, headers: { ...one.headers, 'webhook-signature': 'v1,AAAA' } },
      ]
      for (const copy of tampered) assert(!isVerified(secret, copy))
      assert(!isVerified(`whsec_${Buffer.alloc(32, 1).toString('base64')}`, one))
    }
  })

  it('receives the types it subscribes to, of its own, and nothing of anyone else', async () => {
    const [platform, other, provider] = [await t.platform(), await t.platform(), await t.provider()]
    const [policies, everything, ofOther, ofProvider, ofAll] = await Promise.all(
      Array.from({ length: 5 }, openReceiver),
    )
    assert(policies && everything && ofOther && ofProvider && ofAll)
    await endpoint(platform.token, policies.url, ['policy.*', 'user.onboarded'])
    await endpoint(platform.token, everything.url)
    await endpoint(other.token, ofOther.url)
    await endpoint(provider.token, ofProvider.url)
    await endpoint(t.owner, ofAll.url)
    const user = await t.onboardedUser(platform)
    const policy = await t.policy(platform, user, await t.benefit(platform, provider))
    await t.made('POST', `/v1/benefit_providers/${provider.id}/credentials`, { token: t.owner })
    await delivered(() => ofProvider.ofType('credential.created').length === 1)
    await delivered(() => everything.ofType('policy.status_changed').length === 1)
    await delivered(() => ofAll.ofType('policy.status_changed').length === 1)
    await delivered(() => policies.received.length === 2)

    assert.deepEqual(typesIn(policies.received).toSorted(), ['policy.status_changed', 'user.onboarded'])
    assert.equal(policies.ofType('policy.status_changed')[0]?.event.data.insurance_policy_id, policy)
    const types = typesIn(ofProvider.received)
    for (const type of ['benefit.created', 'policy.status_changed', 'credential.created'])
      assert.equal(types.filter((one) => one === type).length, 1, type)
    assert(!types.some((type) => /^(user|sponsor|account|wallet)\./.test(type)))
    assert.deepEqual(new Set(typesIn(ofOther.received)), new Set(['webhook_endpoint.enabled']))
    for (const type of ['user.created', 'sponsor.created', 'account.status_changed', 'policy.status_changed'])
      assert(ofAll.ofType(type).length > 0, type)
    const { askOtp, resetLimits } = await import('../../support/sessions.ts').then(({ openSessions }) =>
      openSessions(t),
    )
    await resetLimits()
    await askOtp({ platform_id: platform.id, phone_country_code: '+91', phone_number: user.phone })
    const [last = ''] = await emit(platform.id, [user.id])
    await delivered(() => idsIn(ofAll.received).includes(last))
    assert.equal(ofAll.ofType('one_time_code.requested').length, 0)
  })

  it('receives nothing while its platform is disabled', async () => {
    const [platform, receiver, ofAll] = [await t.platform(), await openReceiver(), await openReceiver()]
    await endpoint(platform.token, receiver.url, ['user.*'])
    const { id } = await endpoint(t.owner, ofAll.url, ['user.*'])
    const status = `/v1/platforms/${platform.id}/status`
    await t.made('PUT', status, { token: t.owner, body: { status: 'INACTIVE' } })
    const [theirs = ''] = await emit(platform.id, ['1'])
    await delivered(() => idsIn(ofAll.received).includes(theirs))
    await t.made('PUT', status, { token: t.owner, body: { status: 'ACTIVE' } })
    const ours = await emit(platform.id, ['2'])
    await delivered(() => receiver.received.length > 0)
    assert.deepEqual(idsIn(receiver.received), ours)
    await t.made('DELETE', `/v1/webhook_endpoints/${id}`, { token: t.owner })
  })

  it('receives events of one subject in order, several subjects in parallel, over reused connections', async () => {
    const [platform, receiver] = [await t.platform(), await openReceiver()]
    let [atOnce, most] = [0, 0]
    receiver.does((_, response) => {
      most = Math.max(most, ++atOnce)
      setTimeout(() => {
        atOnce--
        response.end()
      }, Math.random() * 10)
    })
    await endpoint(platform.token, receiver.url, ['user.updated'])
    const subjects = Array.from({ length: 600 }, (_, index) => `user ${index % 40}`)
    const ids = await emit(platform.id, subjects)
    await delivered(() => receiver.received.length === ids.length)

    const bySubject = (list: string[]) => Map.groupBy(list, (id) => subjects[ids.indexOf(id)])
    const received = bySubject(idsIn(receiver.received))
    for (const [subject, own] of bySubject(ids)) assert.deepEqual(received.get(subject), own, 'each once, in order')
    assert(most > 4, `${most} at once`)
    assert(receiver.connections() < 100, `${receiver.connections()} connections`)
  })
})

describe('a secret that was rotated', () => {
  it('is still used for a day alongside the new one, then the new one signs alone', async () => {
    const [platform, receiver] = [await t.platform(), await openReceiver()]
    const { id, secret: before } = await endpoint(platform.token, receiver.url, ['user.updated'])
    const { secret } = await t.made('POST', `/v1/webhook_endpoints/${id}/rotate_secret`, { token: platform.token })
    await emit(platform.id, ['user'])
    await delivered(() => receiver.received.length === 1)
    const [during] = receiver.received
    assert(during && isVerified(secret, during) && isVerified(before, during))

    const signaturesAfter = async (hours: number) => {
      const count = receiver.received.length
      t.clock.at = new Date(Date.now() + hours * 3_600_000)
      await emit(platform.id, ['user'])
      await delivered(() => receiver.received.length > count)
      t.clock.at = undefined
      return String(receiver.received.at(-1)?.headers['webhook-signature']).split(' ').length
    }
    assert.deepEqual([await signaturesAfter(23.9), await signaturesAfter(24.1)], [2, 1])
  })
})

describe('an endpoint', () => {
  const SHIFTS = [
    ['20 minutes', 20 / 1_440],
    ['26 hours', 26 / 24],
    ['31 days', 31],
  ] as const
  for (const [words, days] of SHIFTS) {
    it(`receives every event from its creation on, and none from before, with clocks ${words} apart`, async () => {
      await stop()
      const [platform, receiver] = [await t.platform(), await openReceiver()]
      await dated(days, () => emit(platform.id, ['written before, by a clock that is ahead']))
      const early = await dated(days, () => endpoint(platform.token, receiver.url, ['user.updated']))
      const ids = [
        ...(await emit(platform.id, ['written by a clock that is right'])),
        ...(await dated(-days, () => emit(platform.id, ['written by a clock that is behind']))),
        ...(await dated(days, () => emit(platform.id, ['written by a clock that is ahead']))),
      ]
      start()
      await delivered(() => receiver.received.length >= ids.length)
      assert.deepEqual(new Set(idsIn(receiver.received)), new Set(ids))
      assert.equal((await deliveries(platform.token, early.id)).length, ids.length)
    })
  }
})

describe('an endpoint that is slow, down or wrong', () => {
  it('delays no other endpoint', async () => {
    const [platform, slow, down, receiver] = [
      await t.platform(),
      await openReceiver(),
      await openReceiver(),
      await openReceiver(),
    ]
    const held: (() => void)[] = []
    slow.does((_, response) => void held.push(() => response.end()))
    down.responses(500)
    for (const { url } of [slow, down, receiver]) await endpoint(platform.token, url, ['user.updated'])
    const ids = await emit(
      platform.id,
      Array.from({ length: 150 }, (_, index) => `user ${index}`),
    )
    await delivered(() => receiver.received.length === ids.length)
    await delivered(() => held.length > 1)
    assert(slow.received.length < 100, `${slow.received.length} calls wait`)
    assert(down.received.length < 100, `${down.received.length} calls failed`)
    slow.does()
    for (const release of held) release()
    t.clock.at = new Date(Date.now() + HOUR_MS) // calls that a busy machine held longer than their time limit are due again
    await delivered(() => new Set(slow.received.map(({ event }) => event.id)).size === ids.length)
    t.clock.at = undefined
  })

  it('is retried: the log shows each attempt, and each is signed again', async () => {
    const [platform, receiver] = [await t.platform(), await openReceiver()]
    const { id, secret } = await endpoint(platform.token, receiver.url, ['user.updated'])
    receiver.responses(503, 'Back in a minute')
    const [event = ''] = await emit(platform.id, ['user'])
    await delivered(async () => (await deliveries(platform.token, id))[0]?.attempts.length === 1)
    const [first] = await deliveries(platform.token, id)
    assert.deepEqual([first.id, first.event_type, first.status], [event, 'user.updated', 'PENDING'])
    const [{ at, duration_ms, ...attempt }] = first.attempts
    assert.deepEqual(attempt, { status: 503, error: null, response: 'Back in a minute' })
    assert(duration_ms >= 0)
    const pause_ms = Date.parse(`${first.next_attempt_at}Z`) - Date.parse(`${at}Z`)
    assert(pause_ms >= 4_000 && pause_ms <= 9_000, `${pause_ms} ms`)

    receiver.responses(200, 'thanks')
    t.clock.at = new Date(Date.now() + 8_000)
    await delivered(() => receiver.received.length === 2)
    t.clock.at = undefined
    await delivered(async () => (await deliveries(platform.token, id))[0]?.status === 'DELIVERED')
    const [second] = await deliveries(platform.token, id)
    assert.deepEqual([second.next_attempt_at, second.attempts.length, second.attempts[1].response], [null, 2, 'thanks'])
    const [a, b] = receiver.received
    assert(a && b && isVerified(secret, a) && isVerified(secret, b))
    assert.deepEqual([a.text, a.headers['webhook-id']], [b.text, b.headers['webhook-id']])
    assert.notEqual(a.headers['webhook-signature'], b.headers['webhook-signature'])
  })

  it('is retried no earlier than it asks with Retry-After', async () => {
    const [platform, receiver] = [await t.platform(), await openReceiver()]
    const { id } = await endpoint(platform.token, receiver.url, ['user.updated'])
    receiver.does((_, response) => response.writeHead(429, { 'retry-after': '600' }).end())
    await emit(platform.id, ['user'])
    await delivered(async () => (await deliveries(platform.token, id))[0]?.attempts.length === 1)
    const [{ attempts, next_attempt_at }] = await deliveries(platform.token, id)
    const pause_ms = Date.parse(`${next_attempt_at}Z`) - Date.parse(`${attempts[0].at}Z`)
    assert(pause_ms >= 10 * MINUTE_MS - 1_000 && pause_ms <= 15 * MINUTE_MS, `${pause_ms} ms`)
  })

  it('is not redirected: a redirect is a failure', async () => {
    const [platform, receiver, elsewhere] = [await t.platform(), await openReceiver(), await openReceiver()]
    receiver.does((_, response) => response.writeHead(308, { location: elsewhere.url }).end())
    const { id } = await endpoint(platform.token, receiver.url, ['user.updated'])
    await emit(platform.id, ['user'])
    await delivered(async () => (await deliveries(platform.token, id))[0]?.attempts.length === 1)
    const [delivery] = await deliveries(platform.token, id)
    assert.deepEqual([delivery.status, delivery.attempts[0].status], ['PENDING', 308])
    assert.equal(elsewhere.received.length, 0)
  })

  it('records why there was no response', async () => {
    const [platform, receiver] = [await t.platform(), await openReceiver()]
    receiver.does((_, response) => response.destroy())
    const { id } = await endpoint(platform.token, receiver.url, ['user.updated'])
    await emit(platform.id, ['user'])
    await delivered(async () => (await deliveries(platform.token, id))[0]?.attempts.length === 1)
    const [{ attempts }] = await deliveries(platform.token, id)
    assert.deepEqual([attempts[0].status, attempts[0].error, attempts[0].response], [null, 'no_connection', null])
  })

  it('is disabled when it returns 410: it gets nothing more, and its owner’s others get the event', async () => {
    const [platform, gone, receiver] = [await t.platform(), await openReceiver(), await openReceiver()]
    gone.responses(410)
    await endpoint(platform.token, receiver.url, ['webhook_endpoint.disabled'])
    const { id } = await endpoint(platform.token, gone.url, ['user.updated'])
    await emit(platform.id, ['user'])
    await delivered(() => receiver.received.length === 1)
    assert.deepEqual(receiver.received[0]?.event.data, {
      webhook_endpoint_id: id,
      owner_kind: 'platform',
      owner_id: platform.id,
      reason: 'gone',
    })
    const { body } = await t.call('GET', `/v1/webhook_endpoints/${id}`, { token: platform.token })
    assert.deepEqual([body.status, body.disabled_reason], ['DISABLED', 'gone'])

    gone.responses(200)
    await emit(platform.id, ['missed'])
    const [other] = [await openReceiver()]
    await endpoint(platform.token, other.url, ['user.updated'])
    await emit(platform.id, ['seen'])
    await delivered(() => other.received.length > 0)
    assert.equal(gone.received.length, 1)
    await t.made('PATCH', `/v1/webhook_endpoints/${id}`, { token: platform.token, body: { status: 'ACTIVE' } })
    const [last = ''] = await emit(platform.id, ['again'])
    await delivered(() => idsIn(gone.received).includes(last))
  })

  it('is disabled when it has failed for five days, and not before, whatever the clock of the worker', async () => {
    const [platform, receiver] = [await t.platform(), await openReceiver()]
    receiver.responses(500)
    const { id } = await endpoint(platform.token, receiver.url, ['user.updated'])
    const statusOf = async () =>
      (await t.sql('select status, disabled_reason from webhook_endpoints where endpoint_id = $1', [id]))[0]
    const fail = async () => {
      const before = receiver.received.length
      await emit(platform.id, ['user'])
      await delivered(() => {
        // A clock that was set goes on, so that the pause of an open circuit ends.
        if (t.clock.at) t.clock.at = new Date(t.clock.at.getTime() + MINUTE_MS)
        return receiver.received.length > before
      })
    }
    const hasFailedFor = (days: number) =>
      t.sql(
        `update webhook_endpoints set failing_since = now() - $2 * interval '1 day'
          where endpoint_id = $1 and failing_since is not null returning 1`,
        [id, days],
      )
    await fail()
    await delivered(async () => (await hasFailedFor(4.9)).length > 0)
    await fail()
    assert.deepEqual(await statusOf(), { status: 'ACTIVE', disabled_reason: null })
    t.clock.at = new Date(Date.now() + 6 * 86_400_000)
    await fail()
    await fail() // the one before is settled: one subject gets one call at a time
    t.clock.at = undefined
    assert.deepEqual(await statusOf(), { status: 'ACTIVE', disabled_reason: null }, 'the clock of the worker was wrong')
    await hasFailedFor(5.1)
    await emit(platform.id, ['user']) // a call that still runs may disable it first, and then this one is never made
    await delivered(async () => (await statusOf())?.['status'] === 'DISABLED')
    assert.deepEqual(await statusOf(), { status: 'DISABLED', disabled_reason: 'failing' })
  })

  it('that was down for three days gets everything automatically once it is back', async () => {
    const [platform, receiver] = [await t.platform(), await openReceiver()]
    const { id } = await endpoint(platform.token, receiver.url, ['user.updated'])
    const startedAt = Date.now()
    const passed_ms = () => t.deps.clock.now().getTime() - startedAt
    const pass = (duration_ms: number) => void (t.clock.at = new Date(startedAt + passed_ms() + duration_ms))
    /** A minute passes at each poll, so that the sender's delays end. */
    const awaits = (isSo: () => boolean | Promise<boolean>) =>
      delivered(() => {
        pass(MINUTE_MS)
        return isSo()
      })
    receiver.does((_, response) => response.destroy())
    const ids: string[] = []
    for (; passed_ms() < DOWN_MS; pass(4 * HOUR_MS)) {
      const calls = receiver.received.length
      ids.push(...(await emit(platform.id, ['user', `user ${calls}`])))
      await awaits(() => receiver.received.length > calls)
    }
    const failed = receiver.received.length

    receiver.does()
    const isNoneDue = async () => {
      const due = `select from webhook_deliveries where endpoint_id = $1 and next_attempt_at <= $2`
      return (await t.sql(due, [id, t.deps.clock.now()])).length === 0
    }
    for (const end_ms = passed_ms() + PAUSE_MAX_MS; passed_ms() < end_ms; pass(HOUR_MS)) await awaits(isNoneDue)
    t.clock.at = undefined
    assert.deepEqual(idsIn(receiver.received.slice(failed)).toSorted(), ids.toSorted(), 'each comes, and once')
    assert((await deliveries(platform.token, id)).every(({ status }) => status === 'DELIVERED'))
    const { body } = await t.call('GET', `/v1/webhook_endpoints/${id}`, { token: platform.token })
    assert.equal(body.status, 'ACTIVE')
  })
})
