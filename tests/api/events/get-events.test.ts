import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { EVENTS, type EventType, PUBLIC_TYPES, typesFor } from '../../../src/record/catalogue.ts'
import { newId } from '../../../src/kernel/id.ts'
import { type Body, openTestApp, type TestPlatform, type TestProvider } from '../../support/app.ts'
import { ADMIN_KEYS } from '../../support/keys.ts'
import { assertSameProblem, errorsOf } from '../../support/problems.ts'
import { settled } from '../../support/settled.ts'
import { smallPdf } from '../../support/small-pdf.ts'

const t = await openTestApp()

type Event = { id: string; type: EventType; timestamp: string; subject: string; platform_id: string; data: Body }

const list = (token: string | undefined, query = '') =>
  t.call('GET', `/v1/events${query}`, token === undefined ? {} : { token })

/** Returns all events of this reader, read page by page. */
async function readAll(token: string, { query = '', limit = 100, from = '' } = {}): Promise<Event[]> {
  await settled(t)
  const events: Event[] = []
  for (let after = from; ; ) {
    const { status, body, text } = await list(token, `?limit=${limit}${query}${after && `&after=${after}`}`)
    assert.equal(status, 200, text)
    assert.equal(body.limit, limit)
    events.push(...body.data)
    after = body.next ?? ''
    if (!body.has_more) return events
  }
}

/** A user of the platform with a policy and a consultation of the provider. */
async function live(platform: TestPlatform, provider: TestProvider) {
  const user = await t.onboardedUser(platform)
  const [dependant = ''] = await t.dependants(user)
  const policy = await t.policy(platform, user, await t.benefit(platform, provider), { dependant_ids: [dependant] })
  for (const status of ['VERIFICATION', 'APPROVED', 'ISSUED']) {
    const url = `/v1/users/${user.id}/insurance_policies/${policy}/status`
    await t.made('PUT', url, { token: provider.token, body: { status } })
  }
  await t.made('PUT', `/v1/users/${user.id}/insurance_policies/${policy}/documents/policy_certificate`, {
    token: provider.token,
    body: smallPdf('Certificate'),
    headers: { 'content-type': 'application/pdf' },
  })
  const consultation = await t.consultation(platform, user, provider)
  await t.made('POST', `/v1/users/${user.id}/consultations/${consultation}/messages`, {
    token: user.token,
    body: { body: { content: 'Hello', message_type: 'TEXT' } },
  })
  return { user, dependant, policy, consultation }
}

const platform = await t.platform()
const [provider, otherProvider] = [await t.provider(), await t.provider()]
const ours = await live(platform, provider)
const theirs = await live(await t.platform(), otherProvider)
await t.made('POST', '/v1/account_providers', { adminKey: ADMIN_KEYS[0] ?? '', body: { name: 'Bank' } })
await t.made('POST', '/wallet/v1/auth/otp', {
  body: { platform_id: platform.id, phone_country_code: '+91', phone_number: ours.user.phone },
})

describe('GET /v1/events', () => {
  it('200 with a platform’s events, oldest first, in the same shape as everywhere', async () => {
    const events = await readAll(platform.token)
    const issued = events.find(({ data }) => data.to === 'ISSUED')
    assert(issued)
    const { id, timestamp, ...rest } = issued
    assert.deepEqual(rest, {
      type: 'policy.status_changed',
      subject: ours.policy,
      platform_id: platform.id,
      data: {
        user_id: ours.user.id,
        insurance_policy_id: ours.policy,
        benefit_provider_id: provider.id,
        from: 'APPROVED',
        to: 'ISSUED',
      },
    })
    assert.match(id, /^evt_[0-9a-z]{26}$/)
    assert.equal(new Date(timestamp).toISOString(), timestamp)
    assert(events.length > 15)
    const ids = events.map((event) => event.id)
    assert.deepEqual(ids, ids.toSorted(), 'one process wrote them one after another')
  })

  it('200 with the newest first by `order=desc`, page by page, to every reader and of a record', async () => {
    for (const [token, query] of [
      [platform.token, ''],
      [provider.token, ''],
      [t.viewer, `&subject=${ours.policy}`],
      [platform.token, '&type=policy.status_changed'],
    ] as const) {
      const oldestFirst = await readAll(token, { query })
      for (const limit of [3, 100])
        assert.deepEqual(await readAll(token, { query: `${query}&order=desc`, limit }), oldestFirst.toReversed(), query)
    }
    assert.deepEqual(errorsOf(await list(platform.token, '?order=newest')), ['query:order not_allowed'])
  })

  it('200 for a platform without another platform’s events or those that no platform receives', async () => {
    for (const event of await readAll(platform.token)) {
      assert.equal(event.platform_id, platform.id)
      assert(typesFor('platform').includes(event.type), event.type)
      for (const foreign of [theirs.user.id, theirs.policy, theirs.consultation, otherProvider.id]) {
        assert(!JSON.stringify(event).includes(foreign), event.type)
      }
    }
  })

  it('200 for a benefit provider with only its policies, documents, consultations, benefits and credentials', async () => {
    const events = await readAll(provider.token)
    const seen = new Set(events.map(({ type }) => type))
    const expected: EventType[] = [
      'benefit.created',
      'consultation.message_created',
      'consultation.status_changed',
      'credential.created',
      'document.uploaded',
      'policy.status_changed',
    ]
    assert.deepEqual([...seen].toSorted(), expected)
    for (const { type, data } of events) {
      const owner = data.owner_kind === 'provider' ? data.owner_id : data.benefit_provider_id
      assert.equal(owner, provider.id, type)
    }
  })

  it('200 for administrators with everything except internal events', async () => {
    for (const token of [t.viewer, t.operator, t.owner]) {
      const events = await readAll(token)
      const subjects = new Set(events.map(({ subject }) => subject))
      for (const { user, policy, consultation } of [ours, theirs]) {
        for (const subject of [user.id, policy, consultation]) assert(subjects.has(subject))
      }
      const types = new Set(events.map(({ type }) => type))
      assert(types.has('account_provider.status_changed'))
      assert(!types.has('one_time_code.requested'))
    }
    const stored = await t.sql(`select 1 from events where type = 'one_time_code.requested'`)
    assert(stored.length > 0, 'although there is such an event')
  })

  it('401 without a token, 403 for an app user', async () => {
    assert.equal((await list(undefined)).status, 401)
    assert.equal((await list(ours.user.token)).status, 403)
  })
})

describe('GET /v1/events?type=&subject=', () => {
  it('200 with only these types, or only this subject', async () => {
    const created = await readAll(platform.token, { query: '&type=user.created&type=dependants.created' })
    assert.deepEqual(
      created.map(({ type, subject }) => [type, subject]),
      [
        ['user.created', ours.user.id],
        ['dependants.created', ours.user.id],
      ],
    )
    for (const token of [platform.token, provider.token, t.viewer]) {
      const ofPolicy = await readAll(token, { query: `&subject=${ours.policy}&type=policy.status_changed` })
      const states = ofPolicy.map(({ data }) => data.to)
      assert.deepEqual(states, ['PENDING', 'VERIFICATION', 'APPROVED', 'ISSUED'])
    }
  })

  it('200 empty for another owner’s subject, a missing one, and a type that the reader may not receive', async () => {
    for (const subject of [theirs.policy, theirs.user.id, 'nothing']) {
      assert.deepEqual(await readAll(platform.token, { query: `&subject=${subject}` }), [])
      assert.deepEqual(await readAll(provider.token, { query: `&subject=${subject}` }), [])
    }
    assert.deepEqual(await readAll(provider.token, { query: `&subject=${ours.user.id}` }), [])
    assert.deepEqual(await readAll(platform.token, { query: '&type=account_provider.status_changed' }), [])
  })

  it('422 for unknown types, and types the caller cannot receive, with the list of allowed ones', async () => {
    for (const type of ['policy.issued', 'one_time_code.requested', 'policy.*', '']) {
      const response = await list(t.owner, `?type=${type}`)
      assert.deepEqual(errorsOf(response), ['query:type not_allowed'])
      for (const name of PUBLIC_TYPES) assert(response.text.includes(name), name)
    }
  })

  it('422 for an invalid limit, an empty subject and unknown parameters, all at once', async () => {
    for (const limit of [0, 101]) {
      const response = await list(platform.token, `?limit=${limit}&subject=&offset=1`)
      const ofLimit = limit === 0 ? 'query:limit too_small' : 'query:limit too_large'
      assert.deepEqual(errorsOf(response), [ofLimit, 'query:offset unknown', 'query:subject too_short'])
    }
  })
})

describe('GET /v1/events?after=', () => {
  it('200 page by page: each event once and in the same order, whatever the page size', async () => {
    const all = await readAll(t.viewer)
    for (const limit of [1, 7, all.length]) {
      if (limit > 100) continue
      assert.deepEqual(await readAll(t.viewer, { limit }), all)
    }
    const middle = all[Math.floor(all.length / 2)]
    const rest = all.slice(all.findIndex((event) => event === middle) + 1)
    assert.deepEqual(await readAll(t.viewer, { from: middle?.id ?? '' }), rest)
  })

  it('200 with has_more and a Link while there is more, and then a cursor to continue from', async () => {
    const first = await list(platform.token, '?limit=2&type=policy.status_changed&type=user.created')
    assert.equal(first.body.has_more, true)
    assert.equal(first.body.next, first.body.data[1].id)
    const query = `type=policy.status_changed&type=user.created&limit=2&after=${first.body.next}`
    assert.equal(first.headers['link'], `</v1/events?${query}>; rel="next"`)

    const all = await readAll(platform.token)
    const last = all.at(-1)?.id
    const end = await list(platform.token, `?after=${last}`)
    assert.deepEqual(end.body, { data: [], next: last, has_more: false, limit: 20 })
    assert.equal(end.headers['link'], undefined)

    const user = await t.user(platform)
    assert.deepEqual(
      (await readAll(platform.token, { from: last ?? '' })).map(({ type, subject }) => [type, subject]),
      [['user.created', user.id]],
    )
  })

  it('200 from now on with `latest`, and from the beginning where nothing has happened', async () => {
    await settled(t)
    const { body } = await list(platform.token, '?after=latest')
    const all = await readAll(platform.token)
    assert.deepEqual(body, { data: [], next: all.at(-1)?.id, has_more: false, limit: 20 })
    const user = await t.user(platform)
    const since = await readAll(platform.token, { from: body.next })
    assert.deepEqual(
      since.map(({ subject }) => subject),
      [user.id],
    )

    const subject = newId('pol')
    for (const query of [`?subject=${subject}`, `?subject=${subject}&after=latest`]) {
      const nothing = await list(platform.token, query)
      assert.deepEqual(nothing.body, { data: [], next: null, has_more: false, limit: 20 })
    }
  })

  it('422, identical for an invented cursor and another caller’s', async () => {
    const [foreign] = await readAll(otherProvider.token)
    const responseTo = (after: string | undefined) => list(platform.token, `?after=${after}`)
    const missing = await responseTo(newId('evt'))
    assert.deepEqual(errorsOf(missing), ['query:after unknown_reference'])
    for (const after of [foreign?.id, 'evt_1', 'nonsense', theirs.policy, ' latest']) {
      assertSameProblem(await responseTo(after), missing)
    }
    assert.equal((await list(t.viewer, `?after=${foreign?.id}`)).status, 200)
  })

  it('422 `expired` for an event older than 30 days and purged', async () => {
    const later = new Date(Date.now() + 30 * 24 * 3_600_000 + 1_000)
    const gone = newId('evt')
    t.clock.at = later
    try {
      const headers = { authorization: `Basic ${platform.basicToken}` }
      const input = { headers, body: { grant_type: 'client_credentials' } }
      const { access_token } = await t.made('POST', '/v1/oauth/token', input)
      const response = await list(access_token, `?after=${gone}`)
      assert.deepEqual(errorsOf(response), ['query:after expired'])
    } finally {
      t.clock.at = undefined
    }
  })
})

describe('an event for a benefit provider', () => {
  it('carries the id of that benefit provider in its data', () => {
    for (const type of typesFor('provider')) {
      const members = Object.keys(EVENTS[type].payload.properties)
      const says = members.includes('benefit_provider_id') || members.includes('owner_kind')
      assert(says, type)
    }
  })
})
