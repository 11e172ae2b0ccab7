import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { describe, it } from 'node:test'
import { openTestApp } from '../../support/app.ts'
import { assertSameNotFound, conflictOf, errorsOf } from '../../support/problems.ts'

const t = await openTestApp()

const newCode = () => `SURAKSHA_${randomInt(1e9)}`
const create = (body: unknown, token: string = t.operator) => t.call('POST', '/v1/benefit_providers', { token, body })
const rows = () => t.sql('select benefit_provider_id from benefit_providers')

describe('POST /v1/benefit_providers', () => {
  it('201 registers a benefit provider and returns its URL', async () => {
    const code = newCode()
    const response = await create({ name: ' सुरक्षा General ', code, tint: 'ignored' })
    assert.equal(response.status, 201)
    const { id, created_at, last_modified_at, ...rest } = response.body
    assert.match(id, /^bpr_[0-9a-z]{26}$/)
    assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/)
    assert.equal(last_modified_at, created_at)
    assert.deepEqual(rest, { name: ' सुरक्षा General ', code, address: null, colour: null })
    assert.equal(response.headers['location'], `/v1/benefit_providers/${id}`)
    const read = await t.call('GET', `/v1/benefit_providers/${id}`, { token: t.viewer })
    assert.deepEqual(read.body, response.body)
  })

  it('201 once: of 8 concurrent identical codes one creates a provider, the others are a 409 conflict', async () => {
    const code = newCode()
    const responses = await Promise.all(Array.from({ length: 8 }, () => create({ name: 'Suraksha', code })))
    const made = responses.filter(({ status }) => status === 201)
    assert.equal(made.length, 1)
    const taken = `already_exists ${made[0]?.body.id}`
    for (const response of responses) if (response !== made[0]) assert.equal(conflictOf(response), taken)
    const again = await create({ name: 'Another name', code }, t.owner)
    assert.equal(conflictOf(again), taken)
    const stored = await t.sql('select benefit_provider_id as id, name from benefit_providers where code = $1', [code])
    assert.deepEqual(stored, [{ id: made[0]?.body.id, name: 'Suraksha' }])
  })

  it('401 and 403 for everyone but operators and owners; nothing is created', async () => {
    const platform = await t.platform()
    const provider = await t.provider()
    const user = await t.user(platform)
    const before = await rows()
    const body = { name: 'Suraksha General', code: newCode() }
    assert.equal((await t.call('POST', '/v1/benefit_providers', { body })).status, 401)
    for (const token of [platform.token, provider.token, user.token, t.viewer]) {
      assert.equal((await create(body, token)).body.code, 'forbidden')
    }
    assert.deepEqual(await rows(), before)
  })

  it('422 reports every error at once: a code is upper snake case', async () => {
    const before = await rows()
    const errors = async (body?: unknown) => errorsOf(await create(body))
    assert.deepEqual(await errors(), [' required'])
    assert.deepEqual(await errors({}), ['/code required', '/name required'])
    assert.deepEqual(await errors({ name: 'x'.repeat(201), code: '' }), [
      '/code format',
      '/code too_short',
      '/name too_long',
    ])
    for (const code of ['lower', 'A B', 'A-B', '_A', 'A_', 'A__B', '1A', 'É', 'A\n']) {
      assert.deepEqual(await errors({ name: 'Suraksha', code }), ['/code format'])
    }
    assert.deepEqual(await errors({ name: 'Suraksha', code: 'A'.repeat(61) }), ['/code too_long'])
    assert.deepEqual(await errors({ name: 5, code: 5 }), ['/code type', '/name type'])
    assert.deepEqual(await rows(), before)
  })
})

describe('GET /v1/benefit_providers', () => {
  it('200 for every kind of bearer token: newest first, paged, exact total', async () => {
    const platform = await t.platform()
    const provider = await t.provider()
    const user = await t.user(platform)
    const newest = (await create({ name: 'Newest', code: newCode() })).body
    const total = (await rows()).length
    for (const token of [platform.token, provider.token, user.token, t.viewer, t.operator, t.owner]) {
      const response = await t.call('GET', '/v1/benefit_providers?limit=1', { token })
      assert.deepEqual(response.body, { data: [newest], limit: 1, offset: 0, total })
      assert.match(response.headers['link'] ?? '', /<\/v1\/benefit_providers\?limit=1&offset=1>; rel="next"/)
    }
    const second = await t.call('GET', '/v1/benefit_providers?limit=1&offset=1', { token: user.token })
    assert.equal(second.body.data[0].id, provider.id)
  })

  it('401 without a token, 422 for wrong and unknown parameters', async () => {
    assert.equal((await t.call('GET', '/v1/benefit_providers')).status, 401)
    const response = await t.call('GET', '/v1/benefit_providers?limit=0&status=ACTIVE', { token: t.viewer })
    assert.deepEqual(errorsOf(response), ['query:limit too_small', 'query:status unknown'])
  })
})

describe('GET /v1/benefit_providers/{benefit_provider_id}', () => {
  it('200 for every kind of bearer token with an ETag, 304 for a matching If-None-Match', async () => {
    const platform = await t.platform()
    const provider = await t.provider()
    const url = `/v1/benefit_providers/${provider.id}`
    const tags = new Set<string>()
    for (const token of [platform.token, provider.token, (await t.user(platform)).token, t.viewer]) {
      const response = await t.call('GET', url, { token })
      assert.equal(response.body.code, provider.code)
      tags.add(response.headers['etag'] ?? '')
    }
    assert.equal(tags.size, 1)
    const headers = { 'if-none-match': [...tags][0] ?? '' }
    const again = await t.call('GET', url, { token: platform.token, headers })
    assert.deepEqual([again.status, again.text], [304, ''])
  })

  it('401, 404 and 422 in that order', async () => {
    const { token } = await t.platform()
    const long = `/v1/benefit_providers/${'x'.repeat(101)}`
    assert.equal((await t.call('GET', long)).status, 401)
    assert.deepEqual(errorsOf(await t.call('GET', long, { token })), ['path:benefit_provider_id too_long'])
    const missing = await t.call('GET', '/v1/benefit_providers/none', { token })
    assertSameNotFound(await t.call('GET', '/v1/benefit_providers/none?colour=red', { token: t.viewer }), missing)
    const { id } = await t.provider()
    const unknown = await t.call('GET', `/v1/benefit_providers/${id}?colour=red`, { token })
    assert.deepEqual(errorsOf(unknown), ['query:colour unknown'])
  })
})
