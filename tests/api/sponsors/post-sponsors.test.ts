import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ADDRESS, openTestApp } from '../../support/app.ts'
import { assertSameNotFound, errorsOf } from '../../support/problems.ts'
import { everythingStored, hasWord } from '../../support/stored.ts'

const t = await openTestApp()

const ORGANISATION = {
  name: 'Banyan Textiles',
  pan: 'AAACB1234C',
  address: ADDRESS,
  sponsor_details: { sponsor_kind: 'ORGANISATION', email: 'hr@example.com' },
}

const INDIVIDUAL = {
  name: 'Ravi Example',
  pan: 'ABCPE1234F',
  address: { ...ADDRESS, line2: 'Second floor' },
  sponsor_details: { sponsor_kind: 'INDIVIDUAL', first_name: 'Ravi', last_name: 'Example' },
}

const create = (token: string, body: unknown, headers: Record<string, string> = {}) =>
  t.call('POST', '/v1/sponsors', { token, body, headers })

const rows = () => t.sql('select sponsor_id, revision from sponsors order by 1')

describe('POST /v1/sponsors', () => {
  it('201 creates a PENDING organisation of the calling platform, with history and event', async () => {
    const platform = await t.platform()
    const response = await create(platform.token, ORGANISATION)
    assert.equal(response.status, 201)
    const { id, slug, created_at, last_modified_at, ...rest } = response.body
    assert.match(id, /^spn_[0-9a-z]{26}$/)
    assert.match(slug, /^banyan-textiles-[0-9a-z]+$/)
    assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/)
    assert.equal(last_modified_at, created_at)
    assert.deepEqual(rest, {
      ...ORGANISATION,
      sponsor_details: { ...ORGANISATION.sponsor_details, first_name: null, last_name: null, phone: null },
      status: 'PENDING',
    })
    assert.equal(response.headers['location'], `/v1/sponsors/${id}`)
    assert.deepEqual((await t.call('GET', `/v1/sponsors/${id}`, { token: platform.token })).body, response.body)
    const history = await t.sql(
      'select from_status, to_status, actor, request_id from catalogue_status_changes where entity_id = $1',
      [id],
    )
    const actor = `platform:${platform.id}`
    const request_id = response.headers['x-request-id']
    assert.deepEqual(history, [{ from_status: null, to_status: 'PENDING', actor, request_id }])
    const events = await t.sql('select type, platform_id, data from events where subject = $1 order by event_id', [id])
    const platform_id = platform.id
    assert.deepEqual(events, [
      { type: 'sponsor.created', platform_id, data: { sponsor_id: id } },
      { type: 'sponsor.status_changed', platform_id, data: { sponsor_id: id, from: null, to: 'PENDING' } },
    ])
  })

  it('201 creates an individual for the platform that an administrator names; the slug reveals no name', async () => {
    const platform = await t.platform()
    for (const token of [t.operator, t.owner]) {
      const response = await create(token, { ...INDIVIDUAL, platform_id: platform.id })
      assert.equal(response.status, 201)
      assert.deepEqual(response.body.sponsor_details, { ...INDIVIDUAL.sponsor_details, email: null, phone: null })
      assert.deepEqual(response.body.address, INDIVIDUAL.address)
      assert.doesNotMatch(response.body.slug, /ravi|example/i)
      const own = await t.call('GET', `/v1/sponsors/${response.body.id}`, { token: platform.token })
      assert.equal(own.status, 200)
    }
  })

  it('201 keeps text byte for byte; only the PAN is trimmed', async () => {
    const { token } = await t.platform()
    const text = '  Cafe\u0301 बरगद ' // leading and trailing spaces and a decomposed accent are the caller's
    const address = { line1: text, city: '', state: 'x'.repeat(500), country: '', pincode: 'none', raw: 'ignored' }
    const details = {
      sponsor_kind: 'INDIVIDUAL',
      first_name: text,
      last_name: text,
      phone: text,
      email: 'A@Example.com',
    }
    const response = await create(token, { name: text, pan: ' \tAAACB1234C\n', address, sponsor_details: details })
    assert.equal(response.status, 201)
    const { raw: _, ...kept } = address
    const { name, pan, address: shown, sponsor_details } = response.body
    assert.deepEqual(
      { name, pan, shown, sponsor_details },
      {
        name: text,
        pan: 'AAACB1234C',
        shown: kept,
        sponsor_details: details,
      },
    )
    const read = await t.call('GET', `/v1/sponsors/${response.body.id}`, { token })
    assert.deepEqual(read.body, response.body)
  })

  it('201 seals personal data: none of it can be read in the database', async () => {
    const { token } = await t.platform()
    const secrets = ['ZZZPZ9876Z', 'Zebediah', 'Zweig-Example', 'zz@example.org', '+91 99999 00001', 'Zebra Lane']
    const [pan, first_name = '', last_name = '', email, phone, line1] = secrets
    const pincode = '999111'
    const name = `${first_name} ${last_name}`
    const address = { ...ADDRESS, line1, pincode }
    const sponsor_details = { sponsor_kind: 'INDIVIDUAL', first_name, last_name, email, phone }
    const { id } = (await create(token, { name, pan, address, sponsor_details })).body
    await t.made('PATCH', `/v1/sponsors/${id}`, { token, body: { name: `${name} II` } })
    const reason = 'Zebediah sent his papers'
    await t.made('PUT', `/v1/sponsors/${id}/status`, { token: t.owner, body: { status: 'ACTIVE', reason } })
    await t.made('PATCH', `/v1/sponsors/${id}`, { token, body: { pan: 'ZZZPZ9876Y' } })

    const stored = (await everythingStored(t)).toLowerCase()
    assert(stored.includes(id))
    for (const secret of [...secrets, reason, 'ZZZPZ9876Y']) assert(!stored.includes(secret.toLowerCase()), secret)
    assert(!hasWord(stored, pincode))
    const bytes = await t.sql<{ sealed: string }>('select sealed from sponsors where sponsor_id = $1', [id])
    assert(!Buffer.from(bytes[0]?.sealed ?? '', 'base64url').includes('ZZZP'))
  })

  it('201 only for itself: a platform that names another, existing or not, gets an error; nothing is created', async () => {
    const platform = await t.platform()
    const other = await t.platform()
    const { id } = (await create(platform.token, { ...ORGANISATION, platform_id: platform.id })).body
    assert.equal((await t.call('GET', `/v1/sponsors/${id}`, { token: platform.token })).status, 200)
    const before = await rows()
    for (const platform_id of [other.id, 'plt_none']) {
      const refused = await create(platform.token, { ...ORGANISATION, platform_id })
      assert.deepEqual(errorsOf(refused), ['/platform_id not_allowed'])
    }
    assert.deepEqual(await rows(), before)
  })

  it('401 and 403 for users, benefit providers and viewers; nothing is created', async () => {
    const platform = await t.platform()
    const { token: user } = await t.user(platform)
    const { token: provider } = await t.provider()
    const before = await rows()
    assert.equal((await t.call('POST', '/v1/sponsors', { body: ORGANISATION })).status, 401)
    for (const token of [user, provider, t.viewer]) {
      assert.equal((await create(token, { ...ORGANISATION, platform_id: platform.id })).body.code, 'forbidden')
    }
    assert.deepEqual(await rows(), before)
  })

  it('422 reports every error at once; nothing is created', async () => {
    const { token } = await t.platform()
    const before = await rows()
    const errors = async (body?: unknown, headers?: Record<string, string>) =>
      errorsOf(await create(token, body, headers))
    assert.deepEqual(await errors(), [' required'])
    assert.deepEqual(await errors({}), [
      '/address required',
      '/name required',
      '/pan required',
      '/sponsor_details required',
    ])
    const bad = { name: '', pan: 'aaacb1234c', address: { line1: 1 }, sponsor_details: { sponsor_kind: 'INDIVIDUAL' } }
    assert.deepEqual(await errors(bad), [
      '/address/city required',
      '/address/country required',
      '/address/line1 type',
      '/address/pincode required',
      '/address/state required',
      '/name too_short',
      '/pan format',
      '/sponsor_details/first_name required',
      '/sponsor_details/last_name required',
    ])
    for (const pan of ['', 'AAACB1234', 'AAACB12345', 'AAACB1234CC', 'AAA CB1234C', 'AAÄCB1234C']) {
      assert.deepEqual(await errors({ ...ORGANISATION, pan }), ['/pan format'])
    }
    assert.deepEqual(await errors({ ...ORGANISATION, address: 'free text' }), ['/address type'])
    const strict = { ...ORGANISATION, colour: 1, address: { ...ADDRESS, raw: 'x' } }
    assert.deepEqual(await errors(strict, { prefer: 'handling=strict' }), ['/address/raw unknown', '/colour unknown'])
    assert.deepEqual(await rows(), before)
  })

  it('422 for details that match neither shape', async () => {
    const { token } = await t.platform()
    const errors = async (sponsor_details: unknown) =>
      errorsOf(await create(token, { ...ORGANISATION, sponsor_details }))
    const name = { first_name: 'Ravi', last_name: 'Example' }
    assert.deepEqual(await errors({ sponsor_kind: 'ORGANISATION', ...name }), ['/sponsor_details required'])
    assert.deepEqual(await errors({ sponsor_kind: 'INDIVIDUAL', email: 'ravi@example.com', first_name: 'Ravi' }), [
      '/sponsor_details/last_name required',
    ])
    assert.deepEqual(await errors({ ...name, email: 'ravi@example.com' }), ['/sponsor_details/sponsor_kind required'])
    assert.deepEqual(await errors({}), ['/sponsor_details/sponsor_kind required'])
    assert.deepEqual(await errors({ sponsor_kind: 'TRUST' }), ['/sponsor_details/sponsor_kind not_allowed'])
    assert.deepEqual(await errors({ sponsor_kind: 'ORGANISATION', email: 'nobody', phone: '' }), [
      '/sponsor_details/email format',
      '/sponsor_details/phone too_short',
    ])
    const phone = { sponsor_kind: 'ORGANISATION', phone: '+91 80 1234 5678', ...name }
    assert.equal((await create(token, { ...ORGANISATION, sponsor_details: phone })).status, 201)
  })

  it('422 for an administrator who names no platform or a missing one', async () => {
    const before = await rows()
    assert.deepEqual(errorsOf(await create(t.owner, ORGANISATION)), ['/platform_id required'])
    const unknown = await create(t.operator, { ...ORGANISATION, platform_id: 'plt_none' })
    assert.deepEqual(errorsOf(unknown), ['/platform_id unknown_reference'])
    assert.deepEqual(await rows(), before)
  })
})

describe('GET /v1/sponsors', () => {
  const idsOf = (response: { body: { data: { id: string }[] } }) => response.body.data.map(({ id }) => id)

  it('200 lists a platform’s own, newest first, paged and by status; administrators see all', async () => {
    const platform = await t.platform()
    const other = await t.platform()
    const made: string[] = []
    for (const name of ['One', 'Two', 'Three']) {
      made.unshift((await create(platform.token, { ...ORGANISATION, name })).body.id)
    }
    const foreign = (await create(other.token, ORGANISATION)).body.id
    const list = (query: string, token = platform.token) => t.call('GET', `/v1/sponsors?${query}`, { token })
    const [newest = '', ...older] = made
    await t.made('PUT', `/v1/sponsors/${newest}/status`, { token: t.owner, body: { status: 'ACTIVE' } })

    const page = await list('limit=2')
    assert.deepEqual(idsOf(page), made.slice(0, 2))
    assert.deepEqual([page.body.limit, page.body.offset, page.body.total], [2, 0, 3])
    assert.match(page.headers['link'] ?? '', /<\/v1\/sponsors\?limit=2&offset=2>; rel="next"/)
    assert.deepEqual(idsOf(await list('limit=2&offset=2')), made.slice(2))
    assert.deepEqual(idsOf(await list('status=ACTIVE')), [newest])
    assert.deepEqual(idsOf(await list('status=PENDING')), older)
    assert.deepEqual(idsOf(await list('status=PENDING&status=ACTIVE')), made)
    assert.deepEqual((await list('status=INACTIVE')).body, { data: [], limit: 20, offset: 0, total: 0 })
    assert(idsOf(await list('limit=100', t.viewer)).includes(foreign))
    assert.deepEqual(idsOf(await list('', other.token)), [foreign])
  })

  it('401, 403 and 422', async () => {
    const platform = await t.platform()
    assert.equal((await t.call('GET', '/v1/sponsors')).status, 401)
    for (const token of [(await t.user(platform)).token, (await t.provider()).token]) {
      assert.equal((await t.call('GET', '/v1/sponsors', { token })).status, 403)
    }
    const response = await t.call('GET', '/v1/sponsors?status=GONE&offset=-1&colour=red', { token: platform.token })
    assert.deepEqual(errorsOf(response), ['query:colour unknown', 'query:offset too_small', 'query:status not_allowed'])
    assert.match(response.text, /PENDING, ACTIVE, INACTIVE/)
  })
})

describe('GET /v1/sponsors/{sponsor_id}', () => {
  it('200 with an ETag, 304 for a matching If-None-Match', async () => {
    const platform = await t.platform()
    const url = `/v1/sponsors/${(await create(platform.token, ORGANISATION)).body.id}`
    const { headers } = await t.call('GET', url, { token: platform.token })
    const again = await t.call('GET', url, { token: t.viewer, headers: { 'if-none-match': headers['etag'] ?? '' } })
    assert.deepEqual([again.status, again.text], [304, ''])
  })

  it('500 for a profile copied from another sponsor: it opens only in its own row', async () => {
    const { token } = await t.platform()
    const [own, other] = [(await create(token, ORGANISATION)).body, (await create(token, INDIVIDUAL)).body]
    await t.sql(
      `update sponsors s set data_key = o.data_key, sealed = o.sealed
         from sponsors o where s.sponsor_id = $1 and o.sponsor_id = $2`,
      [own.id, other.id],
    )
    const response = await t.call('GET', `/v1/sponsors/${own.id}`, { token })
    assert.deepEqual([response.status, response.body.code], [500, 'unreadable'])
    assert.doesNotMatch(response.text, /Ravi/)
    assert.equal((await t.call('GET', `/v1/sponsors/${other.id}`, { token })).body.name, INDIVIDUAL.name)
  })

  it('401, 403, 404 for another platform’s as for a missing one, 422', async () => {
    const platform = await t.platform()
    const stranger = await t.platform()
    const { id } = (await create(platform.token, ORGANISATION)).body
    const read = (path: string, token: string) => t.call('GET', `/v1/sponsors/${path}`, { token })
    assert.equal((await t.call('GET', `/v1/sponsors/${id}`)).status, 401)
    for (const token of [(await t.user(platform)).token, (await t.provider()).token]) {
      assert.equal((await read(id, token)).body.code, 'forbidden')
    }
    assertSameNotFound(await read(id, stranger.token), await read('spn_none', stranger.token))
    assertSameNotFound(await read(`${id}?colour=red`, stranger.token), await read('spn_none', t.owner))
    assert.deepEqual(errorsOf(await read('x'.repeat(101), stranger.token)), ['path:sponsor_id too_long'])
    assert.deepEqual(errorsOf(await read(`${id}?colour=red`, platform.token)), ['query:colour unknown'])
  })
})
