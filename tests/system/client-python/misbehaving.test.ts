import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sign } from '../../../client/src/webhooks.ts'
import { exampleOfEvent } from '../../../src/record/index.ts'
import { installPythonClient } from '../../support/installed-python.ts'
import { openMisbehavingNetwork } from '../../support/misbehaving-server.ts'

const DRIVER = new URL('driver.py', import.meta.url).pathname
const [{ python }, server] = await Promise.all([installPythonClient(), openMisbehavingNetwork()])

/** The part of the path that its requests have, where others come before; what has no key is sent once. */
const KINDS: Record<string, { path?: string; isOnce?: true }> = {
  exchange: { path: '/oauth/token' },
  refresh: {},
  read: {},
  list: {},
  write: {},
  upload: { isOnce: true },
  download: {},
  events: {},
  webhook: {},
}

/** What becomes of each call, and how many requests it takes when it is not sent once. */
const EXPECTED = {
  hang: { error: 'DeadlineError', requests: undefined, options: { timeout: 1 } },
  stall: { error: 'DeadlineError', requests: undefined, options: { timeout: 1 } },
  half: { error: 'ConnectionLostError', requests: 2, settings: { max_retries: 1 } },
  cut: { error: 'ConnectionLostError', requests: 2, settings: { max_retries: 1 } },
  'cut-once': { error: null, requests: 2 },
  html: { error: 'UnreadableError', requests: 1 },
  empty: { error: 'UnreadableError', requests: 1 },
  redirect: { error: 'RedirectError', requests: 1 },
  newer: { error: null, requests: 1 },
  clock: { error: null, requests: 1 },
  slow: { error: null, requests: 1 },
  plain: { error: null, requests: 1 },
} as const
type Expected = { error: string | null; requests: number | undefined; settings?: object; options?: object }

describe('the client for Python at a service that misbehaves', () => {
  for (const [behaviour, expected] of Object.entries(EXPECTED) as [keyof typeof EXPECTED, Expected][]) {
    it(`${behaviour}: every kind of call ends with ${expected.error ?? 'success'}`, async () => {
      const { settings = {}, options = {} } = expected
      const calls = Object.keys(KINDS).map((kind) => ({ kind, url: server.urlOf(behaviour), settings, options }))
      const printed = await python([DRIVER], { input: JSON.stringify(calls) })
      const outcomes = JSON.parse(printed) as { error: string | null; message: string; key: string | null }[]
      for (const [index, { kind, url }] of calls.entries()) {
        const { error = '', message = '', key = null } = outcomes[index] ?? {}
        const { path, isOnce } = KINDS[kind] ?? {}
        const requests = server.seenAt(url, path)
        const wanted = isOnce && behaviour === 'cut-once' ? 'ConnectionLostError' : expected.error
        assert.equal(error, wanted, `${kind}: ${message}`)
        if (expected.requests === undefined) assert(requests.length <= 1, kind)
        else assert.equal(requests.length, isOnce ? 1 : expected.requests, kind)
        const keys = new Set(requests.map(({ headers }) => headers['idempotency-key']))
        if (requests.length > 0) assert.equal(keys.size, 1, 'one key a call')
        if (error !== null && kind === 'write' && requests.length > 0) assert.deepEqual([key], [...keys])
      }
    })
  }
})

describe('the client for Python', () => {
  it('has money as Decimal both ways, and refuses a float', async () => {
    const program = `
from banyan.values import decode, encode
from decimal import Decimal
record = decode('{"balance": 50050, "premium": {"currency": "INR", "value": 6022.5}, "provider_metadata": {"amount": 5}}')
print(record['balance'], record['premium']['value'], record['provider_metadata']['amount'])
print(encode({'amount': Decimal('500.50'), 'premium': {'currency': 'INR', 'value': Decimal('0.1')}}).decode())
for wrong in [500.5, 500, Decimal('0.001')]:
    try: encode({'amount': wrong}); print('taken')
    except TypeError: print('refused')`
    assert.equal(
      await python(['-c', program]),
      '500.5 6022.5 5\n{"amount": 50050, "premium": {"currency": "INR", "value": 0.1}}\nrefused\nrefused\nrefused\n',
    )
  })

  it('verifies webhooks, refuses others, and names the mistakes of a receiver', async () => {
    const secret = `whsec_${Buffer.from('a secret of at least 24 bytes').toString('base64')}`
    const signed = await sign(exampleOfEvent('policy.status_changed') as Parameters<typeof sign>[0], secret)
    const program = `
import json, sys
from banyan import verify
signed, secret = json.load(sys.stdin)
body, headers = signed['body'].encode(), signed['headers']
print(verify(body, headers, ['', secret])['type'])
for body, headers, secret in [(body + b' ', headers, secret), (b'\\xef\\xbb\\xbf' + body, headers, secret), (body, {}, secret), (body, {**headers, 'webhook-timestamp': 'x'}, secret), (body, {**headers, 'webhook-signature': 'v1,\\u2026'}, secret), ({}, headers, secret), (body, headers, None), (body, headers, 'x')]:
    try: verify(body, headers, secret); print('taken')
    except Exception as error: print(type(error).__name__)`
    const refused = 'WebhookVerificationError\n'.repeat(5) + 'TypeError\n'.repeat(3)
    assert.equal(
      await python(['-c', program], { input: JSON.stringify([signed, secret]) }),
      `policy.status_changed\n${refused}`,
    )
  })

  it('checks its address when it is made', async () => {
    const program = `
from banyan import Banyan
for address in ['', 'localhost:8080', 'htp://x', 'https://a b']:
    try: Banyan(address); print('taken')
    except ValueError: print('refused')`
    assert.equal(await python(['-c', program]), 'refused\n'.repeat(4))
  })
})
