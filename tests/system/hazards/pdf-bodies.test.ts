import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { describe, it } from 'node:test'
import { ProblemError } from '../../../src/kernel/problem-error.ts'
import { openTestApp } from '../../support/app.ts'
import { openPdfApp, pdfOf } from '../../support/pdf-app.ts'
import { dial, readRaw, sendRaw, statusesIn } from '../../hazards/raw.ts'
import { DEADLINE_MS, within } from '../../support/deadline.ts'

const MIB = 1024 * 1024
const TIMEOUT_MS = 60_000
/** What Node buffers of a body that nobody reads: a few reads of 64 KiB. */
const HELD_BYTES_MAX = 512 * 1024

const { app, watch, ended, port } = await openPdfApp()
const accepted: Socket[] = []
app.server.on('connection', (socket: Socket) => accepted.push(socket))
const url = `http://127.0.0.1:${port}/documents/one`

const head = (...lines: string[]) =>
  ['PUT /documents/one HTTP/1.1', 'host: x', 'content-type: application/pdf', ...lines, '', ''].join('\r\n')
const chunk = (bytes: Buffer) =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])
const jsonHead = (line: string) =>
  ['POST /records HTTP/1.1', 'host: x', 'content-type: application/json', line, '', ''].join('\r\n')
const LAST_CHUNK = '0\r\n\r\n'

/** A connection, and its other end in the server. */
async function connect({ allowHalfOpen = false } = {}): Promise<{ socket: Socket; inside: Socket }> {
  const socket = await dial(port)
  socket.allowHalfOpen = allowHalfOpen
  return { socket, inside: await otherEndOf(socket) }
}

async function otherEndOf({ localPort }: Socket): Promise<Socket> {
  for (;;) {
    const found = accepted.find(({ remotePort }) => remotePort === localPort)
    if (found) return found
    await once(app.server, 'connection', { signal: AbortSignal.timeout(TIMEOUT_MS) })
  }
}

async function assertCutOff(bytes: number): Promise<void> {
  const upload = await ended()
  assert.equal(upload.bytes, bytes)
  assert(upload.end instanceof ProblemError)
  assert.equal(upload.end.code, 'malformed_request')
}

describe('a slow PDF', () => {
  it('is streamed to the handler as it arrives, and 200 once complete', async () => {
    const pdf = pdfOf(3_000)
    const { promise: firstIsTaken, resolve } = Promise.withResolvers<void>()
    watch.take = async () => resolve()
    const { socket } = await connect()
    const heard = readRaw(socket, TIMEOUT_MS)
    socket.write(head('content-length: 3000', 'connection: close'))
    socket.write(pdf.subarray(0, 1_000))
    await firstIsTaken
    socket.write(pdf.subarray(1_000, 2_990))
    socket.write(pdf.subarray(2_990))
    assert.deepEqual(statusesIn(await heard), [200])
    assert.deepEqual(await ended(), { bytes: 3_000, end: 'whole' })
  })

  it('is read no faster than the handler consumes it', async () => {
    const gate = Promise.withResolvers<void>()
    const { promise: firstIsTaken, resolve } = Promise.withResolvers<void>()
    watch.take = async () => {
      resolve()
      await gate.promise
    }
    const { socket, inside } = await connect()
    const heard = readRaw(socket, TIMEOUT_MS)
    socket.write(head(`content-length: ${10 * MIB}`, 'connection: close'))
    socket.write(pdfOf(10 * MIB))
    await firstIsTaken
    for (let turn = 0; turn < 1_000; turn++) await new Promise((resume) => setImmediate(resume))
    assert(inside.bytesRead < HELD_BYTES_MAX, `${inside.bytesRead} bytes were read for a handler that took one piece`)
    gate.resolve()
    assert.deepEqual(statusesIn(await heard), [200])
    assert.deepEqual(await ended(), { bytes: 10 * MIB, end: 'whole' })
  })
})

describe('a truncated PDF', () => {
  const beginning = '%PDF-1.7\nabc'
  const announced = head('content-length: 100') + beginning
  const inChunks = head('transfer-encoding: chunked') + chunk(Buffer.from(beginning)).toString()

  for (const [what, text] of Object.entries({ 'with a length': announced, 'in chunks': inChunks })) {
    it(`400 when the caller ends in the middle, ${what}; the handler is notified`, async () => {
      const { socket } = await connect()
      const heard = readRaw(socket, TIMEOUT_MS)
      socket.end(text)
      const response = await heard
      assert.deepEqual(statusesIn(response), [400])
      assert.match(response.text, /"code":"malformed_request"/)
      await assertCutOff(beginning.length)
    })

    it(`notifies the handler of a connection reset, ${what}`, async () => {
      const { promise: firstIsTaken, resolve } = Promise.withResolvers<void>()
      watch.take = async () => resolve()
      const { socket } = await connect()
      socket.write(text)
      await firstIsTaken
      socket.resetAndDestroy()
      await assertCutOff(beginning.length)
    })
  }

  it('408 for a caller that stalls, and the handler ends although the caller does not hang up', async () => {
    const { headersTimeout, requestTimeout } = app.server
    app.server.headersTimeout = app.server.requestTimeout = 1_000
    try {
      for (const { socket, inside, heard } of await Promise.all([announced, inChunks].map(stopAfter))) {
        if (!inside.closed) await once(inside, 'close', { signal: AbortSignal.timeout(TIMEOUT_MS) })
        socket.destroy()
        assert.match(heard.join(''), /^HTTP\/1\.1 408 /)
        await assertCutOff(beginning.length)
      }
    } finally {
      Object.assign(app.server, { headersTimeout, requestTimeout })
    }
  })

  async function stopAfter(text: string) {
    const { socket, inside } = await connect({ allowHalfOpen: true })
    const heard: string[] = []
    socket.on('data', (bytes: Buffer) => heard.push(bytes.toString()))
    socket.write(text)
    return { socket, inside, heard }
  }

  it('400 for malformed chunks in the middle', async () => {
    const heard = await sendRaw(port, `${inChunks}zz\r\n`)
    assert.deepEqual(statusesIn(heard), [400])
    await assertCutOff(beginning.length)
  })
})

describe('an oversized body', () => {
  it('413 from its Content-Length, before any of it is sent', async () => {
    const { socket } = await connect()
    const [bytes] = (await Promise.all([
      once(socket, 'data', { signal: AbortSignal.timeout(TIMEOUT_MS) }).then(([data]: Buffer[]) => data),
      new Promise<void>((written) => socket.write(head(`content-length: ${10 * MIB + 1}`), () => written())),
    ])) as [Buffer, void]
    socket.destroy()
    assert.match(bytes.toString(), /^HTTP\/1\.1 413 [^]*"detail":"The document is larger than 10 MiB\."/)
    assert.deepEqual(watch.uploads, [], 'no handler ran')
  })

  it('413 for endless chunks, while they are still coming; then the connection is closed', async () => {
    const { socket, inside } = await connect()
    const response = once(socket, 'data', { signal: AbortSignal.timeout(TIMEOUT_MS) })
    const closed = once(inside, 'close', { signal: AbortSignal.timeout(TIMEOUT_MS) }).then(() => 'closed' as const)
    socket.write(head('transfer-encoding: chunked'))
    socket.write(chunk(pdfOf(MIB)))
    const more = chunk(Buffer.alloc(65_536))
    for (;;) {
      const isFull = !socket.write(more)
      if (socket.destroyed) break
      if (isFull && (await Promise.race([once(socket, 'drain').catch(() => 'closed'), closed])) === 'closed') break
    }
    const [bytes] = (await response) as [Buffer]
    assert.match(bytes.toString(), /^HTTP\/1\.1 413 [^]*"code":"payload_too_large"/)
    await closed
    const upload = await ended()
    assert(upload.bytes <= 10 * MIB && upload.bytes > 9 * MIB, `${upload.bytes} bytes were passed on`)
    assert(upload.end instanceof ProblemError)
    assert.equal(upload.end.code, 'payload_too_large')
  })

  const CLIENTS: Record<string, () => Promise<number[]>> = {
    'of 12 MiB with a length': () => sendAllThenListen(head(`content-length: ${12 * MIB}`), pdfOf(12 * MIB)),
    'of 11 MiB in chunks': () =>
      sendAllThenListen(head('transfer-encoding: chunked'), chunk(pdfOf(11 * MIB)), Buffer.from(LAST_CHUNK)),
    'of 4 MiB of JSON with a length': () =>
      sendAllThenListen(jsonHead(`content-length: ${4 * MIB}`), Buffer.alloc(4 * MIB, ' ')),
    'of 4 MiB of JSON in chunks': () =>
      sendAllThenListen(
        jsonHead('transfer-encoding: chunked'),
        chunk(Buffer.alloc(4 * MIB, ' ')),
        Buffer.from(LAST_CHUNK),
      ),
  }
  for (const [what, statuses] of Object.entries(CLIENTS)) {
    it(`413 reaches a caller that sends everything before reading: ${what}`, async () => {
      for (let round = 0; round < 3; round++) assert.deepEqual(await untilSent(statuses), [413])
      watch.uploads.length = 0
    })
  }

  /** A caller that a busy machine keeps from sending longer than the server reads on is cut off, and tries again. */
  async function untilSent(statuses: () => Promise<number[]>): Promise<number[]> {
    let received: number[] | undefined
    await within(DEADLINE_MS, async () => {
      received = await statuses().catch((error: { code?: string }) => {
        if (!/^(ECANCELED|EPIPE|ECONNRESET)$/.test(error.code ?? '')) throw error
        return undefined
      })
      return received !== undefined
    })
    return received ?? []
  }

  async function sendAllThenListen(...parts: (string | Buffer)[]): Promise<number[]> {
    const { socket } = await connect()
    socket.pause()
    for (const part of parts) {
      await new Promise<void>((written, failed) => {
        socket.write(part, (error) => (error ? failed(error) : written()))
      })
    }
    const heard = readRaw(socket, TIMEOUT_MS)
    socket.resume()
    socket.write('GET /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
    const statuses = statusesIn(await heard)
    assert.equal(statuses.pop(), 404, 'the connection is used again, for an address that this server does not have')
    return statuses
  }

  it('413 reaches fetch', async () => {
    async function* pieces(bytes: Buffer): AsyncGenerator<Buffer> {
      for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536)
    }
    const headers = { 'content-type': 'application/pdf' }
    for (const body of [pdfOf(12 * MIB), pieces(pdfOf(11 * MIB))]) {
      const response = await fetch(url, { method: 'PUT', headers, body, duplex: 'half' })
      assert.deepEqual(
        [response.status, ((await response.json()) as { code: string }).code],
        [413, 'payload_too_large'],
      )
    }
  })
})

describe('a body that is not a PDF', () => {
  it('422 at its first bytes, while the rest is still to come, and the connection can be reused', async () => {
    const { socket } = await connect()
    let text = ''
    socket.on('data', (bytes: Buffer) => (text += bytes.toString('latin1')))
    const statuses = async (count: number) => {
      const signal = AbortSignal.timeout(TIMEOUT_MS)
      for (;;) {
        const found = statusesIn({ text })
        if (found.length >= count) return found
        await once(socket, 'data', { signal })
      }
    }
    socket.write(head(`content-length: ${MIB}`))
    socket.write(Buffer.alloc(1_000))
    assert.deepEqual(await statuses(1), [422])
    socket.write(Buffer.alloc(MIB - 1_000))
    socket.write(`${head('content-length: 100')}${pdfOf(100).toString()}`)
    assert.deepEqual(await statuses(2), [422, 200])
    socket.destroy()
  })
})

describe('a PDF sent where JSON is read', () => {
  it('415, in both interfaces, signed or not', async () => {
    const t = await openTestApp()
    const platform = await t.platform()
    const headers = { 'content-type': 'application/pdf' }
    for (const [path, token] of [
      ['/v1/platforms', t.owner],
      ['/v1/auth/token', platform.token],
      ['/v1/oauth/token', undefined],
      ['/wallet/v1/auth/otp', undefined],
      ['/wallet/v1/operator/events', undefined],
    ] as const) {
      const response = await t.call('POST', path, { body: pdfOf(100), headers, ...(token && { token }) })
      assert.deepEqual([response.status, response.body.code], [415, 'unsupported_media_type'], path)
    }
  })
})
