import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type TestResponse, type CallFunction, openTestApp } from '../../support/app.ts'
import { ADMIN_KEYS } from '../../support/keys.ts'
import { meetAt } from '../../support/meeting.ts'
import { assertSameNotFound, errorsOf } from '../../support/problems.ts'

const t = await openTestApp()

const COLLECTION = '/v1/account_providers'
const [adminKey = ''] = ADMIN_KEYS

const newProvider = async (): Promise<string> =>
  (await t.made('POST', COLLECTION, { adminKey, body: { name: 'Example Bank' } })).id

const read = (id: string) => t.call('GET', `${COLLECTION}/${id}`, { adminKey })

const put = (id: string, body: unknown, { call = t.call, ...more }: PutOptions = {}): Promise<TestResponse> =>
  call('PUT', `${COLLECTION}/${id}/status`, { adminKey, body, ...more })
type PutOptions = { call?: CallFunction; adminKey?: string; token?: string; headers?: Record<string, string> }

const historyOf = (id: string) =>
  t.sql<{ from_status: string; to_status: string; actor: string; reason: string | null }>(
    'select from_status, to_status, actor, reason from catalogue_status_changes where entity_id = $1 order by at, change_id',
    [id],
  )
const eventsOf = (id: string) =>
  t.sql('select type, platform_id, data from events where subject = $1 order by occurred_at, event_id', [id])

const row = async (id: string) =>
  (await t.sql('select * from account_providers where account_provider_id = $1', [id]))[0]

describe('PUT /v1/account_providers/{account_provider_id}/status', () => {
  it('200 to inactive and back to active, each with its history and its event', async () => {
    const id = await newProvider()
    const before = (await read(id)).body
    const steps = [
      ['inactive', 'No agreement any more'],
      ['active', undefined],
    ] as const
    for (const [status, reason] of steps) {
      const response = await put(id, { status, ...(reason && { reason }) })
      assert.equal(response.status, 200)
      const { last_modified_at: _, ...expected } = { ...before, status }
      const { last_modified_at: __, ...record } = response.body
      assert.deepEqual(record, expected)
      const now = await read(id)
      assert.deepEqual([now.body, now.headers['etag']], [response.body, response.headers['etag']])
    }
    const actor = 'admin_key:desk'
    assert.deepEqual(await historyOf(id), [
      { from_status: null, to_status: 'active', actor, reason: null },
      { from_status: 'active', to_status: 'inactive', actor, reason: 'No agreement any more' },
      { from_status: 'inactive', to_status: 'active', actor, reason: null },
    ])
    const event = (from: string | null, to: string) => ({
      type: 'account_provider.status_changed',
      platform_id: null,
      data: { account_provider_id: id, from, to },
    })
    assert.deepEqual(await eventsOf(id), [
      event(null, 'active'),
      event('active', 'inactive'),
      event('inactive', 'active'),
    ])
  })

  it('200 for the current status: no new version, no history, no event', async () => {
    const id = await newProvider()
    const before = [await row(id), await historyOf(id), await eventsOf(id)]
    assert.equal((await put(id, { status: 'active', reason: 'again' })).status, 200)
    assert.deepEqual([await row(id), await historyOf(id), await eventsOf(id)], before)
  })

  it('412 when If-Match names another version; of two concurrent ones on two nodes, one succeeds', async () => {
    const id = await newProvider()
    assert.equal((await put(id, { status: 'inactive' }, { headers: { 'if-match': '"other"' } })).status, 412)
    assert.equal((await read(id)).body.status, 'active')
    const headers = { 'if-match': (await read(id)).headers['etag'] ?? '' }
    const nodes = await t.openNodes(2)
    const responses = await meetAt(
      t,
      { table: 'account_providers', key: 'account_provider_id', id },
      nodes.map((call) => () => put(id, { status: 'inactive' }, { call, headers })),
    )
    assert.deepEqual(new Set(responses.map(({ status }) => status)), new Set([200, 412]))
    assert.equal((await eventsOf(id)).length, 2)
  })

  it('401 without the key, with a wrong one and with any bearer token instead', async () => {
    const id = await newProvider()
    for (const more of [{ adminKey: '' }, { adminKey: 'wrong' }, { adminKey: '', token: t.owner }]) {
      assert.equal((await put(id, { status: 'inactive' }, more)).status, 401)
    }
    assert.equal((await read(id)).body.status, 'active')
  })

  it('404 for a missing one, 422 for an unknown status', async () => {
    const id = await newProvider()
    assertSameNotFound(await put('apr_nothing', { status: 'inactive' }), await put('apr_nothing', {}))
    assert.deepEqual(errorsOf(await put(id, {})), ['/status required'])
    assert.deepEqual(errorsOf(await put(id, { status: 'INACTIVE', reason: '' })), [
      '/reason too_short',
      '/status not_allowed',
    ])
    assert.deepEqual(errorsOf(await put('x'.repeat(101), {})), ['path:account_provider_id too_long'])
    assert.equal((await read(id)).body.status, 'active')
  })
})
