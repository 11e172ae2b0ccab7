import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp } from '../../../support/app.ts'
import { errorsOf } from '../../../support/problems.ts'

const t = await openTestApp({ own: true })

const platformRows = () => t.sql('select platform_id from platforms')

describe('POST /v1/platforms', () => {
  it('201 registers an ACTIVE platform and returns its URL', async () => {
    const response = await t.call('POST', '/v1/platforms', { token: t.operator, body: { name: 'Acme Benefits' } })

    assert.equal(response.status, 201)
    const { id, created_at, last_modified_at, ...rest } = response.body
    assert.match(id, /^plt_[0-9a-z]{26}$/)
    assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/)
    assert.equal(last_modified_at, created_at)
    assert.deepEqual(rest, { name: 'Acme Benefits', status: 'ACTIVE', default_account_type: 'SAVINGS' })
    assert.equal(response.headers['location'], `/v1/platforms/${id}`)
    assert.equal(response.headers['cache-control'], 'no-store')
    const read = await t.call('GET', `/v1/platforms/${id}`, { token: t.viewer })
    assert.deepEqual(read.body, response.body)
  })

  it('201 records its history and emits its event', async () => {
    const response = await t.call('POST', '/v1/platforms', { token: t.operator, body: { name: 'Acme Benefits' } })
    const { id } = response.body
    const history = await t.sql(
      'select from_status, to_status, actor, request_id from catalogue_status_changes where entity_id = $1',
      [id],
    )
    const request_id = response.headers['x-request-id']
    assert.deepEqual(history, [{ from_status: null, to_status: 'ACTIVE', actor: 'operator:test-operator', request_id }])
    assert.deepEqual(await t.sql('select type, platform_id, data from events where subject = $1', [id]), [
      {
        type: 'platform.status_changed',
        platform_id: id,
        data: { platform_id: id, from: null, to: 'ACTIVE' },
      },
    ])
  })

  it('201 once for an Idempotency-Key: the same request again gets the same response', async () => {
    const before = (await platformRows()).length
    const call = { token: t.operator, body: { name: 'Once' }, headers: { 'idempotency-key': 'platform-once' } }
    const first = await t.call('POST', '/v1/platforms', call)
    const again = await t.call('POST', '/v1/platforms', call)
    assert.deepEqual(
      [again.status, again.text, again.headers['location']],
      [201, first.text, first.headers['location']],
    )
    assert.deepEqual([first.headers['idempotent-replayed'], again.headers['idempotent-replayed']], [undefined, 'true'])
    assert.equal((await platformRows()).length, before + 1)
  })

  it('201 keeps the name byte for byte and the chosen account type', async () => {
    const name = '  आधार Cafe\u0301 😀 ' // leading and trailing spaces and a decomposed accent are the caller's
    for (const default_account_type of ['SAVINGS', 'HSA', 'EDUCATION', 'SPONSOR']) {
      const body = { name, default_account_type, colour: 'ignored' }
      const response = await t.call('POST', '/v1/platforms', { token: t.owner, body })
      assert.equal(response.body.name, name)
      assert.equal(response.body.default_account_type, default_account_type)
    }
    const longest = '😀'.repeat(200)
    assert.equal((await t.made('POST', '/v1/platforms', { token: t.owner, body: { name: longest } })).name, longest)
  })

  it('401 without a token and 403 for everyone but operators and owners; nothing is created', async () => {
    const platform = await t.platform()
    const { token: user } = await t.user(platform)
    const { token: provider } = await t.provider()
    const before = await platformRows()
    const body = { name: 'Acme Benefits' }

    const anonymous = await t.call('POST', '/v1/platforms', { body })
    assert.equal(anonymous.status, 401)
    assert.equal(anonymous.body.code, 'unauthenticated')
    assert.match(anonymous.headers['www-authenticate'] ?? '', /^Bearer/)
    for (const token of [platform.token, user, provider, t.viewer]) {
      assert.equal((await t.call('POST', '/v1/platforms', { token, body })).body.code, 'forbidden')
    }
    assert.deepEqual(await platformRows(), before)
  })

  it('422 reports every error at once; nothing is created', async () => {
    const before = await platformRows()
    const errors = async (body?: unknown, headers?: Record<string, string>) =>
      errorsOf(await t.call('POST', '/v1/platforms', { token: t.owner, body, ...(headers && { headers }) }))

    assert.deepEqual(await errors(), [' required'])
    assert.deepEqual(await errors({}), ['/name required'])
    assert.deepEqual(await errors({ name: '', default_account_type: 'GOLD' }), [
      '/default_account_type not_allowed',
      '/name too_short',
    ])
    assert.deepEqual(await errors({ name: 7 }), ['/name type'])
    assert.deepEqual(await errors({ name: null }), ['/name type'])
    assert.deepEqual(await errors({ name: 'x'.repeat(201) }), ['/name too_long'])
    assert.deepEqual(await errors({ name: 'two\nlines' }), ['/name format'])
    assert.deepEqual(await errors({ name: 'a\u0000b' }), ['/name unstorable_text'])
    assert.deepEqual(await errors('{"name":"\\ud800"}'), ['/name unstorable_text'])
    assert.deepEqual(await errors({ name: 'Acme', colour: 1, shape: 2 }, { prefer: 'handling=strict' }), [
      '/colour unknown',
      '/shape unknown',
    ])
    assert.deepEqual(await platformRows(), before)
  })

  it('400 for a body that is not a single JSON object; nothing is created', async () => {
    const before = await platformRows()
    for (const body of ['[]', '"Acme"', '{"name":', '{"name":"a","name":"b"}', '{"name":"a","n":1e400}']) {
      assert.equal((await t.call('POST', '/v1/platforms', { token: t.owner, body })).body.code, 'malformed_json')
    }
    const text = { token: t.owner, body: 'name=Acme', headers: { 'content-type': 'text/plain' } }
    assert.equal((await t.call('POST', '/v1/platforms', text)).status, 415)
    assert.deepEqual(await platformRows(), before)
  })
})

describe('GET /v1/platforms', () => {
  it('200 lists newest first, page by page, with an exact total', async () => {
    const made: string[] = []
    for (const name of ['First', 'Second', 'Third']) {
      const { id } = await t.made('POST', '/v1/platforms', { token: t.owner, body: { name } })
      await t.made('PUT', `/v1/platforms/${id}/status`, { token: t.owner, body: { status: 'INACTIVE' } })
      made.unshift(id)
    }
    const page = await t.call('GET', '/v1/platforms?status=INACTIVE&limit=2', { token: t.viewer })
    assert.equal(page.status, 200)
    const { data, ...paging } = page.body
    assert.deepEqual(
      data.map(({ id }: { id: string }) => id),
      made.slice(0, 2),
    )
    assert.deepEqual(paging, { limit: 2, offset: 0, total: 3 })
    assert.equal(
      page.headers['link'],
      '</v1/platforms?status=INACTIVE&limit=2&offset=0>; rel="first", ' +
        '</v1/platforms?status=INACTIVE&limit=2&offset=2>; rel="next", ' +
        '</v1/platforms?status=INACTIVE&limit=2&offset=2>; rel="last"',
    )
    const last = await t.call('GET', '/v1/platforms?status=INACTIVE&limit=2&offset=2', { token: t.viewer })
    assert.deepEqual(
      last.body.data.map(({ id }: { id: string }) => id),
      made.slice(2),
    )
    assert.doesNotMatch(last.headers['link'] ?? '', /rel="next"/)
    assert.match(last.headers['link'] ?? '', /offset=0>; rel="prev"/)
    const beyond = await t.call('GET', '/v1/platforms?status=INACTIVE&offset=100000', { token: t.viewer })
    assert.deepEqual(beyond.body, { data: [], limit: 20, offset: 100_000, total: 3 })
  })

  it('200 accepts a repeated filter, for both states', async () => {
    const { total } = (await t.call('GET', '/v1/platforms', { token: t.viewer })).body
    const both = await t.call('GET', '/v1/platforms?status=ACTIVE&status=INACTIVE', { token: t.operator })
    assert.equal(both.body.total, total)
    assert.equal(total, (await platformRows()).length)
  })

  it('401 and 403 for everyone but administrators', async () => {
    const platform = await t.platform()
    assert.equal((await t.call('GET', '/v1/platforms')).status, 401)
    for (const token of [platform.token, (await t.user(platform)).token, (await t.provider()).token]) {
      assert.equal((await t.call('GET', '/v1/platforms', { token })).status, 403)
    }
  })

  it('422 reports every wrong query parameter and lists the known states', async () => {
    const response = await t.call('GET', '/v1/platforms?limit=101&offset=-1&status=GONE&colour=vermilion', {
      token: t.viewer,
    })
    assert.deepEqual(errorsOf(response), [
      'query:colour unknown',
      'query:limit too_large',
      'query:offset too_small',
      'query:status not_allowed',
    ])
    const { detail } = response.body.errors.find(({ pointer }: { pointer: string }) => pointer === 'query:status')
    assert.match(detail, /ACTIVE, INACTIVE/)
    assert.doesNotMatch(response.text, /GONE|vermilion/)
    for (const query of ['limit=0', 'limit=ten', 'limit=1.5', 'limit=', 'limit=1&limit=2']) {
      assert.match(
        errorsOf(await t.call('GET', `/v1/platforms?${query}`, { token: t.viewer }))[0] ?? '',
        /^query:limit/,
      )
    }
    assert.equal(errorsOf(await t.call('GET', '/v1/platforms?offset=100001', { token: t.viewer })).length, 1)
  })
})

describe('GET /v1/platforms/{platform_id}', () => {
  it('200 with an ETag, 304 for a matching If-None-Match', async () => {
    const { id } = await t.platform()
    const url = `/v1/platforms/${id}`
    const first = await t.call('GET', url, { token: t.viewer })
    assert.equal(first.status, 200)
    const etag = first.headers['etag'] ?? ''
    assert.match(etag, /^"[^"]+"$/)
    for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await t.call('GET', url, { token: t.viewer, headers: { 'if-none-match': tag } })
      assert.deepEqual([again.status, again.text, again.headers['etag']], [304, '', etag])
    }
    await t.made('PUT', `${url}/status`, { token: t.owner, body: { status: 'INACTIVE' } })
    const changed = await t.call('GET', url, { token: t.viewer, headers: { 'if-none-match': etag } })
    assert.equal(changed.status, 200)
    assert.notEqual(changed.headers['etag'], etag)
  })

  it('401, 403, 404 and 422 in the order that reveals nothing to strangers', async () => {
    const platform = await t.platform()
    const long = `/v1/platforms/${'x'.repeat(101)}`
    assert.equal((await t.call('GET', long)).status, 401)
    assert.equal((await t.call('GET', long, { token: platform.token })).status, 403)
    assert.deepEqual(errorsOf(await t.call('GET', long, { token: t.viewer })), ['path:platform_id too_long'])
    assert.equal((await t.call('GET', `/v1/platforms/${platform.id}`, { token: platform.token })).status, 403)
    assert.equal((await t.call('GET', '/v1/platforms/plt_none', { token: t.viewer })).body.code, 'not_found')
    assert.equal((await t.call('GET', '/v1/platforms/plt_none?colour=red', { token: t.viewer })).status, 404)
    const known = await t.call('GET', `/v1/platforms/${platform.id}?colour=red`, { token: t.viewer })
    assert.deepEqual(errorsOf(known), ['query:colour unknown'])
  })

  it('400 for U+0000 in the path, 405 with the supported methods', async () => {
    assert.equal((await t.call('GET', '/v1/platforms/a%00b', { token: t.viewer })).body.code, 'malformed_request')
    const response = await t.call('DELETE', '/v1/platforms/plt_none', { token: t.owner })
    assert.equal(response.body.code, 'method_not_allowed')
    assert.equal(response.headers['allow'], 'GET, HEAD')
  })
})
