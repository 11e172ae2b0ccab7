import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type CallFunction, openTestApp } from '../../support/app.ts'
import { ADMIN_KEYS } from '../../support/keys.ts'
import { meetAt } from '../../support/meeting.ts'
import { assertSameNotFound, assertSameProblem, errorsOf } from '../../support/problems.ts'

const t = await openTestApp()

const COLLECTION = '/v1/account_providers'
const [adminKey = '', otherKey = ''] = ADMIN_KEYS

const newProvider = async (name = 'Example Bank'): Promise<string> =>
  (await t.made('POST', COLLECTION, { adminKey, body: { name } })).id

const read = (id: string) => t.call('GET', `${COLLECTION}/${id}`, { adminKey })
const rows = () => t.sql('select account_provider_id, name, revision from account_providers order by 1')

const tracesOf = async (id: string) => ({
  history: await t.sql(
    'select from_status, to_status, actor, request_id from catalogue_status_changes where entity_id = $1',
    [id],
  ),
  events: await t.sql('select type, platform_id, data from events where subject = $1', [id]),
})

describe('PATCH /v1/account_providers/{account_provider_id}', () => {
  it('200 renames it and changes nothing else', async () => {
    const id = await newProvider()
    const neighbour = await newProvider()
    const before = await read(id)
    const response = await t.call('PATCH', `${COLLECTION}/${id}`, { adminKey, body: { name: ' Naya Bank ₹ ' } })
    assert.equal(response.status, 200)
    const { last_modified_at, ...rest } = response.body
    const { last_modified_at: earlier, ...restBefore } = before.body
    assert.deepEqual(rest, { ...restBefore, name: ' Naya Bank ₹ ' })
    assert(last_modified_at >= earlier)
    assert.equal(response.headers['cache-control'], 'no-store')

    const after = await read(id)
    assert.deepEqual(after.body, response.body)
    assert.notEqual(after.headers['etag'], before.headers['etag'])
    assert.equal((await read(neighbour)).body.name, 'Example Bank')
  })

  it('200 with each of several keys, so that a key can be replaced', async () => {
    const id = await newProvider()
    for (const key of ADMIN_KEYS) {
      const response = await t.call('PATCH', `${COLLECTION}/${id}`, { adminKey: key, body: { name: `By ${key}` } })
      assert.equal(response.status, 200)
      assert.equal((await t.call('GET', `${COLLECTION}/${id}`, { adminKey: otherKey })).body.name, `By ${key}`)
    }
  })

  it('200 for a merge patch; fields other than the name are ignored', async () => {
    const id = await newProvider()
    const headers = { 'content-type': 'application/merge-patch+json' }
    const body = { name: 'Merged Bank', status: 'inactive', id: 'apr_other' }
    const response = await t.call('PATCH', `${COLLECTION}/${id}`, { adminKey, headers, body })
    assert.deepEqual([response.body.id, response.body.name, response.body.status], [id, 'Merged Bank', 'active'])
  })

  it('200 for the current name, unchanged: no new version, no history, no event', async () => {
    const id = await newProvider('Example Bank')
    const before = [await rows(), await tracesOf(id)]
    const first = await read(id)
    for (const tag of [undefined, first.headers['etag'] ?? '']) {
      const headers: Record<string, string> = tag === undefined ? {} : { 'if-match': tag }
      const response = await t.call('PATCH', `${COLLECTION}/${id}`, {
        adminKey,
        headers,
        body: { name: 'Example Bank' },
      })
      assert.deepEqual(
        [response.status, response.text, response.headers['etag']],
        [200, first.text, first.headers['etag']],
      )
    }
    assert.deepEqual([await rows(), await tracesOf(id)], before)
  })

  it('200 and 412, one each, for two concurrent names on two nodes under one version', async () => {
    const id = await newProvider()
    const nodes = await t.openNodes(2)
    const headers = { 'if-match': (await read(id)).headers['etag'] ?? '' }
    const row = { table: 'account_providers', key: 'account_provider_id', id }
    const rename = (node: CallFunction, name: string) =>
      node('PATCH', `${COLLECTION}/${id}`, { adminKey, headers, body: { name } })
    const responses = await meetAt(
      t,
      row,
      nodes.map((node, index) => () => rename(node, `Bank ${index}`)),
    )
    assert.deepEqual(new Set(responses.map(({ status }) => status)), new Set([200, 412]))
    assert.equal((await read(id)).body.name, responses.find(({ status }) => status === 200)?.body.name)
  })

  it('401 without the key, with a wrong one and with any bearer token instead', async () => {
    const id = await newProvider()
    const before = await rows()
    const platform = await t.platform()
    const { token: user } = await t.user(platform)
    const { token: provider } = await t.provider()
    const rename = (call: object) => t.call('PATCH', `${COLLECTION}/${id}`, { body: { name: 'Taken' }, ...call })
    const none = await rename({})
    assert.equal(none.body.code, 'unauthenticated')
    assert.equal(none.headers['www-authenticate'], 'AdminApiKey')
    for (const key of [
      '',
      'wrong',
      `${adminKey}x`,
      adminKey.slice(0, -1),
      adminKey.toUpperCase(),
      ADMIN_KEYS.join(','),
    ]) {
      assertSameProblem(await rename({ adminKey: key }), none)
    }
    for (const token of [platform.token, user, provider, t.viewer, t.operator, t.owner, adminKey]) {
      assertSameProblem(await rename({ token }), none)
    }
    assert.deepEqual(await rows(), before)
    assert.equal((await rename({ adminKey, token: 'not-a-token' })).status, 200) // only the key counts here
  })

  it('401 for the key where a bearer token is required', async () => {
    assert.equal((await t.call('GET', '/v1/platforms', { adminKey })).status, 401)
  })

  it('404 for a missing one, before any error of the body is reported', async () => {
    const patch = (body: unknown) => t.call('PATCH', `${COLLECTION}/apr_none`, { adminKey, body })
    assertSameNotFound(await patch({ name: 'New' }), await patch({}))
  })

  it('412 for a version other than the stored one, unchanged', async () => {
    const id = await newProvider()
    const { headers } = await read(id)
    const rename = (name: string, tag: string) =>
      t.call('PATCH', `${COLLECTION}/${id}`, { adminKey, body: { name }, headers: { 'if-match': tag } })
    assert.equal((await rename('First', headers['etag'] ?? '')).status, 200)
    assert.equal((await rename('Second', headers['etag'] ?? '')).body.code, 'precondition_failed')
    assert.equal((await read(id)).body.name, 'First')
    assert.equal((await rename('Third', '*')).status, 200)
  })

  it('422 reports every error, 415 for another media type; unchanged', async () => {
    const id = await newProvider()
    const before = await rows()
    const errors = async (body?: unknown, headers: Record<string, string> = {}) =>
      errorsOf(await t.call('PATCH', `${COLLECTION}/${id}`, { adminKey, body, headers }))
    assert.deepEqual(await errors(undefined), [' required'])
    assert.deepEqual(await errors({}), ['/name required'])
    assert.deepEqual(await errors({ name: null }), ['/name type'])
    assert.deepEqual(await errors({ name: '' }), ['/name too_short'])
    assert.deepEqual(await errors({ name: 'x'.repeat(201) }), ['/name too_long'])
    assert.deepEqual(await errors({ name: 'tab\tbed' }), ['/name format'])
    const strict = { prefer: 'handling=strict' }
    assert.deepEqual(await errors({ name: 'Bank', status: 'inactive' }, strict), ['/status unknown'])
    const text = { adminKey, body: 'name', headers: { 'content-type': 'text/plain' } }
    assert.equal((await t.call('PATCH', `${COLLECTION}/${id}`, text)).status, 415)
    assert.deepEqual(await rows(), before)
  })
})

describe('POST /v1/account_providers', () => {
  it('201 and the history records which of the keys was used', async () => {
    const { history } = await tracesOf(await newProvider())
    assert.deepEqual(
      history.map(({ actor }) => actor),
      ['admin_key:desk'],
    )
    const named = await t.call('POST', COLLECTION, { adminKey: `desk:${adminKey}`, body: { name: 'Example Bank' } })
    assert.equal(named.status, 401, 'the name is no part of the key')
  })

  it('201 creates an active one and returns its URL', async () => {
    const response = await t.call('POST', COLLECTION, { adminKey: otherKey, body: { name: 'Example Bank' } })
    assert.equal(response.status, 201)
    const { id, created_at, last_modified_at, ...rest } = response.body
    assert.match(id, /^apr_[0-9a-z]{26}$/)
    assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/)
    assert.equal(last_modified_at, created_at)
    assert.deepEqual(rest, { name: 'Example Bank', status: 'active' })
    assert.equal(response.headers['location'], `${COLLECTION}/${id}`)
    assert.deepEqual((await read(id)).body, response.body)
    assert.deepEqual(await tracesOf(id), {
      history: [
        {
          from_status: null,
          to_status: 'active',
          actor: 'admin_key:unnamed',
          request_id: response.headers['x-request-id'],
        },
      ],
      events: [
        {
          type: 'account_provider.status_changed',
          platform_id: null,
          data: { account_provider_id: id, from: null, to: 'active' },
        },
      ],
    })
  })

  it('401 for a bearer token, 422 without a name; nothing is created', async () => {
    const before = await rows()
    const body = { name: 'Example Bank' }
    assert.equal((await t.call('POST', COLLECTION, { body })).status, 401)
    assert.equal((await t.call('POST', COLLECTION, { token: t.owner, body })).status, 401)
    assert.deepEqual(errorsOf(await t.call('POST', COLLECTION, { adminKey, body: {} })), ['/name required'])
    assert.deepEqual(await rows(), before)
  })
})

describe('GET /v1/account_providers', () => {
  it('200 lists newest first, page by page, with an exact total', async () => {
    const made = [await newProvider('One'), await newProvider('Two')].toReversed()
    const response = await t.call('GET', `${COLLECTION}?limit=2`, { adminKey })
    const { data, ...paging } = response.body
    assert.deepEqual(
      data.map(({ id }: { id: string }) => id),
      made,
    )
    assert.deepEqual(paging, { limit: 2, offset: 0, total: (await rows()).length })
    assert.match(response.headers['link'] ?? '', /rel="first".*rel="next".*rel="last"/)
  })

  it('401 for a bearer token, 422 for wrong parameters', async () => {
    assert.equal((await t.call('GET', COLLECTION, { token: t.owner })).status, 401)
    const response = await t.call('GET', `${COLLECTION}?limit=101&colour=red`, { adminKey })
    assert.deepEqual(errorsOf(response), ['query:colour unknown', 'query:limit too_large'])
  })
})

describe('GET /v1/account_providers/{account_provider_id}', () => {
  it('200 with an ETag, 304 for a matching If-None-Match', async () => {
    const id = await newProvider()
    const { headers } = await read(id)
    const again = await t.call('GET', `${COLLECTION}/${id}`, {
      adminKey,
      headers: { 'if-none-match': headers['etag'] ?? '' },
    })
    assert.deepEqual([again.status, again.text], [304, ''])
  })

  it('401, 404 and 422 in that order', async () => {
    const long = `${COLLECTION}/${'x'.repeat(101)}`
    assert.equal((await t.call('GET', long, { token: t.owner })).status, 401)
    assert.deepEqual(errorsOf(await t.call('GET', long, { adminKey })), ['path:account_provider_id too_long'])
    assertSameNotFound(await read('apr_none?colour=red'), await read('apr_none'))
    assert.deepEqual(errorsOf(await read(`${await newProvider()}?colour=red`)), ['query:colour unknown'])
  })
})
