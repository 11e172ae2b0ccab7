import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp } from '../../support/app.ts'
import { consentScenes, NOTICE } from '../../support/consents.ts'
import { assertSameNotFound, conflictOf, errorsOf } from '../../support/problems.ts'

const t = await openTestApp()
const { notice, give } = consentScenes(t)
const get = (token: string, path = '2027-05/en') => t.call('GET', `/v1/notices/${path}`, { token })

describe('PUT /v1/notices/{version}/{language}', () => {
  it('201 keeps a notice in a language, 200 changes it as long as no consent names it', async () => {
    const platform = await t.platform()
    const made = await notice(platform)
    assert.equal(made.status, 201, made.text)
    assert.equal(made.headers['location'], '/v1/notices/2027-05/en')
    const { created_at, last_modified_at, ...record } = made.body
    assert.deepEqual(record, { version: '2027-05', language: 'en', ...NOTICE, named_at: null })
    assert(created_at && last_modified_at)
    assert.equal((await notice(platform, { language: 'hi', text: 'सूचना' })).status, 201)
    const changed = await notice(platform, { contact: 'dpo@example.com' })
    assert.deepEqual([changed.status, changed.body.contact], [200, 'dpo@example.com'])
    assert.equal((await get(platform.token, '2027-05/hi')).body.text, 'सूचना')
  })

  it('200 the same again changes nothing, also when a consent names it; 409 in_use for another text', async () => {
    const { platform } = await t.makeOffer()
    const user = await t.user(platform)
    await notice(platform)
    assert.equal((await give(user, user.token)).status, 201)
    const before = await get(platform.token)
    assert.notEqual(before.body.named_at, null)
    assert.equal((await notice(platform)).status, 200)
    assert.equal(conflictOf(await notice(platform, { text: 'Another text' })), 'in_use')
    const after = await get(user.token)
    assert.deepEqual([after.body, after.headers['etag']], [before.body, before.headers['etag']])
    assert.equal((await notice(platform, { version: '2027-06', text: 'Another text' })).status, 201)
    assert.equal((await notice(platform, { language: 'ta' })).status, 201, 'another language of it is not named yet')
  })

  it('a consent that is refused leaves the notice changeable', async () => {
    const platform = await t.platform()
    const user = await t.user(platform)
    await notice(platform)
    assert.equal((await give(user, user.token, { dependant_id: 'dep_missing' })).status, 422)
    assert.equal((await notice(platform, { text: 'Another text' })).status, 200)
  })

  it('412 when somebody else has changed it since it was read', async () => {
    const platform = await t.platform()
    const { headers } = await notice(platform)
    await notice(platform, { text: 'Another text' })
    const stale = await t.call('PUT', '/v1/notices/2027-05/en', {
      token: platform.token,
      body: NOTICE,
      headers: { 'if-match': String(headers['etag']) },
    })
    assert.equal(stale.status, 412)
    assert.equal((await get(platform.token)).body.text, 'Another text')
  })

  it('404 for another platform, whose notice of this version is its own', async () => {
    const [platform, other] = [await t.platform(), await t.platform()]
    await notice(platform)
    assertSameNotFound(await get(other.token), await get(other.token, 'missing/en'))
    await notice(other, { text: 'Theirs' })
    assert.equal((await get(platform.token)).body.text, NOTICE.text)
  })

  it('422 names every error', async () => {
    const platform = await t.platform()
    const wrong = { items: [], withdraw_url: 'http://app.example.com', text: '' }
    assert.deepEqual(errorsOf(await notice(platform, wrong)), [
      '/items too_few',
      '/text too_short',
      '/withdraw_url format',
    ])
    assert.deepEqual(errorsOf(await notice(platform, { language: 'English!' })), ['path:language format'])
  })
})
