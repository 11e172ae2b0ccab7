import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ADDRESS, openTestApp } from '../../support/app.ts'
import { meetAt } from '../../support/meeting.ts'
import { assertSameNotFound, errorsOf } from '../../support/problems.ts'

const t = await openTestApp()

const INPUT = {
  name: 'Banyan Textiles',
  pan: 'AAACB1234C',
  address: { ...ADDRESS, line2: 'Second floor' },
  sponsor_details: { sponsor_kind: 'ORGANISATION', email: 'hr@example.com', first_name: 'Asha', last_name: 'Example' },
}
const INDIVIDUAL = { sponsor_kind: 'INDIVIDUAL', first_name: 'Asha', last_name: 'Example' }

/** A platform with a sponsor in the given state. */
async function scene(status: 'PENDING' | 'ACTIVE' | 'INACTIVE' = 'PENDING') {
  const { platform } = await t.offer()
  const { id } = await t.made('POST', '/v1/sponsors', { token: platform.token, body: INPUT })
  const url = `/v1/sponsors/${id}`
  if (status !== 'PENDING') await t.made('PUT', `${url}/status`, { token: t.owner, body: { status } })
  const marks = await marksOf(id)
  return {
    id: id as string,
    platform,
    row: { table: 'sponsors', key: 'sponsor_id', id: id as string },
    read: () => t.call('GET', url, { token: platform.token }),
    patch: (body: unknown, headers: Record<string, string> = {}, token = platform.token, node = t.call) =>
      node('PATCH', url, { token, body, headers }),
    /** The sponsor's history and events since the test began. */
    news: async () => {
      const now = await marksOf(id)
      return { history: now.history.slice(marks.history.length), events: now.events.slice(marks.events.length) }
    },
  }
}

async function marksOf(id: string) {
  const history = await t.sql(
    'select from_status, to_status, actor from catalogue_status_changes where entity_id = $1 order by change_id',
    [id],
  )
  const events = await t.sql<{ type: string; platform_id: string; data: object }>(
    'select type, platform_id, data from events where subject = $1 order by event_id',
    [id],
  )
  return { history, events }
}

describe('PATCH /v1/sponsors/{sponsor_id}', () => {
  it('200 changes the field sent and keeps the rest, as a merge patch', async () => {
    const { read, patch, news, id, platform } = await scene()
    const first = await read()
    const { last_modified_at: _, ...before } = first.body
    const name = ' बरगद Textiles '
    const response = await patch(
      { name, slug: 'ignored', status: 'ACTIVE' },
      { 'content-type': 'application/merge-patch+json' },
    )
    assert.equal(response.status, 200)
    const { last_modified_at, ...after } = response.body
    assert.deepEqual(after, { ...before, name })
    assert(last_modified_at >= first.body.last_modified_at)
    const second = await read()
    assert.deepEqual(second.body, response.body)
    assert.notEqual(second.headers['etag'], first.headers['etag'])
    assert.deepEqual(await news(), {
      history: [],
      events: [{ type: 'sponsor.updated', platform_id: platform.id, data: { sponsor_id: id } }],
    })
  })

  it('200 for the current values, unchanged: no new version, no history, no event', async () => {
    const { read, patch, news } = await scene('ACTIVE')
    const first = await read()
    const { name, pan, address, sponsor_details } = INPUT
    const reordered = Object.fromEntries(Object.entries(address).toReversed())
    for (const same of [{ name }, { pan: ` ${pan} ` }, { address: reordered }, { sponsor_details }, INPUT]) {
      const response = await patch(same)
      assert.deepEqual(
        [response.status, response.text, response.headers['etag']],
        [200, first.text, first.headers['etag']],
      )
    }
    assert.equal((await patch({ name }, { 'if-match': '"other"' })).status, 412)
    assert.equal((await read()).headers['etag'], first.headers['etag'])
    assert.deepEqual(await news(), { history: [], events: [] })
  })

  it('200 replaces address and details as a whole', async () => {
    const { patch } = await scene()
    const patched = await patch({ address: ADDRESS })
    assert.deepEqual(patched.body.address, ADDRESS) // line2 is removed
    assert.equal(patched.body.sponsor_details.email, 'hr@example.com')
    const sponsor_details = { sponsor_kind: 'ORGANISATION', phone: '080 1234' }
    const detailed = await patch({ sponsor_details, pan: ' AAACB1234D ' })
    const absent = { first_name: null, last_name: null, email: null }
    assert.deepEqual(detailed.body.sponsor_details, { ...sponsor_details, ...absent })
    assert.equal(detailed.body.pan, 'AAACB1234D')
    assert.deepEqual(detailed.body.address, ADDRESS)
    assert.equal(detailed.body.name, INPUT.name)
  })

  it('200 for operators and owners too, on the sponsor of any platform', async () => {
    const { patch, read } = await scene()
    for (const [role, token] of Object.entries({ operator: t.operator, owner: t.owner })) {
      assert.equal((await patch({ name: `By ${role}` }, {}, token)).status, 200)
      assert.equal((await read()).body.name, `By ${role}`)
    }
  })

  it('200 returns an ACTIVE sponsor to PENDING when its PAN or its kind changes', async () => {
    for (const change of [{ pan: 'AAACB9999C' }, { sponsor_details: INDIVIDUAL }, { name: 'New', pan: 'AAACB9999C' }]) {
      const { id, platform, patch, read, news } = await scene('ACTIVE')
      const response = await patch(change)
      assert.equal(response.status, 200)
      assert.equal(response.body.status, 'PENDING')
      assert.equal((await read()).body.status, 'PENDING')
      assert.deepEqual(await news(), {
        history: [{ from_status: 'ACTIVE', to_status: 'PENDING', actor: `platform:${platform.id}` }],
        events: [
          { type: 'sponsor.updated', platform_id: platform.id, data: { sponsor_id: id } },
          {
            type: 'sponsor.status_changed',
            platform_id: platform.id,
            data: { sponsor_id: id, from: 'ACTIVE', to: 'PENDING' },
          },
        ],
      })
    }
  })

  it('200 keeps an ACTIVE sponsor ACTIVE when PAN and kind are unchanged', async () => {
    const { patch, news } = await scene('ACTIVE')
    const changes = [
      { name: 'Other name' },
      { address: ADDRESS },
      { pan: INPUT.pan },
      { pan: `  ${INPUT.pan}\t` },
      { sponsor_details: { sponsor_kind: 'ORGANISATION', email: 'other@example.com' } },
    ]
    for (const change of changes) assert.equal((await patch(change)).body.status, 'ACTIVE')
    assert.deepEqual((await news()).history, [])
  })

  it('200 keeps a PENDING or INACTIVE sponsor in its state, whatever changes', async () => {
    for (const status of ['PENDING', 'INACTIVE'] as const) {
      const { patch, news } = await scene(status)
      const response = await patch({ pan: 'AAACB9999C', sponsor_details: INDIVIDUAL })
      assert.equal(response.body.status, status)
      assert.equal(response.body.pan, 'AAACB9999C')
      assert.deepEqual((await news()).history, [])
    }
  })

  it('200 loses no update: concurrent changes of different fields are all kept', async () => {
    const { row, patch, read } = await scene()
    const address = { ...ADDRESS, city: 'Mysuru' }
    const changes = [{ name: 'New name' }, { pan: 'AAACB9999C' }, { address }, { sponsor_details: INDIVIDUAL }]
    const nodes = await t.openNodes(2)
    const responses = await meetAt(
      t,
      row,
      changes.map((change, index) => () => patch(change, {}, t.owner, nodes[index % 2])),
      { atRow: 2 },
    )
    assert.deepEqual(new Set(responses.map(({ status }) => status)), new Set([200]))
    const { body } = await read()
    assert.deepEqual([body.name, body.pan, body.address], ['New name', 'AAACB9999C', address])
    assert.equal(body.sponsor_details.sponsor_kind, 'INDIVIDUAL')
  })

  it('412 for a version other than the stored one; the sponsor is unchanged', async () => {
    const { row, patch, read, news } = await scene()
    const etag = (await read()).headers['etag'] ?? ''
    const nodes = await t.openNodes(2)
    const changes = nodes.map(
      (node, index) => () => patch({ name: `Name ${index}` }, { 'if-match': etag }, t.owner, node),
    )
    const responses = await meetAt(t, row, changes)
    const winners = responses.filter(({ status }) => status === 200)
    assert.equal(winners.length, 1)
    assert.deepEqual(new Set(responses.map(({ status }) => status)), new Set([200, 412]))
    for (const stale of [etag, '"other"', `W/${etag}`]) {
      const response = await patch({ name: 'Too late' }, { 'if-match': stale })
      assert.deepEqual([response.status, response.body.code], [412, 'precondition_failed'])
    }
    assert.equal((await read()).body.name, winners[0]?.body.name)
    assert.equal((await news()).events.length, 1)
    const fresh = (await read()).headers['etag'] ?? ''
    assert.equal((await patch({ name: 'In time' }, { 'if-match': fresh })).status, 200)
  })

  it('401 and 403 for users, benefit providers and viewers; nothing changes', async () => {
    const { id, platform, patch, read, news } = await scene()
    const etag = (await read()).headers['etag']
    assert.equal((await t.call('PATCH', `/v1/sponsors/${id}`, { body: { name: 'Taken' } })).status, 401)
    for (const token of [(await t.user(platform)).token, (await t.provider()).token, t.viewer]) {
      assert.equal((await patch({ name: 'Taken' }, {}, token)).body.code, 'forbidden')
    }
    assert.equal((await read()).headers['etag'], etag)
    assert.deepEqual(await news(), { history: [], events: [] })
  })

  it('404 for another platform’s sponsor as for a missing one, before any error of the body', async () => {
    const { id, patch, read, news } = await scene()
    const etag = (await read()).headers['etag']
    const { token } = await t.platform()
    const missing = await t.call('PATCH', '/v1/sponsors/spn_none', { token, body: { name: 'Taken' } })
    assertSameNotFound(await patch({ name: 'Taken' }, {}, token), missing)
    assertSameNotFound(await patch({ pan: 'bad' }, {}, token), missing)
    assertSameNotFound(await patch({ name: 'Taken' }, { 'if-match': '"other"' }, token), missing)
    assertSameNotFound(await t.call('PATCH', `/v1/sponsors/${id}?colour=red`, { token, body: {} }), missing)
    assert.equal((await read()).headers['etag'], etag)
    assert.deepEqual(await news(), { history: [], events: [] })
  })

  it('422 without a single known field', async () => {
    const { patch, news } = await scene()
    assert.deepEqual(errorsOf(await patch(undefined)), [' required'])
    for (const body of [{}, { slug: 'new', status: 'ACTIVE', platform_id: 'plt_other' }]) {
      assert.deepEqual(errorsOf(await patch(body)), [' required'])
    }
    const strict = await patch({ status: 'ACTIVE', name: 'New' }, { prefer: 'handling=strict' })
    assert.deepEqual(errorsOf(strict), ['/status unknown'])
    assert.deepEqual(await news(), { history: [], events: [] })
  })

  it('422 reports every error at once and changes nothing, not even the valid fields', async () => {
    const { patch, read } = await scene('ACTIVE')
    const etag = (await read()).headers['etag']
    const errors = async (body: unknown) => errorsOf(await patch(body))
    const bad = {
      name: 'Good',
      pan: 'bad',
      address: { ...ADDRESS, city: 5 },
      sponsor_details: { sponsor_kind: 'INDIVIDUAL' },
    }
    assert.deepEqual(await errors(bad), [
      '/address/city type',
      '/pan format',
      '/sponsor_details/first_name required',
      '/sponsor_details/last_name required',
    ])
    // A merge patch removes with null; none of these can be removed.
    assert.deepEqual(await errors({ name: null, pan: null, address: null, sponsor_details: null }), [
      '/address type',
      '/name type',
      '/pan type',
      '/sponsor_details type',
    ])
    assert.deepEqual(await errors({ address: { city: 'Mysuru' } }), [
      '/address/country required',
      '/address/line1 required',
      '/address/pincode required',
      '/address/state required',
    ])
    assert.deepEqual(await errors({ sponsor_details: { email: 'new@example.com' } }), [
      '/sponsor_details/sponsor_kind required',
    ])
    assert.equal((await read()).headers['etag'], etag)
  })
})
