import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp } from '../../support/app.ts'
import { CSV, csv, importScenes } from '../../support/imports.ts'

const t = await openTestApp()
const { send } = importScenes(t)
const FILE = csv('phone_country_code,phone_number', '+91,9810000041')
const importsOf = (platform: string) => t.sql('select import_id from imports where platform_id = $1', [platform])

describe('POST /v1/imports', () => {
  it('201 with where to look, and 200 for the same file, which is kept once', async () => {
    const { id, token } = await t.platform()
    const first = await send(FILE, { token, kind: 'users' })
    assert.equal(first.status, 201)
    assert.equal(first.headers['location'], `/v1/imports/${first.body.id}`)
    assert.deepEqual(
      { ...first.body, id: '', created_at: '', last_modified_at: '' },
      {
        id: '',
        platform_id: id,
        kind: 'users',
        check_only: false,
        state: 'CHECKING',
        rows: 1,
        checked: 0,
        rejected: 0,
        done: 0,
        lost: 0,
        seconds_left: null,
        finished_at: null,
        created_at: '',
        last_modified_at: '',
      },
    )
    const again = await send(FILE, { token, kind: 'users' })
    assert.deepEqual([again.status, again.body], [200, first.body])
    assert.equal((await importsOf(id)).length, 1)
    const [stored] = await t.sql<{ chunks: number; sealed: string }>(
      `select count(*)::int as chunks, max(sealed) as sealed from import_chunks c join imports m using (upload_id) where m.import_id = $1`,
      [first.body.id],
    )
    assert.equal(stored?.chunks, 1)
    assert(!JSON.stringify(stored).includes('9810000041'), 'sealed')
  })

  it('another import for a check of the same file, for another kind, and for another platform', async () => {
    const [platform, other] = [await t.platform(), await t.platform()]
    const sent = [
      await send(FILE, { token: platform.token, kind: 'users' }),
      await send(FILE, { token: platform.token, kind: 'users', query: '&check_only=true' }),
      await send(FILE, { token: other.token, kind: 'users' }),
    ]
    assert.deepEqual(
      sent.map(({ status }) => status),
      [201, 201, 201],
    )
    assert.equal(new Set(sent.map(({ body }) => body.id)).size, 3)
  })

  it('422 without a kind, for an unknown one, and for another platform', async () => {
    const { token } = await t.platform()
    const pointers = async (url: string, by = token) => {
      const { status, body } = await t.call('POST', url, { token: by, headers: CSV, body: FILE })
      assert.equal(status, 422)
      return body.errors.map((error: { pointer: string; code: string }) => [error.pointer, error.code])
    }
    assert.deepEqual(await pointers('/v1/imports'), [['query:kind', 'required']])
    assert.deepEqual(await pointers('/v1/imports?kind=policies'), [['query:kind', 'not_allowed']])
    assert.deepEqual(await pointers('/v1/imports?kind=users&platform_id=plt_1'), [['query:platform_id', 'not_allowed']])
    assert.deepEqual(await pointers('/v1/imports?kind=users', t.operator), [['query:platform_id', 'required']])
    assert.deepEqual(await pointers('/v1/imports?kind=users&platform_id=plt_missing', t.owner), [
      ['query:platform_id', 'unknown_reference'],
    ])
  })

  it('415 for JSON and for another charset, 422 without a body', async () => {
    const { id, token } = await t.platform()
    const url = '/v1/imports?kind=users'
    assert.equal((await t.call('POST', url, { token, body: {} })).status, 415)
    const utf16 = { 'content-type': 'text/csv; charset=utf-16' }
    assert.equal((await t.call('POST', url, { token, headers: utf16, body: FILE })).status, 415)
    assert.equal((await t.call('POST', url, { token })).status, 422)
    assert.deepEqual(await importsOf(id), [])
  })

  it('404 for an import of another platform and its rows, as for one that is missing', async () => {
    const [platform, other] = [await t.platform(), await t.platform()]
    const { body } = await send(FILE, { token: platform.token, kind: 'users' })
    for (const path of [body.id, `${body.id}/rows`, 'imp_missing', 'imp_missing/rows'])
      assert.equal((await t.call('GET', `/v1/imports/${path}`, { token: other.token })).status, 404)
    assert.equal((await t.call('GET', `/v1/imports/${body.id}`, { token: t.viewer })).status, 200)
  })

  it('304 for an import that has not moved', async () => {
    const { token } = await t.platform()
    const { body } = await send(FILE, { token, kind: 'users' })
    const { headers } = await t.call('GET', `/v1/imports/${body.id}`, { token })
    const again = { token, headers: { 'if-none-match': headers['etag'] ?? '' } }
    assert.equal((await t.call('GET', `/v1/imports/${body.id}`, again)).status, 304)
  })
})
