import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, it } from 'node:test'
import { isWebhookSecret, newWebhookSecret, signWebhook } from '../../src/kernel/crypto/sign-webhook.ts'
import { exchangeBasicToken, listen, ListenError, type ListenSettings } from '../../sandbox/listen.ts'
import { within } from '../support/deadline.ts'

const WITHIN_MS = 120_000
const SECRET = `whsec_${Buffer.from('the secret of a test, 32 bytes..').toString('base64')}`

type Asked = { method: string; path: string; query: URLSearchParams; headers: IncomingMessage['headers']; body: string }
type Respond = (asked: Asked, response: ServerResponse) => void

/** A server on this machine that responds as configured. */
async function serverThat(respond: Respond) {
  const asked: Asked[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      const { pathname: path, searchParams: query } = new URL(request.url ?? '', 'http://localhost')
      const one = { method: request.method ?? '', path, query, headers: request.headers, body }
      asked.push(one)
      respond(one, response)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const json = (response: ServerResponse, status: number, body: object) =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

const event = (number: number) => ({
  id: `evt_${number}`,
  type: 'user.created',
  timestamp: '2026-04-01T09:30:00.123Z',
  subject: '012345678901',
  platform_id: 'plt_1',
  data: { user_id: '012345678901', occurred_at: '2026-04-01T09:30:00', amount: 5_000 },
})

/** An event log as the API shows it, with one event per page. */
function logOf(count: number, before: (asked: Asked, response: ServerResponse) => boolean = () => false): Respond {
  return (asked, response) => {
    if (before(asked, response)) return
    const cursor = asked.query.get('after')
    if (cursor === 'latest') return json(response, 200, { data: [], next: 'evt_0', has_more: false, limit: 20 })
    const number = cursor === null ? 0 : Number(cursor.slice('evt_'.length)) + 1
    const isThere = number <= count
    const data = isThere ? [event(number)] : []
    json(response, 200, { data, next: isThere ? `evt_${number}` : cursor, has_more: number < count, limit: 20 })
  }
}

/** A listener that runs until it is stopped. */
function listener(settings: Partial<ListenSettings> & { url: string }) {
  const stopping = new AbortController()
  after(() => stopping.abort())
  const printed: string[] = []
  const reported: string[] = []
  const ending = listen({
    getToken: async () => 'a token',
    types: [],
    after: undefined,
    forward: undefined,
    print: (line) => printed.push(line),
    report: (sentence) => reported.push(sentence),
    signal: stopping.signal,
    poll_ms: 5,
    ...settings,
  })
  ending.catch(() => {})
  return {
    reported,
    ending,
    events: () => printed.map((line) => JSON.parse(line) as ReturnType<typeof event>),
    hears: (count: number) => within(WITHIN_MS, async () => printed.length >= count),
    stop: async () => {
      stopping.abort()
      await ending
    },
  }
}

describe('a listener', () => {
  it('gets each event once and in order from now on, unchanged, with a cursor to continue from', async () => {
    const api = await serverThat(logOf(5))
    const { events, hears, reported, stop } = listener({ url: api.url, types: ['user.created', 'user.updated'] })
    await hears(5)
    await within(WITHIN_MS, async () => api.asked.length > 9)
    await stop()
    assert.deepEqual(events(), [1, 2, 3, 4, 5].map(event))
    assert.deepEqual(reported, ['Resume with --after evt_5'])
    for (const { path, query, headers } of api.asked) {
      assert.equal(path, '/v1/events')
      assert.deepEqual(query.getAll('type'), ['user.created', 'user.updated'])
      assert.equal(headers.authorization, 'Bearer a token')
    }
    assert.equal(api.asked[0]?.query.get('after'), 'latest')
  })

  it('starts after a given event', async () => {
    const api = await serverThat(logOf(5))
    const { events, hears, stop } = listener({ url: api.url, after: 'evt_3' })
    await hears(2)
    await stop()
    assert.deepEqual(events(), [4, 5].map(event))
  })

  it('continues after an outage, without gaps or duplicates', async () => {
    let calls = 0
    const trouble = (_asked: Asked, response: ServerResponse) => {
      calls++
      if (calls % 3 === 0) json(response, 503, { code: 'unavailable' })
      else if (calls % 5 === 0) response.socket?.destroy()
      else if (calls % 7 === 0) response.writeHead(200, { 'content-type': 'text/html' }).end('<p>A proxy</p>')
      return calls % 3 === 0 || calls % 5 === 0 || calls % 7 === 0
    }
    const api = await serverThat(logOf(8, trouble))
    const { events, hears, reported, stop } = listener({ url: api.url })
    await hears(8)
    await stop()
    assert.deepEqual(events(), [1, 2, 3, 4, 5, 6, 7, 8].map(event))
    assert(reported.includes(`No events from ${api.url} (it returns 503); retrying.`))
    assert(reported.includes(`${api.url} is reachable again.`))
  })

  it('waits for a server that is not up yet, and stops immediately when asked to', async () => {
    const { reported, stop } = listener({ url: 'http://127.0.0.1:1' })
    await within(WITHIN_MS, async () => reported.length > 0)
    await stop()
    assert.match(reported.join(), /^No events from http:\/\/127\.0\.0\.1:1 \(.+\); retrying\.$/)
  })

  it('gets a new token when the old one has expired, and ends when that is rejected too', async () => {
    let tokens = 0
    const expired = ({ query, headers }: Asked, response: ServerResponse) => {
      const isNew = query.get('after') !== 'evt_2' || headers.authorization === 'Bearer token-2'
      const isRefused = query.get('after') === 'evt_4'
      if (!isNew || isRefused) json(response, 401, { code: 'token_expired', detail: 'The access token has expired.' })
      return !isNew || isRefused
    }
    const api = await serverThat(logOf(5, expired))
    const { events, ending } = listener({ url: api.url, getToken: async () => `token-${++tokens}` })
    await assert.rejects(ending, new ListenError('The credentials were rejected: The access token has expired.'))
    assert.deepEqual(events(), [1, 2, 3, 4].map(event))
    assert.equal(tokens, 3)
  })

  it('starts at the oldest event when its cursor has been purged', async () => {
    const gone = ({ query }: Asked, response: ServerResponse) => {
      const isGone = query.get('after') === 'evt_old'
      const errors = [{ pointer: 'query:after', code: 'expired', detail: 'This event is older than 30 days.' }]
      if (isGone) json(response, 422, { code: 'validation_failed', errors })
      return isGone
    }
    const api = await serverThat(logOf(1, gone))
    const { events, hears, reported, stop } = listener({ url: api.url, after: 'evt_old' })
    await hears(2)
    await stop()
    assert.deepEqual(events(), [0, 1].map(event))
    assert.equal(reported[0], 'The last event seen has expired; starting again with the oldest.')
  })

  it('ends with the API’s error when it is rejected', async () => {
    const errors = [{ pointer: 'query:type', code: 'not_allowed', detail: 'Must be one of: user.created.' }]
    const problems = [
      { status: 422, body: { code: 'validation_failed', errors }, words: 'query:type: Must be one of: user.created.' },
      { status: 403, body: { code: 'forbidden', detail: 'Your role may not.' }, words: 'Your role may not.' },
    ]
    for (const { status, body, words } of problems) {
      const api = await serverThat((_asked, response) => json(response, status, body))
      await assert.rejects(listener({ url: api.url }).ending, new ListenError(words))
      assert.equal(api.asked.length, 1)
    }
  })
})

describe('a basic token', () => {
  it('is exchanged for an access token; a rejected one ends the listener', async () => {
    const { signal } = new AbortController()
    const api = await serverThat(({ headers }, response) =>
      headers.authorization === 'Basic good'
        ? json(response, 200, { access_token: 'a token' })
        : json(response, 401, { error: 'invalid_client', detail: 'The credential is not valid.' }),
    )
    assert.equal(await exchangeBasicToken({ url: api.url, basicToken: 'good', signal }), 'a token')
    const [{ method, path, body } = { method: '', path: '', body: '' }] = api.asked
    assert.deepEqual([method, path, body], ['POST', '/v1/oauth/token', '{"grant_type":"client_credentials"}'])
    await assert.rejects(
      exchangeBasicToken({ url: api.url, basicToken: 'bad', signal }),
      new ListenError('The basic token was rejected: The credential is not valid.'),
    )
  })
})

describe('forwarding', () => {
  it('sends each event unchanged, signed, once, whatever the receiver responds', async () => {
    const receiver = await serverThat(({ body }, response) => {
      if (body.includes('evt_2')) response.socket?.destroy()
      else response.writeHead(body.includes('evt_1') ? 204 : 500).end()
    })
    const api = await serverThat(logOf(3))
    const { reported, hears, stop } = listener({
      url: api.url,
      forward: { url: `${receiver.url}/hook`, secret: SECRET },
    })
    await hears(3)
    await within(WITHIN_MS, async () => reported.length === 3)
    await stop()
    assert.match(reported[0] ?? '', /^user\.created evt_1 forwarded: 204$/)
    assert.match(reported[1] ?? '', /^user\.created evt_2 forwarded: \D+$/)
    assert.match(reported[2] ?? '', /^user\.created evt_3 forwarded: 500$/)

    assert.deepEqual(
      receiver.asked.map(({ body }) => JSON.parse(body) as object),
      [1, 2, 3].map(event),
    )
    for (const { method, path, headers, body } of receiver.asked) {
      assert.deepEqual([method, path, headers['content-type']], ['POST', '/hook', 'application/json'])
      const { id } = JSON.parse(body) as { id: string }
      assert.equal(headers['webhook-id'], id)
      const timestamp = String(headers['webhook-timestamp'])
      assert(Math.abs(Number(timestamp) - Date.now() / 1000) < 60)
      const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64')
      const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
      assert.equal(headers['webhook-signature'], `v1,${expected}`)
    }
  })
})

describe('the signature of a delivery', () => {
  it('matches the example of the specification', () => {
    const delivery = {
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      at: new Date(1_614_265_330_000),
      body: '{"test": 2432232314}',
    }
    assert.deepEqual(signWebhook(['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'], delivery), {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    })
  })

  it('accepts secrets of 24 to 64 bytes, as generated, and no others', () => {
    const [one, other] = [newWebhookSecret(), newWebhookSecret()]
    assert.notEqual(one, other)
    const secretOf = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`
    for (const secret of [one, other, SECRET, secretOf(24), secretOf(64)]) assert(isWebhookSecret(secret), secret)
    for (const wrong of ['', 'whsec_', secretOf(23), secretOf(65), one.slice(6), `${one}!`, 'whsec_???']) {
      assert(!isWebhookSecret(wrong), wrong)
    }
  })
})
