import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp } from '../../support/app.ts'
import { assertSameNotFound, errorsOf } from '../../support/problems.ts'

const t = await openTestApp()

const urlOf = (id: string) => `/v1/platforms/${id}/web_origins`
const put = (id: string, web_origins: unknown, call: object = { token: t.operator }) =>
  t.call('PUT', urlOf(id), { body: { web_origins }, ...call })
const get = (id: string, call: object = { token: t.viewer }) => t.call('GET', urlOf(id), call)
const listOf = async (id: string) => (await get(id)).body.web_origins

const ORIGINS = [
  'https://app.example.com',
  'https://app.example.com:8443',
  'http://localhost:5173',
  'ionic://localhost',
]

describe('PUT /v1/platforms/{platform_id}/web_origins', () => {
  it('200 replaces the list, for an administrator and for the platform itself; a list without entries names nothing', async () => {
    const platform = await t.platform()
    assert.deepEqual(await listOf(platform.id), [])
    const set = await put(platform.id, ORIGINS)
    assert.deepEqual([set.status, set.body], [200, { web_origins: ORIGINS }])
    const read = await get(platform.id, { token: platform.token })
    assert.deepEqual([read.body, read.headers['etag']], [set.body, set.headers['etag']])
    assert.deepEqual((await put(platform.id, [], { token: platform.token })).body, { web_origins: [] })
    assert.deepEqual(await listOf(platform.id), [])
  })

  it('200 keeps each origin as browsers send it', async () => {
    const { id } = await t.platform()
    const { body } = await put(id, [
      'HTTPS://App.Example.COM:443',
      'https://bücher.example',
      'Capacitor://LOCALHOST',
      'http://localhost:80',
      'https://[2001:DB8:0::1]:8443',
    ])
    assert.deepEqual(body.web_origins, [
      'https://app.example.com',
      'https://xn--bcher-kva.example',
      'capacitor://localhost',
      'http://localhost',
      'https://[2001:db8::1]:8443',
    ])
  })

  it('200 the same list again changes nothing, and is no entry of the audit', async () => {
    const { id } = await t.platform()
    const entries = () => t.sql(`select 1 from audit_entries where operation = 'setWebOrigins' and subject = $1`, [id])
    await put(id, ORIGINS)
    assert.equal((await entries()).length, 1)
    assert.equal((await put(id, ORIGINS)).status, 200)
    assert.equal((await entries()).length, 1)
  })

  it('leaves the platform as it was, with its version and the tokens of its users', async () => {
    const platform = await t.platform()
    const user = await t.user(platform)
    const before = await t.call('GET', `/v1/platforms/${platform.id}`, { token: t.viewer })
    await put(platform.id, ORIGINS)
    const after = await t.call('GET', `/v1/platforms/${platform.id}`, { token: t.viewer })
    assert.deepEqual([after.body, after.headers['etag']], [before.body, before.headers['etag']])
    assert.equal((await t.call('GET', `/v1/users/${user.id}`, { token: user.token })).status, 200)
  })

  it('keeps the list when the platform is disabled and enabled', async () => {
    const { id } = await t.platform()
    await put(id, ORIGINS)
    for (const status of ['INACTIVE', 'ACTIVE']) {
      await t.made('PUT', `/v1/platforms/${id}/status`, { token: t.operator, body: { status } })
    }
    assert.deepEqual(await listOf(id), ORIGINS)
  })

  it('412 when somebody else has changed the list since it was read', async () => {
    const { id } = await t.platform()
    const { headers } = await get(id)
    await put(id, ORIGINS)
    const late = await put(id, [], { token: t.operator, headers: { 'if-match': headers['etag'] ?? '' } })
    assert.deepEqual([late.status, late.body.code], [412, 'precondition_failed'])
    assert.deepEqual(await listOf(id), ORIGINS)
    const known = await get(id)
    const again = await get(id, { token: t.viewer, headers: { 'if-none-match': known.headers['etag'] ?? '' } })
    assert.equal(again.status, 304)
  })

  it('401 without a token, 403 for a user, a benefit provider and, to change it, a viewer', async () => {
    const platform = await t.platform()
    const [user, provider] = [await t.user(platform), await t.provider()]
    assert.equal((await put(platform.id, [], {})).status, 401)
    for (const token of [user.token, provider.token, t.viewer]) {
      assert.equal((await put(platform.id, ORIGINS, { token })).status, 403)
    }
    assert.equal((await get(platform.id, { token: user.token })).status, 403)
    assert.deepEqual(await listOf(platform.id), [])
  })

  it('404 for another platform, as for a missing one', async () => {
    const [platform, other] = [await t.platform(), await t.platform()]
    for (const call of [put, (id: string, _: unknown, by: object) => get(id, by)]) {
      assertSameNotFound(
        await call(other.id, ORIGINS, { token: platform.token }),
        await call('plt_missing', ORIGINS, { token: platform.token }),
      )
    }
    assert.deepEqual(await listOf(other.id), [])
  })

  it('422 says of each text why it is no origin of a page', async () => {
    const { id } = await t.platform()
    await put(id, ORIGINS)
    const wrong = {
      null: /many pages/,
      '*': /Must not contain \*/,
      'https://*.example.com': /Must not contain \*/,
      'app.example.com': /scheme and a host/,
      'https://app.example.com/': /nothing else/,
      'https://app.example.com/page': /nothing else/,
      'https://app.example.com?a=1': /nothing else/,
      'https://app.example.com#top': /nothing else/,
      'https://asha@app.example.com': /nothing else/,
      ' https://app.example.com': /nothing else/,
      'https://app.example.com\\page': /nothing else/,
      'https://app.example.com:99999': /https origin/,
      'http://app.example.com': /begin with https/,
      'http://localhost.example.com': /begin with https/,
      'http://192.0.2.7': /begin with https/,
      'ftp://app.example.com': /https origin/,
      'capacitor://app': /https origin/,
      'file://localhost': /https origin/,
    }
    const { status, body } = await put(id, Object.keys(wrong))
    assert.equal(status, 422)
    for (const [index, words] of Object.values(wrong).entries()) {
      assert.equal(body.errors[index].pointer, `/web_origins/${index}`)
      assert.equal(body.errors[index].code, 'format')
      assert.match(body.errors[index].detail, words)
    }
    assert.equal(body.errors.length, Object.keys(wrong).length)
    assert.deepEqual(await listOf(id), ORIGINS)
  })

  it('422 for an origin that is there twice, however it is spelled, for more than twenty, and for no list', async () => {
    const { id } = await t.platform()
    const twice = await put(id, ['https://app.example.com', 'https://APP.example.com:443'])
    assert.deepEqual(errorsOf(twice), ['/web_origins/1 duplicate'])
    const many = Array.from({ length: 21 }, (_, n) => `https://app${n}.example.com`)
    assert.deepEqual(errorsOf(await put(id, many)), ['/web_origins too_many'])
    assert.equal((await put(id, many.slice(1))).status, 200)
    assert.deepEqual(errorsOf(await put(id, undefined)), ['/web_origins required'])
    assert.deepEqual(errorsOf(await put(id, ['', 7])), ['/web_origins/0 too_short', '/web_origins/1 type'])
    assert.deepEqual(errorsOf(await put(id, 'https://app.example.com')), ['/web_origins type'])
  })
})
