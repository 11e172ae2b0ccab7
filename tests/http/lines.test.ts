import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp } from '../support/app.ts'

const t = await openTestApp()
const platform = await t.platform()
const text = 'Two lines:\r\n\tone and\nthe other'

describe('line breaks and tabs', () => {
  it('201 are kept in the description of a booking, byte for byte', async () => {
    const user = await t.user(platform)
    await t.wallet(platform, user)
    const booked = await t.call('POST', `/v1/users/${user.id}/wallet/credits`, {
      token: platform.token,
      headers: { 'idempotency-key': 'in-lines' },
      body: { amount: 5, reference: 'in-lines', description: text },
    })
    assert.equal(booked.status, 201, booked.text)
    assert.equal(booked.body.description, text)
  })

  it('200 are accepted in reasons; other control characters are a 422', async () => {
    const { id } = await t.made('POST', '/v1/platforms', { token: t.owner, body: { name: 'Acme' } })
    const stop = (reason: string) =>
      t.call('PUT', `/v1/platforms/${id}/status`, { token: t.owner, body: { status: 'INACTIVE', reason } })
    assert.equal((await stop('a\u0007b')).status, 422)
    assert.equal((await stop(text)).status, 200)
  })

  it('are kept in every kind of address; other control characters are a 422', async () => {
    const line = (line1: string) => ({ line1, city: 'Pune', state: 'MH', country: 'India', pincode: '411001' })
    const addresses = (content: string) => [content, line(content), { ...line('1'), raw: content }]
    const user = await t.user(platform)
    const update = (address: unknown) =>
      t.call('PATCH', `/v1/users/${user.id}`, { token: platform.token, body: { address } })
    for (const address of addresses(text)) assert.deepEqual((await update(address)).body.address, address)
    for (const address of addresses('Bell\u0007')) {
      const refused = await update(address)
      assert.equal(refused.status, 422, refused.text)
      assert.match(refused.body.errors[0].detail, /control characters except line breaks and tabs/)
    }
    assert.deepEqual(
      (await t.call('GET', `/v1/users/${user.id}`, { token: platform.token })).body.address,
      addresses(text)[2],
    )
  })

  it('are kept in the description of a webhook endpoint', async () => {
    const body = { url: 'https://example.com/hook', event_types: ['*'], description: text }
    assert.equal((await t.made('POST', '/v1/webhook_endpoints', { token: platform.token, body })).description, text)
  })

  it('422 in a name', async () => {
    const token = t.owner
    assert.equal((await t.call('POST', '/v1/platforms', { token, body: { name: text } })).status, 422)
  })
})
