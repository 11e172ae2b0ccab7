import assert from 'node:assert/strict'
import { once } from 'node:events'
import { METHODS } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openTestApp } from '../../support/app.ts'
import { dial, type RawResponse, readRaw, sendRaw, statusesIn } from '../../hazards/raw.ts'

const t = await openTestApp({ own: true, timeoutFactor: 1 })
const platform = await t.platform()
await t.app.listen({ host: '127.0.0.1', port: 0 })
const { port } = t.app.server.address() as AddressInfo

const INPUT = JSON.stringify({ phone_country_code: '+91', phone_number: '9800000006' })
/** Follows a bad request on the same connection; a response to it proves smuggling. */
const NEXT = 'GET /livez HTTP/1.1\r\nhost: x\r\n\r\n'

/** A request for a user's token with these additional header lines, then the body. */
const request = (lines: string[], body = INPUT) =>
  [
    'POST /v1/auth/token HTTP/1.1',
    'host: x',
    `authorization: Bearer ${platform.token}`,
    'content-type: application/json',
    ...lines,
    '',
    body,
  ].join('\r\n')

const chunked = (body: string) => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
const length = `content-length: ${INPUT.length}`

const countUsers = async () => (await t.sql('select 1 from users where platform_id = $1', [platform.id])).length

describe('framing of a body', () => {
  it('200 for both valid framings', async () => {
    const plain = await sendRaw(port, request([length, 'connection: close']))
    assert.deepEqual(statusesIn(plain), [200])
    const inChunks = await sendRaw(port, request(['transfer-encoding: chunked', 'connection: close'], chunked(INPUT)))
    assert.deepEqual(statusesIn(inChunks), [200])
  })

  const ODD: Record<string, string[]> = {
    xchunked: ['transfer-encoding: xchunked'],
    'chunked and a no-break space': ['transfer-encoding: chunked\xa0'],
    'chunked and a vertical tab': ['transfer-encoding: chunked\x0b'],
    'chunked twice': ['transfer-encoding: chunked, chunked'],
    'chunked twice, in two lines': ['transfer-encoding: chunked', 'transfer-encoding: chunked'],
    'gzip, chunked': ['transfer-encoding: gzip, chunked'],
    'chunked, gzip': ['transfer-encoding: chunked, gzip'],
    identity: ['transfer-encoding: identity'],
    'a quoted coding': ['transfer-encoding: "chunked"'],
    'an empty coding': ['transfer-encoding:'],
    'a coding and a length': [length, 'transfer-encoding: chunked'],
    'a length and a coding': ['transfer-encoding: chunked', length],
    'an odd coding and a length': [length, 'transfer-encoding: xchunked'],
    'two lengths': [length, 'content-length: 1'],
    'a list of lengths': [`${length}, ${INPUT.length}`],
    'a length with a sign': [`content-length: +${INPUT.length}`],
    'a negative length': ['content-length: -1'],
    'a length in hexadecimal': ['content-length: 0x10'],
    'a length beyond all numbers': ['content-length: 99999999999999999999999'],
    'a blank before the colon': ['transfer-encoding : chunked'],
    'a folded header': ['x-folded: a', ' transfer-encoding: chunked', length],
    'a NUL in a header': ['x-nul: a\0b', length],
  }
  for (const [what, lines] of Object.entries(ODD)) {
    it(`400 and the connection is closed, ignoring what follows on it: ${what}`, async () => {
      const before = await countUsers()
      for (const body of [INPUT, chunked(INPUT)]) {
        const heard = await sendRaw(port, request(lines, body) + NEXT)
        assert(heard.closed, heard.text)
        assert.deepEqual(statusesIn(heard), [400], heard.text)
        assert.doesNotMatch(heard.text, /"status":"ok"/)
      }
      assert.equal(await countUsers(), before)
    })
  }

  it('413 for a chunked body that grows too large, without waiting for its end', async () => {
    const endless = `10000\r\n${'x'.repeat(65_536)}\r\n`.repeat(5)
    const heard = await sendRaw(port, request(['transfer-encoding: chunked'], endless))
    assert.deepEqual(statusesIn(heard), [413])
    const announced = await sendRaw(port, request(['content-length: 300000'], 'x'))
    assert.deepEqual(statusesIn(announced), [413])
  })

  it('exactly one response when the request was rejected by its headers and its body cannot be read', async () => {
    const stranger = request(['transfer-encoding: chunked'], '2\r\n{}\r\n').replace(/authorization: .*\r\n/, '')
    const socket = await dial(port)
    socket.write(stranger)
    const [response] = await once(socket, 'data')
    assert.deepEqual(statusesIn({ text: String(response) }), [401])
    socket.write(`no length\r\n${NEXT}`)
    const after = await readRaw(socket, 60_000)
    assert(after.closed)
    assert.equal(after.text, '')
  })

  it('400 problem for bytes that are not an HTTP request', async () => {
    for (const text of [
      '\0\0\0\0\r\n\r\n',
      'HELLO\r\n\r\n',
      'GET\r\n\r\n',
      'GET / HTTP/9.9\r\nhost: x\r\n\r\n',
      '\x16\x03\x01\x02\x00\x01\x00\r\n',
    ]) {
      const heard = await sendRaw(port, text)
      assert(heard.closed)
      assert.deepEqual(statusesIn(heard), [400], JSON.stringify(text))
      assert.match(heard.text, /application\/problem\+json/)
      assert.match(heard.text, /"code":"malformed_request"/)
      assert.match(heard.text, /^cache-control: no-store\r$/im)
    }
  })

  it('400 for a target that is neither a path nor a URL: `*` is not the front page', async () => {
    const send = (target: string, method = 'GET') =>
      sendRaw(port, `${method} ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
    for (const method of ['GET', 'HEAD', 'OPTIONS'])
      assert.deepEqual(statusesIn(await send('*', method)), [400], method)
    const statuses = await Promise.all(['/', 'http://x/livez', 'http://x/*'].map((target) => send(target)))
    assert.deepEqual(statuses.flatMap(statusesIn), [200, 200, 404])
  })

  it('431 for endless headers', async () => {
    const heard = await sendRaw(port, `GET /livez HTTP/1.1\r\nhost: x\r\nx-long: ${'a'.repeat(40_000)}\r\n\r\n`)
    assert(heard.closed)
    assert.deepEqual(statusesIn(heard), [431])
    assert.doesNotMatch(heard.text, /aaaa/)
  })

  it('writes nothing when the caller disconnects in the middle of a body', async () => {
    const before = await countUsers()
    const socket = await dial(port)
    const input = INPUT.replace('9800000006', '9800000007')
    socket.write(request([`content-length: ${input.length}`], input.slice(0, -1)))
    socket.end()
    await readRaw(socket, 60_000)
    assert.equal(await countUsers(), before)
  })
})

describe('request line and headers', () => {
  const read = (lines: string[], version = '1.1') =>
    sendRaw(port, [`GET /livez HTTP/${version}`, ...lines, 'connection: close', '', ''].join('\r\n'))

  const assertProblem = ({ text, closed }: RawResponse, code: string) => {
    assert(closed, text)
    assert.match(text, /^content-type: application\/problem\+json/im)
    assert.match(text, /^cache-control: no-store\r$/im)
    assert.equal(JSON.parse(text.slice(text.indexOf('{'))).code, code)
  }

  const REFUSED: Record<string, string[]> = {
    'two hosts': ['host: x', 'host: y'],
    'two equal hosts': ['host: x', 'Host: x'],
    'a host with blanks': ['host: x y'],
    'a host with a path': ['host: x/y'],
    'a host with a backslash': ['host: x\\'],
    'a host with a user': ['host: a@x'],
    'a list of hosts': ['host: x, y'],
    'a port that is no number': ['host: x:80a'],
    'no host': [],
    'two credentials': ['host: x', 'authorization: Bearer a', 'authorization: Bearer b'],
    'two equal credentials': ['host: x', 'authorization: Bearer a', 'Authorization: Bearer a'],
    'two media types': ['host: x', 'content-type: application/json', 'content-type: text/plain'],
  }
  for (const [what, lines] of Object.entries(REFUSED)) {
    it(`400 and the connection is closed: ${what}`, async () => {
      const heard = await read(lines)
      assert.deepEqual(statusesIn(heard), [400], heard.text)
      assertProblem(heard, 'malformed_request')
    })
  }

  it('400 for two credentials even if both are valid, and nothing is written', async () => {
    const before = await countUsers()
    const other = INPUT.replace('9800000006', '9800000008')
    for (const lines of [['authorization: Bearer bad'], [`authorization: Bearer ${platform.token}`]]) {
      const heard = await sendRaw(port, request([...lines, `content-length: ${other.length}`], other) + NEXT)
      assert.deepEqual(statusesIn(heard), [400])
    }
    assert.equal(await countUsers(), before)
  })

  it('400 for unsupported versions of HTTP', async () => {
    for (const version of ['2.0', '0.9']) {
      const heard = await read(['host: x'], version)
      assert.deepEqual(statusesIn(heard), [400], version)
      assertProblem(heard, 'malformed_request')
    }
  })

  it('200 for any valid Host, and without one before HTTP/1.1', async () => {
    for (const host of ['x', 'x:8080', '127.0.0.1:80', '[::1]', '[::1]:8080', 'api.example.com.', 'a_b', 'x%2e', '']) {
      assert.deepEqual(statusesIn(await read([`host: ${host}`])), [200], host)
    }
    assert.deepEqual(statusesIn(await read([], '1.0')), [200])
  })

  it('417 for an unsupported Expect, in any case of letters; 100-continue is supported', async () => {
    for (const expectation of ['200-maybe', 'X', '100-continue, 200-maybe']) {
      const heard = await read(['host: x', `expect: ${expectation}`])
      assert.equal(statusesIn(heard).at(-1), 417, expectation)
      assertProblem(heard, 'expectation_failed')
    }
    const heard = await sendRaw(port, request([length, 'Expect: 100-Continue', 'connection: close']))
    assert.deepEqual(statusesIn(heard), [100, 200])
  })

  it('200 for encodings in capitals, and for an empty list of media types', async () => {
    const inChunks = await sendRaw(port, request(['Transfer-Encoding: CHUNKED', 'connection: close'], chunked(INPUT)))
    assert.deepEqual(statusesIn(inChunks), [200])
    const plain = await sendRaw(port, request([length, 'Content-Encoding: Identity', 'accept:', 'connection: close']))
    assert.deepEqual(statusesIn(plain), [200])
  })
})

describe('methods', () => {
  /** CONNECT asks for a tunnel and never becomes a request; the connection is closed. */
  const methods = METHODS.filter((method) => method !== 'CONNECT')
  const ask = (method: string, address: string, lines: string[] = []) =>
    sendRaw(port, [`${method} ${address} HTTP/1.1`, 'host: x', 'connection: close', ...lines, '', ''].join('\r\n'))

  it('405 with Allow for every known method that a path lacks, whatever body it declares', async () => {
    assert(methods.length > 30)
    const allowed = {
      '/livez': 'GET, HEAD',
      '/v1/auth/token': 'POST',
      '/v1/users/012345678901': 'GET, HEAD, PATCH, DELETE',
      '/v1/%75sers/012345678901?limit=1': 'GET, HEAD, PATCH, DELETE',
      '/v1/users/search': 'POST', // also a user of this id, as far as its form goes
    }
    for (const [address, allow] of Object.entries(allowed)) {
      for (const method of methods.filter((one) => !allow.split(', ').includes(one))) {
        for (const lines of [
          [],
          ['content-type: text/plain', 'content-length: 0'],
          ['content-type: application/json'],
        ]) {
          const heard = await ask(method, address, lines)
          assert.deepEqual(statusesIn(heard), [405], `${method} ${address}`)
          assert.match(heard.text, new RegExp(`^allow: ${allow}\r$`, 'im'))
          if (method !== 'HEAD') assert.match(heard.text, /"code":"method_not_allowed"/)
        }
      }
    }
  })

  it('404 for all of them on an unknown path', async () => {
    for (const method of methods) {
      for (const lines of [[], ['content-type: text/plain', 'content-length: 0']]) {
        const heard = await ask(method, '/nowhere', lines)
        assert.deepEqual(statusesIn(heard), [404], method)
        if (method !== 'HEAD') assert.match(heard.text, /"code":"not_found"/)
      }
    }
  })

  it('rejects CONNECT', async () => {
    const heard = await ask('CONNECT', 'x:80')
    assert(heard.closed)
    assert.doesNotMatch(heard.text, /HTTP\/1\.1 2/)
  })
})

describe('slow clients', () => {
  const CONNECTIONS = 120
  /** Small here so that the test is short; another test checks the real settings. */
  const LIMIT_MS = 1_500
  /** Their sockets stay open for ever without a limit; a busy machine is late. */
  const GONE_WITHIN_MS = LIMIT_MS + 15_000

  it('have seconds at most, by the server’s settings', () => {
    const { headersTimeout, requestTimeout } = t.app.server
    assert(headersTimeout > 0 && headersTimeout <= 10_000)
    assert(requestTimeout > 0 && requestTimeout <= 20_000)
  })

  it('are disconnected within seconds, all of them, while a good client is served immediately', async () => {
    t.app.server.headersTimeout = LIMIT_MS
    t.app.server.requestTimeout = LIMIT_MS
    const beginnings = [
      '', // connects and sends nothing
      'POST /v1/auth/token HTT',
      'POST /v1/auth/token HTTP/1.1\r\nhost: x\r\nx-slow: ',
      request([length], INPUT.slice(0, 10)),
      request(['transfer-encoding: chunked'], 'ff\r\n{"phone'),
    ]
    const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, () => dial(port)))
    const heard = sockets.map((socket, index) => {
      socket.write(beginnings[index % beginnings.length] as string)
      // One byte now and then: being slow is enough, silence is not needed.
      const drip = setInterval(() => socket.write('a'), 300)
      return readRaw(socket, GONE_WITHIN_MS + 2_000).finally(() => clearInterval(drip))
    })

    let slowest_ms = 0
    let served = 0
    const over = new AbortController()
    const all = Promise.all(heard).finally(() => over.abort())
    while (!over.signal.aborted) {
      const started = performance.now()
      const response = await fetch(`http://127.0.0.1:${port}/v1/benefit_providers`, {
        headers: { authorization: `Bearer ${platform.token}` },
      })
      await response.text()
      assert.equal(response.status, 200)
      slowest_ms = Math.max(slowest_ms, performance.now() - started)
      served++
      await sleep(20)
    }
    for (const { closed, elapsed_ms, text } of await all) {
      assert(closed && elapsed_ms < GONE_WITHIN_MS, `${elapsed_ms} ms`)
      assert.doesNotMatch(text, /HTTP\/1\.1 2/)
    }
    assert(served > 0 && slowest_ms < GONE_WITHIN_MS, `${served} served, the slowest in ${slowest_ms} ms`)
    assert.equal(await countUsers(), 1)
  })
})

describe('clients that do not read', () => {
  /** Long enough that a busy machine does not delay a good client beyond it. */
  const LIMIT_MS = 4_000
  const GONE_WITHIN_MS = 60_000
  const UNREAD = 5
  /** More than the buffers of two sockets hold. */
  const QUESTIONS = 60
  /** After each part of at most 64 kB: slow enough to read for longer than twice the limit. */
  const PAUSE_MS = 24
  const asked = `GET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n`.repeat(QUESTIONS)
  const connections = () => new Promise<number>((resolve) => t.app.server.getConnections((_, count) => resolve(count)))

  it('have at most half a minute per response, by the server’s settings', () => {
    assert(t.app.server.timeout > 0 && t.app.server.timeout <= 30_000)
  })

  it('are disconnected, and slow readers get everything', async () => {
    t.app.server.timeout = LIMIT_MS
    const slow = await dial(port)
    slow.write(asked.replace(/\r\n\r\n$/, '\r\nconnection: close\r\n\r\n'))
    slow.on('data', () => {
      slow.pause()
      setTimeout(() => slow.resume(), PAUSE_MS)
    })
    const everything = readRaw(slow, 120_000)

    const deaf = await Promise.all(Array.from({ length: UNREAD }, () => dial(port)))
    for (const socket of deaf) socket.pause().write(asked)
    const from = performance.now()
    while ((await connections()) > 1) {
      assert(performance.now() - from < GONE_WITHIN_MS, `${await connections()} are still held`)
      await sleep(50)
    }
    for (const socket of deaf) socket.destroy()

    const { text, closed, elapsed_ms } = await everything
    assert(closed && elapsed_ms > 2 * LIMIT_MS, `${elapsed_ms} ms is not slow`)
    assert.deepEqual(
      statusesIn({ text }),
      Array.from({ length: QUESTIONS }, () => 200),
    )
  })
})

describe('a request that arrives after its 408', () => {
  /** As after a process was suspended: the timeout has passed before the bytes are read. */
  async function tooLate(first: string, rest: string): Promise<RawResponse> {
    const accepted = once(t.app.server, 'connection') as Promise<[Socket]>
    const socket = await dial(port)
    const [ours] = await accepted
    const heard = readRaw(socket, 60_000)
    if (first !== '') {
      const begun = once(t.app.server, 'request')
      socket.write(first)
      await begun
    }
    t.app.server.emit('clientError', Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), ours)
    socket.write(rest)
    return heard
  }

  it('is not carried out, neither a whole request nor the rest of one', async () => {
    assert.deepEqual(statusesIn(await sendRaw(port, request([length, 'connection: close']))), [200])
    const before = await countUsers()
    const input = JSON.stringify({ phone_country_code: '+91', phone_number: '9800000408' }) // no user has it yet
    const whole = request([`content-length: ${input.length}`], input)
    for (const at of [0, whole.length - 10]) {
      const heard = await tooLate(whole.slice(0, at), whole.slice(at))
      assert.deepEqual(statusesIn(heard), [408])
      assert(heard.closed)
    }
    // Anything started by then is done when two more requests are.
    for (const _ of [1, 2])
      assert.deepEqual(statusesIn(await sendRaw(port, request([length, 'connection: close']))), [200])
    assert.equal(await countUsers(), before)
  })
})
