import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { describe, it } from 'node:test'
import { openTestApp } from '../../support/app.ts'
import { assertSameNotFound, conflictOf, faultsOf } from '../../support/refusals.ts'

const t = await openTestApp()

const newCode = () => `SURAKSHA_${randomInt(1e9)}`
const create = (body: unknown, token: string = t.operator) => t.call('POST', '/v1/benefit_providers', { token, body })
const rows = () => t.sql('select benefit_provider_id from benefit_providers')

describe('POST /v1/benefit_providers', () => {
  it('201 registers a benefit provider and says where it is', async () => {
    const code = newCode()
    const answer = await create({ name: ' सुरक्षा General ', code, colour: 'ignored' })
    assert.equal(answer.status, 201)
    const { id, created_at, last_modified_at, ...rest } = answer.body
    assert.match(id, /^bpr_[0-9a-z]{26}$/)
    assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/)
    assert.equal(last_modified_at, created_at)
    assert.deepEqual(rest, { name: ' सुरक्षा General ', code })
    assert.equal(answer.headers['location'], `/v1/benefit_providers/${id}`)
    const read = await t.call('GET', `/v1/benefit_providers/${id}`, { token: t.viewer })
    assert.deepEqual(read.body, answer.body)
  })

  it('201 once: 8 equal codes at once make one provider, the others are a 409 conflict', async () => {
    const code = newCode()
    const answers = await Promise.all(Array.from({ length: 8 }, () => create({ name: 'Suraksha', code })))
    const made = answers.filter(({ status }) => status === 201)
    assert.equal(made.length, 1)
    const taken = `already_exists ${made[0]?.body.id}`
    for (const answer of answers) if (answer !== made[0]) assert.equal(conflictOf(answer), taken)
    const again = await create({ name: 'Another name', code }, t.owner)
    assert.equal(conflictOf(again), taken)
    const stored = await t.sql('select benefit_provider_id as id, name from benefit_providers where code = $1', [code])
    assert.deepEqual(stored, [{ id: made[0]?.body.id, name: 'Suraksha' }])
  })

  it('401 and 403 for all but operators and owners, and nothing is made', async () => {
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

  it('422 names every fault at once: a code is upper snake case', async () => {
    const before = await rows()
    const faults = async (body?: unknown) => faultsOf(await create(body))
    assert.deepEqual(await faults(), [' required'])
    assert.deepEqual(await faults({}), ['/code required', '/name required'])
    assert.deepEqual(await faults({ name: 'x'.repeat(201), code: '' }), [
      '/code format',
      '/code too_short',
      '/name too_long',
    ])
    for (const code of ['lower', 'A B', 'A-B', '_A', 'A_', 'A__B', '1A', 'É', 'A\n']) {
      assert.deepEqual(await faults({ name: 'Suraksha', code }), ['/code format'])
    }
    assert.deepEqual(await faults({ name: 'Suraksha', code: 'A'.repeat(61) }), ['/code too_long'])
    assert.deepEqual(await faults({ name: 5, code: 5 }), ['/code type', '/name type'])
    assert.deepEqual(await rows(), before)
  })
})

describe('GET /v1/benefit_providers', () => {
  it('200 for every kind of bearer: newest first, paged, exact total', async () => {
    const platform = await t.platform()
    const provider = await t.provider()
    const user = await t.user(platform)
    const newest = (await create({ name: 'Newest', code: newCode() })).body
    const total = (await rows()).length
    for (const token of [platform.token, provider.token, user.token, t.viewer, t.operator, t.owner]) {
      const answer = await t.call('GET', '/v1/benefit_providers?limit=1', { token })
      assert.deepEqual(answer.body, { data: [newest], limit: 1, offset: 0, total })
      assert.match(answer.headers['link'] ?? '', /<\/v1\/benefit_providers\?limit=1&offset=1>; rel="next"/)
    }
    const second = await t.call('GET', '/v1/benefit_providers?limit=1&offset=1', { token: user.token })
    assert.equal(second.body.data[0].id, provider.id)
  })

  it('401 without a token, 422 for wrong and unknown parameters', async () => {
    assert.equal((await t.call('GET', '/v1/benefit_providers')).status, 401)
    const answer = await t.call('GET', '/v1/benefit_providers?limit=0&status=ACTIVE', { token: t.viewer })
    assert.deepEqual(faultsOf(answer), ['query:limit too_small', 'query:status unknown'])
  })
})

describe('GET /v1/benefit_providers/{benefit_provider_id}', () => {
  it('200 for every kind of bearer with an ETag, 304 to whoever has it already', async () => {
    const platform = await t.platform()
    const provider = await t.provider()
    const url = `/v1/benefit_providers/${provider.id}`
    const tags = new Set<string>()
    for (const token of [platform.token, provider.token, (await t.user(platform)).token, t.viewer]) {
      const answer = await t.call('GET', url, { token })
      assert.equal(answer.body.code, provider.code)
      tags.add(answer.headers['etag'] ?? '')
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
    assert.deepEqual(faultsOf(await t.call('GET', long, { token })), ['path:benefit_provider_id too_long'])
    const missing = await t.call('GET', '/v1/benefit_providers/none', { token })
    assertSameNotFound(await t.call('GET', '/v1/benefit_providers/none?colour=red', { token: t.viewer }), missing)
    const { id } = await t.provider()
    const unknown = await t.call('GET', `/v1/benefit_providers/${id}?colour=red`, { token })
    assert.deepEqual(faultsOf(unknown), ['query:colour unknown'])
  })
})
