import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { type Body, openTestApp } from '../../support/app.ts'
import { errorsOf as problemsOf } from '../../support/problems.ts'

const t = await openTestApp()

const ALL = '/v1/webhook_endpoints'
const URL = 'https://hooks.example.com/banyan'
const INPUT = { url: URL, event_types: ['policy.*', 'user.onboarded'] }

type FieldError = { pointer: string; code: string; detail: string }

const create = (token: string, body: object = INPUT, headers = {}) => t.call('POST', ALL, { token, body, headers })
const errorsOf = async (token: string, body: object) => {
  const response = await create(token, body)
  assert.equal(response.status, 422)
  return response.body.errors as FieldError[]
}
const pointersOf = async (token: string, body: object) =>
  (await errorsOf(token, body)).map(({ pointer, code }) => `${pointer} ${code}`)

describe('POST /v1/webhook_endpoints', () => {
  it('201: an endpoint with its secret, which is never shown again nor stored in clear text', async () => {
    const { id: owner, token } = await t.platform()
    const { status, body, headers } = await create(token, { ...INPUT, description: 'Follows policies' })
    assert.equal(status, 201)
    const { secret, ...record } = body
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.deepEqual(record, {
      id: record.id,
      ...INPUT,
      description: 'Follows policies',
      status: 'ACTIVE',
      disabled_reason: null,
      created_at: record.created_at,
      last_modified_at: record.created_at,
    })
    assert.equal(headers['location'], `${ALL}/${record.id}`)
    const read = await t.call('GET', `${ALL}/${record.id}`, { token })
    assert.deepEqual(read.body, record)
    assert.equal(read.headers['etag'], headers['etag'])
    const list = await t.call('GET', ALL, { token })
    assert.deepEqual(list.body.data, [{ ...record, owner_id: owner, first_failure_at: null }])
    const rows = await t.sql('select row_to_json(w)::text as text from webhook_endpoints w')
    assert(!JSON.stringify(rows).includes(secret.slice('whsec_'.length)))
  })

  it('201 again with the same Idempotency-Key: the same endpoint and secret, created once', async () => {
    const { token } = await t.platform()
    const headers = { 'idempotency-key': randomUUID() }
    const [first, again] = [await create(token, INPUT, headers), await create(token, INPUT, headers)]
    assert.deepEqual(again.body, first.body)
    assert.equal(again.headers['idempotent-replayed'], 'true')
    assert.equal((await t.call('GET', ALL, { token })).body.total, 1)
    const kept = await t.sql('select sealed from idempotency_keys')
    assert(!JSON.stringify(kept).includes(first.body.secret))
  })

  it('201: `null` means no description, and what was read can be sent back', async () => {
    const { token } = await t.provider()
    const { body } = await create(token, { url: URL, event_types: ['*'], description: null })
    assert.equal(body.description, null)
    assert.equal((await create(token, body)).status, 201)
  })

  it('422 reports every error at once: missing URL and types', async () => {
    const { token } = await t.platform()
    assert.deepEqual(await pointersOf(token, {}), ['/url required', '/event_types required'])
    assert.deepEqual(await pointersOf(token, { url: 'hooks', event_types: [], description: '' }), [
      '/event_types too_few',
      '/description too_short',
      '/url format',
    ])
  })

  it('422 for an unknown type, or one the caller cannot receive, with the list of allowed ones', async () => {
    const [platform, provider] = [await t.platform(), await t.provider()]
    const input = (...event_types: string[]) => ({ url: URL, event_types })
    const [error] = await errorsOf(platform.token, input('policy.*', 'policy.expired'))
    assert.deepEqual([error?.pointer, error?.code], ['/event_types/1', 'not_allowed'])
    assert.match(error?.detail ?? '', /\*.*user\.\*.*user\.onboarded.*policy\.status_changed/)
    for (const type of ['*.created', 'policy.', 'policy*', '', 'one_time_code.requested', 'account_provider.*'])
      assert.equal((await create(platform.token, input(type))).status, 422, type)

    const [ofUser] = await errorsOf(provider.token, input('user.created'))
    assert.equal(ofUser?.code, 'not_allowed')
    assert(!ofUser?.detail.includes('user.created'))
    assert.equal((await create(t.owner, input('account_provider.*', 'user.created'))).status, 201)
    assert.equal((await create(t.owner, input('one_time_code.requested'))).status, 422)
  })

  it('422 for a URL that is not on the internet, identical whatever the cause', async () => {
    const { token } = await t.platform()
    const details = []
    for (const host of ['10.0.0.1', '169.254.169.254', '[::ffff:10.0.0.1]', '2852039166', '[fd00:ec2::254]']) {
      const [error] = await errorsOf(token, { ...INPUT, url: `https://${host}/latest` })
      assert.deepEqual([error?.pointer, error?.code], ['/url', 'format'], host)
      details.push(error?.detail)
    }
    assert.equal(new Set(details).size, 1)
    assert.match(details[0] ?? '', /public addresses/)
    for (const url of [` ${URL}`, `${URL} `, `\u00a0${URL}`, `${URL}\u3000`]) {
      const [error] = await errorsOf(token, { ...INPUT, url })
      assert.deepEqual([error?.pointer, error?.code], ['/url', 'format'], JSON.stringify(url))
      assert.match(error?.detail ?? '', /blank/)
    }
    for (const url of ['http://hooks.example.com/', 'https://hooks.example.com:22/', 'https://a:b@hooks.example.com/'])
      assert.equal((await create(token, { ...INPUT, url })).status, 422, url)
  })

  it('409 for an owner’s twenty-first; another owner has twenty too', async () => {
    const [platform, provider] = [await t.platform(), await t.provider()]
    const responses = await Promise.all(Array.from({ length: 25 }, () => create(platform.token)))
    const made = responses.filter(({ status }) => status === 201)
    assert.equal(made.length, 20)
    const { status, body } = await create(platform.token)
    assert.deepEqual([status, body.code, body.reason], [409, 'conflict', 'limit_reached'])
    assert.equal((await create(provider.token, { url: URL, event_types: ['policy.*'] })).status, 201)
    await t.made('DELETE', `${ALL}/${made[0]?.body.id}`, { token: platform.token })
    assert.equal((await create(platform.token)).status, 201)
  })
})

describe('endpoints of administrators', () => {
  it('are shared: one creates it, another changes it, a viewer reads it, and no partner sees it', async () => {
    const { id } = (await create(t.owner, { url: URL, event_types: ['*'] })).body
    assert.equal(
      (await t.call('PATCH', `${ALL}/${id}`, { token: t.operator, body: { description: 'All' } })).status,
      200,
    )
    assert.equal((await t.call('GET', `${ALL}/${id}`, { token: t.viewer })).body.description, 'All')
    const { token } = await t.platform()
    assert.equal((await t.call('GET', `${ALL}/${id}`, { token })).status, 404)
    assert.equal((await t.call('GET', ALL, { token: t.owner })).body.data[0].id, id)
  })
})

describe('endpoints of a partner', () => {
  const ofPlatform = async () => {
    const { id: owner, token } = await t.platform()
    const { secret, ...endpoint } = (await create(token)).body
    return { owner, token, secret, endpoint, url: `${ALL}/${endpoint.id}` }
  }

  it('200: operators and owners read them and their deliveries, by partner or by id, never the secret', async () => {
    const [{ owner, endpoint, secret, url, token }, provider] = [await ofPlatform(), await t.provider()]
    const ofProvider = (await create(provider.token, { url: URL, event_types: ['policy.*'] })).body
    const delivery = (await t.made('POST', `${url}/test`, { token })).id
    for (const helper of [t.operator, t.owner]) {
      const listed = await t.call('GET', `${ALL}?owner=${owner}`, { token: helper })
      const shown = { ...endpoint, owner_id: owner, first_failure_at: null }
      assert.deepEqual([listed.body.data, listed.body.total], [[shown], 1])
      assert.match(listed.headers['link'] ?? '', new RegExp(`owner=${owner}&`))
      const [other] = (await t.call('GET', `${ALL}?owner=${provider.id}`, { token: helper })).body.data
      assert.equal(other.id, ofProvider.id)
      const read = await t.call('GET', url, { token: helper })
      const deliveries = await t.call('GET', `${url}/deliveries`, { token: helper })
      assert.deepEqual([read.body, deliveries.body.data[0].id], [endpoint, delivery])
      for (const { text } of [listed, read, deliveries]) assert(!text.includes(secret))
      assert.equal((await t.call('GET', `${ALL}?owner=plt_nobody`, { token: helper })).body.total, 0)
    }
  })

  it('200: operators and owners replay a delivery, or the partner’s own events of a time range', async () => {
    const { token, url } = await ofPlatform()
    await t.user(await t.platform())
    const { id } = await t.made('POST', `${url}/test`, { token })
    const range = { from: '2026-01-01T00:00:00', to: '2099-01-01T00:00:00' }
    for (const helper of [t.operator, t.owner]) {
      const replayed = await t.call('POST', `${url}/deliveries/${id}/replay`, { token: helper })
      assert.deepEqual([replayed.status, replayed.body.id], [200, id])
      const { body } = await t.call('POST', `${url}/replay`, { token: helper, body: range })
      assert.deepEqual(body, (await t.call('POST', `${url}/replay`, { token, body: range })).body)
    }
  })

  it('404: nobody but the partner changes, tests or deletes one, and viewers do not see it', async () => {
    const { url, endpoint, token } = await ofPlatform()
    for (const helper of [t.operator, t.owner]) {
      for (const [method, path] of [
        ['PATCH', ''],
        ['DELETE', ''],
        ['POST', '/rotate_secret'],
        ['POST', '/test'],
      ] as const) {
        const body = method === 'PATCH' ? { body: { status: 'DISABLED' } } : {}
        assert.equal((await t.call(method, `${url}${path}`, { token: helper, ...body })).status, 404, method)
      }
    }
    for (const path of ['', '/deliveries'])
      assert.equal((await t.call('GET', `${url}${path}`, { token: t.viewer })).status, 404)
    assert.deepEqual((await t.call('GET', url, { token })).body, endpoint)
  })

  it('200: those of all partners that fail, in one list; none that works, is not served or was disabled by its owner', async () => {
    const [failing, gone, requested, unserved] = await Promise.all([1, 2, 3, 4].map(ofPlatform))
    assert(failing && gone && requested && unserved)
    const set = (columns: string, ...endpoints: { endpoint: Body }[]) =>
      t.sql(`update webhook_endpoints set ${columns} where endpoint_id = any ($1)`, [
        endpoints.map(({ endpoint }) => endpoint['id']),
      ])
    await set(`failing_since = '2026-04-01T09:30:00Z'`, failing, gone, requested, unserved)
    await set(`status = 'DISABLED', disabled_reason = 'gone'`, gone)
    await set(`status = 'DISABLED', disabled_reason = 'requested'`, requested)
    const status = { token: t.owner, body: { status: 'INACTIVE' } }
    await t.made('PUT', `/v1/platforms/${unserved.owner}/status`, status)
    const list = async (query: string) =>
      (await t.call('GET', `${ALL}?failing=true${query}`, { token: t.operator })).body
    const { data, total } = await list('&limit=100')
    const ours = [failing, gone, requested, unserved]
    const stateOf = ({ endpoint, owner }: (typeof ours)[number]) =>
      (data as Body[])
        .filter(({ id }) => id === endpoint['id'])
        .map(({ owner_id, first_failure_at, status: now }) => [owner_id === owner, first_failure_at, now])
    assert.deepEqual(ours.map(stateOf), [
      [[true, '2026-04-01T09:30:00', 'ACTIVE']],
      [[true, '2026-04-01T09:30:00', 'DISABLED']],
      [],
      [],
    ])
    assert(total >= 2, 'of other tests too')
    assert.equal((await list('&limit=1')).data.length, 1)
    for (const { secret } of [failing, gone]) assert(!JSON.stringify(data).includes(secret))
    // Failing is no change of the record, and so not of its version.
    assert.deepEqual((await t.call('GET', failing.url, { token: failing.token })).body, failing.endpoint)
  })

  it('422 for anyone else who asks for the endpoints of an owner, even its own, or for those that fail', async () => {
    const { owner, token } = await ofPlatform()
    for (const other of [token, (await t.provider()).token, t.viewer])
      for (const query of [`owner=${owner}`, 'failing=true'])
        assert.deepEqual(problemsOf(await t.call('GET', `${ALL}?${query}`, { token: other })), [
          `query:${query.split('=')[0]} not_allowed`,
        ])
    assert.deepEqual(problemsOf(await t.call('GET', `${ALL}?owner=${owner}&failing=true`, { token: t.owner })), [
      'query:failing not_allowed',
      'query:owner not_allowed',
    ])
    assert.deepEqual(problemsOf(await t.call('GET', `${ALL}?failing=1`, { token: t.owner })), [
      'query:failing not_allowed',
    ])
  })
})

describe('PATCH /v1/webhook_endpoints/{id}', () => {
  async function made() {
    const { token } = await t.platform()
    const { id } = (await create(token, { ...INPUT, description: 'Follows policies' })).body
    const url = `${ALL}/${id}`
    const patch = (body: object, headers = {}) => t.call('PATCH', url, { token, body, headers })
    return { id, url, token, patch }
  }

  it('200: changes the fields sent, clears the description, and updates its time', async () => {
    const { patch, url, token } = await made()
    const { body } = await patch({ url: `${URL}/2`, event_types: ['*'], description: null })
    assert.deepEqual([body.url, body.event_types, body.description, body.status], [`${URL}/2`, ['*'], null, 'ACTIVE'])
    assert.deepEqual((await t.call('GET', url, { token })).body, body)
  })

  it('200: disables it and enables it again, each reported by an event', async () => {
    const { id, patch } = await made()
    const disabled = (await patch({ status: 'DISABLED' })).body
    assert.deepEqual([disabled.status, disabled.disabled_reason], ['DISABLED', 'requested'])
    const renamed = (await patch({ description: 'Stopped' })).body
    assert.deepEqual([renamed.status, renamed.disabled_reason], ['DISABLED', 'requested'])
    const enabled = (await patch({ status: 'ACTIVE' })).body
    assert.deepEqual([enabled.status, enabled.disabled_reason], ['ACTIVE', null])
    const events = await t.sql(
      `select type, data ->> 'reason' as reason from events where subject = $1 order by event_id`,
      [id],
    )
    assert.deepEqual(events, [
      { type: 'webhook_endpoint.enabled', reason: null },
      { type: 'webhook_endpoint.disabled', reason: 'requested' },
      { type: 'webhook_endpoint.enabled', reason: null },
    ])
  })

  it('200 and nothing is written when nothing changes', async () => {
    const { id, patch } = await made()
    const [first, again] = [await patch({ status: 'ACTIVE' }), await patch({ event_types: INPUT.event_types })]
    assert.equal(first.headers['etag'], again.headers['etag'])
    assert.deepEqual(await t.sql('select revision from webhook_endpoints where endpoint_id = $1', [id]), [
      { revision: 1 },
    ])
  })

  it('412 when it has changed since; nothing changes', async () => {
    const { patch, url, token } = await made()
    const { headers } = await t.call('GET', url, { token })
    const fresh = { 'if-match': headers['etag'] ?? '' }
    assert.equal((await patch({ description: 'One' }, fresh)).status, 200)
    assert.equal((await patch({ description: 'Two' }, fresh)).status, 412)
    assert.equal((await t.call('GET', url, { token })).body.description, 'One')
  })

  it('422 for an empty change, a URL that is not on the internet, and unknown types', async () => {
    const { patch } = await made()
    for (const body of [
      {},
      { url: 'https://10.0.0.1/' },
      { event_types: ['nothing'] },
      { url: null },
      { status: 'GONE' },
    ])
      assert.equal((await patch(body)).status, 422, JSON.stringify(body))
  })
})

describe('event_types of a webhook endpoint', () => {
  const repeated = { event_types: ['user.*', 'policy.*', 'user.*'] }

  it('422 for an entry that is repeated, on creation and on change; nothing is stored', async () => {
    const { token } = await t.platform()
    assert.deepEqual(await pointersOf(token, { url: URL, ...repeated }), ['/event_types duplicate'])
    assert.equal((await t.call('GET', ALL, { token })).body.total, 0)

    const { id } = (await create(token)).body
    const refused = await t.call('PATCH', `${ALL}/${id}`, { token, body: repeated })
    assert.equal(refused.status, 422)
    assert.deepEqual((await t.call('GET', `${ALL}/${id}`, { token })).body.event_types, INPUT.event_types)
  })

  it('201 for types that overlap: each event is sent once anyway', async () => {
    const { token } = await t.platform()
    const event_types = ['*', 'user.*', 'user.created']
    assert.deepEqual((await create(token, { url: URL, event_types })).body.event_types, event_types)
  })
})

describe('POST /v1/webhook_endpoints/{id}/rotate_secret', () => {
  it('200: another secret, shown once; the endpoint is otherwise unchanged', async () => {
    const { token } = await t.platform()
    const { secret: before, ...made } = (await create(token)).body
    const { status, body, headers } = await t.call('POST', `${ALL}/${made.id}/rotate_secret`, { token })
    const { secret, ...record } = body
    assert.equal(status, 200)
    assert.notEqual(secret, before)
    assert.deepEqual({ ...record, last_modified_at: '' }, { ...made, last_modified_at: '' })
    const read = await t.call('GET', `${ALL}/${made.id}`, { token })
    assert.deepEqual(read.body, record)
    assert.equal(read.headers['etag'], headers['etag'])
  })
})

describe('DELETE /v1/webhook_endpoints/{id}', () => {
  it('200, then 404 for every operation on it, and it is in no list', async () => {
    const { token } = await t.platform()
    const { id } = (await create(token)).body
    const { status, body } = await t.call('DELETE', `${ALL}/${id}`, { token })
    assert.deepEqual([status, body], [200, { id }])
    for (const [method, path] of [
      ['DELETE', ''],
      ['GET', ''],
      ['GET', '/deliveries'],
      ['POST', '/test'],
      ['POST', '/rotate_secret'],
    ] as const)
      assert.equal((await t.call(method, `${ALL}/${id}${path}`, { token })).status, 404, `${method} ${path}`)
    assert.equal((await t.call('GET', ALL, { token })).body.total, 0)
  })
})

describe('POST /v1/webhook_endpoints/{id}/test', () => {
  it('409 while it is disabled', async () => {
    const { token } = await t.platform()
    const { id } = (await create(token)).body
    await t.made('PATCH', `${ALL}/${id}`, { token, body: { status: 'DISABLED' } })
    const { status, body } = await t.call('POST', `${ALL}/${id}/test`, { token })
    assert.deepEqual([status, body.code, body.reason], [409, 'conflict', 'inactive'])
  })
})
