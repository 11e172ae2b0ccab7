import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp } from '../support/app.ts'
import { isVerified } from '../support/receiver.ts'
import { openWebhooks } from '../support/webhooks.ts'

const t = await openTestApp()
const { endpoint, openReceiver, delivered } = await openWebhooks(t)

describe('a partner', () => {
  it('receives its events, which the public verifier takes, and takes none that was changed on the way', async () => {
    const [platform, receiver] = [await t.platform(), await openReceiver()]
    const { secret } = await endpoint(platform.token, receiver.url, ['user.*'])
    const user = await t.onboardedUser(platform)
    await delivered(() => receiver.received.length === 2)

    assert.deepEqual(
      receiver.received.map(({ event }) => event.type),
      ['user.created', 'user.onboarded'],
    )
    for (const one of receiver.received) {
      assert(isVerified(secret, one))
      const { id, type: _type, timestamp, ...rest } = one.event
      assert.deepEqual(rest, { subject: user.id, platform_id: platform.id, data: { user_id: user.id } })
      assert.equal(one.headers['webhook-id'], id)
      assert.match(timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      assert.equal(one.headers['content-type'], 'application/json')

      const earlier = String(Number(one.headers['webhook-timestamp']) - 1)
      const tampered = [
        { ...one, text: one.text.replace('user', 'User') },
        { ...one, text: `${one.text} ` },
        { ...one, headers: { ...one.headers, 'webhook-id': `${id}x` } },
        { ...one, headers: { ...one.headers, 'webhook-timestamp': earlier } },
        { ...one, headers: { ...one.headers, 'webhook-signature': 'v1,AAAA' } },
      ]
      for (const copy of tampered) assert(!isVerified(secret, copy))
      assert(!isVerified(`whsec_${Buffer.alloc(32).toString('base64')}`, one))
    }
  })
})
