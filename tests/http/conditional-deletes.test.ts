import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp } from '../support/app.ts'

const t = await openTestApp()

type Target = { url: string; token: string; change?: { token: string; body: object } }

/** Every record that has an ETag and can be deleted, and how it is changed. */
const TARGETS: Record<string, () => Promise<Target>> = {
  'a benefit': async () => {
    const id = await t.benefit(await t.platform(), await t.provider())
    const change = { token: t.operator, body: { name: 'Another name' } }
    return { url: `/v1/benefits/${id}`, token: t.operator, change }
  },
  'a webhook endpoint': async () => {
    const { token } = await t.platform()
    const body = { url: 'https://hooks.example.com/banyan', event_types: ['*'] }
    const { id } = await t.made('POST', '/v1/webhook_endpoints', { token, body })
    return { url: `/v1/webhook_endpoints/${id}`, token, change: { token, body: { description: 'Another' } } }
  },
  'a user': async () => {
    const platform = await t.platform()
    const { token } = platform
    const { id } = await t.user(platform)
    return { url: `/v1/users/${id}`, token, change: { token, body: { email: 'asha.new@example.com' } } }
  },
  "a platform's credential": async () => {
    const { id } = await t.platform()
    const made = await t.made('POST', `/v1/platforms/${id}/credentials`, { token: t.owner })
    return { url: `/v1/platforms/${id}/credentials/${made.credential_id}`, token: t.owner }
  },
  "a provider's credential": async () => {
    const { id } = await t.provider()
    const made = await t.made('POST', `/v1/benefit_providers/${id}/credentials`, { token: t.owner })
    return { url: `/v1/benefit_providers/${id}/credentials/${made.credential_id}`, token: t.owner }
  },
}

const STALE = '"of-an-earlier-version"'

describe('If-Match on DELETE', () => {
  for (const [name, make] of Object.entries(TARGETS)) {
    it(`412 when ${name} has changed since it was read; it stays as it is`, async () => {
      const { url, token, change } = await make()
      const read = await t.call('GET', url, { token })
      if (change) await t.made('PATCH', url, change)
      const tag = change ? String(read.headers['etag']) : STALE
      const kept = await t.call('GET', url, { token })

      const refused = await t.call('DELETE', url, { token, headers: { 'if-match': tag } })
      assert.equal(refused.status, 412)
      assert.equal(refused.body.code, 'precondition_failed')
      assert.deepEqual((await t.call('GET', url, { token })).body, kept.body)
    })

    it(`200 when ${name} is as the caller has read it`, async () => {
      const { url, token } = await make()
      const { headers } = await t.call('GET', url, { token })
      const tags = `${STALE}, W/${String(headers['etag'])}` // the form that a compressing proxy gives it
      assert.equal((await t.call('DELETE', url, { token, headers: { 'if-match': tags } })).status, 200)
    })
  }

  it('412 for a credential that is revoked already: nothing matches; 200 without the header', async () => {
    const { url, token } = await (TARGETS["a platform's credential"] as () => Promise<Target>)()
    await t.made('DELETE', url, { token })
    assert.equal((await t.call('DELETE', url, { token, headers: { 'if-match': '*' } })).status, 412)
    assert.deepEqual(await t.made('DELETE', url, { token }), { revoked: false })
  })

  it('404 before 412 for what belongs to someone else', async () => {
    const { url } = await (TARGETS['a user'] as () => Promise<Target>)()
    const { token } = await t.platform()
    const refused = await t.call('DELETE', url, { token, headers: { 'if-match': STALE } })
    assert.equal(refused.status, 404)
  })
})
