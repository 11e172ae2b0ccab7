import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { Banyan, type Event } from '../../../client/src/index.ts'
import { operatorSignature, verify, WebhookVerificationError } from '../../../client/src/webhooks.ts'
import { decode } from '../../../client/src/wire.ts'
import { exampleOfEvent } from '../../../src/record/index.ts'
import { openTestApp } from '../../support/app.ts'
import { OPERATOR_SECRET } from '../../support/operator.ts'

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`
const secret = newSecret()
const body = JSON.stringify({
  id: 'evt_1',
  type: 'policy.status_changed',
  timestamp: '2026-04-01T09:30:00.123Z',
  subject: 'pol_1',
  platform_id: null,
  data: { user_id: '012345678901', insurance_policy_id: 'pol_1', from: 'APPROVED', to: 'ISSUED' },
})

/** Signed by the library that the service signs with. */
function signed({ at = new Date(), by = [secret] } = {}): Record<string, string> {
  return {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': by.map((one) => new Webhook(one).sign('evt_1', at, body)).join(' '),
  }
}

describe('a webhook', () => {
  it('is an event once its signature is verified, whatever holds its headers', async () => {
    const headers = signed()
    const capitals = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]))
    for (const holder of [headers, new Headers(headers), capitals]) {
      const event = await Banyan.webhooks.verify(Buffer.from(body), holder, secret)
      assert.deepEqual([event.id, event.timestamp], ['evt_1', new Date('2026-04-01T09:30:00.123Z')])
      if (event.type === 'policy.status_changed') assert.equal(event.data.to, 'ISSUED')
      else assert.fail(event.type)
    }
  })

  it('is accepted with the new or the old secret during a rotation', async () => {
    const next = newSecret()
    assert.equal((await verify(body, signed({ by: [next, secret] }), secret)).id, 'evt_1')
    assert.equal((await verify(body, signed(), [next, secret])).id, 'evt_1')
  })

  it('is refused when anything about it is different', async () => {
    const headers = signed()
    const refused = (text: string, given: Record<string, string>, by = secret) =>
      assert.rejects(verify(text, given, by), WebhookVerificationError)
    await refused(body.replace('ISSUED', 'REJECTED'), headers)
    await refused(`${body} `, headers)
    await refused(body, headers, newSecret())
    await refused(body, { ...headers, 'webhook-id': 'evt_2' })
    await refused(body, { ...headers, 'webhook-signature': 'v1,' })
    await refused(body, { ...headers, 'webhook-signature': String(headers['webhook-signature']).replace('v1', 'v0') })
    await refused(body, { ...headers, 'webhook-signature': 'v1,%%%' })
    for (const name of Object.keys(headers)) await refused(body, { ...headers, [name]: '' })
  })

  it('is refused when it is older, or newer, than five minutes', async () => {
    for (const minutes of [-6, 6]) {
      const at = new Date(Date.now() + minutes * 60_000)
      await assert.rejects(verify(body, signed({ at }), secret), WebhookVerificationError)
    }
    await assert.rejects(verify(body, { ...signed(), 'webhook-timestamp': 'NaN' }, secret), WebhookVerificationError)
  })

  it('can be signed for a test of a receiver, as the service does', async () => {
    const event = await verify(body, signed(), secret)
    const { body: made, headers } = await Banyan.webhooks.sign(event, secret)
    assert.deepEqual(new Webhook(secret).verify(made, headers), JSON.parse(body))
    const again: Event = await verify(made, headers, secret)
    assert.deepEqual(again, event)
  })

  it('without a secret that is one is a mistake of the program, which is named', async () => {
    await assert.rejects(verify(body, signed(), 'secret'), /^TypeError: The secret .* is whsec_ and base64/)
    for (const none of [undefined, '', [], ['', undefined]])
      await assert.rejects(verify(body, signed(), none as string[]), /^TypeError: There is no secret/)
    assert.equal((await verify(body, signed(), [undefined, '', secret])).id, 'evt_1', 'one of two is enough')
  })

  it('that a parser has read already is a mistake of the program, which is named', async () => {
    for (const parsed of [JSON.parse(body), undefined, [body]] as string[])
      await assert.rejects(verify(parsed, signed(), secret), /^TypeError: The body has been parsed\. .*express\.raw/)
  })

  it('is refused with a byte order mark that was not signed', async () => {
    const marked = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(body)])
    await assert.rejects(verify(marked, signed(), secret), WebhookVerificationError)
    await assert.rejects(verify(`\u{feff}${body}`, signed(), secret), WebhookVerificationError)
  })

  it('with amounts is signed as the service writes it', async () => {
    const event = decode(exampleOfEvent('wallet.balance_changed')) as Event
    const { body: made } = await Banyan.webhooks.sign(event, secret)
    assert.deepEqual(JSON.parse(made), exampleOfEvent('wallet.balance_changed'))
  })
})

describe('an event of a wallet operator', () => {
  it('is signed as the service checks it', async () => {
    const t = await openTestApp({ own: true })
    const baseUrl = await t.app.listen({ host: '127.0.0.1', port: 0 })
    const banyan = new Banyan({ baseUrl, operatorSignature: (text) => operatorSignature(text, OPERATOR_SECRET) })
    const wrong = new Banyan({ baseUrl, operatorSignature: (text) => operatorSignature(text, 'wrong') })
    const event = { event_id: 'e1', reference: 'wal_unknown', status: 'ACTIVE', sequence: 1 } as never
    await assert.rejects(wrong.wallet.receiveOperatorEvent(event), { status: 401 })
    const outcome = await banyan.wallet.receiveOperatorEvent(event).catch((error: { status: number }) => error.status)
    assert.notEqual(outcome, 401)
  })
})
