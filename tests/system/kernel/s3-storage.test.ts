import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterEach, describe, it } from 'node:test'
import { ProblemError } from '../../../src/kernel/problem-error.ts'
import { StartError } from '../../../src/kernel/start-error.ts'
import { checkStorage } from '../../../src/kernel/storage/check-storage.ts'
import { FILE_BYTES_MAX, type Storage } from '../../../src/kernel/storage/storage.ts'
import { freePorts } from '../../support/server.ts'
import { s3StorageAt } from '../../kernel/s3-storage-at.ts'
import { inPieces, read } from '../../kernel/storage-contract.ts'

// A real server is in tests/s3; this file covers its failures.

const MIB = 1024 * 1024
/** How long an attempt waits where a server is silent. */
const SILENCE_MS = 300
const LONG_MS = 20_000
const TRIES = 3
/** The attempts, the delays between them and a margin for a busy machine. */
const DEADLINE_MS = TRIES * SILENCE_MS + 15_000

type Asked = { method: string; path: string; headers: IncomingMessage['headers']; body: Buffer }
type Respond = (response: ServerResponse, time: number) => void

const servers = new Set<ReturnType<typeof createServer>>()
afterEach(() => {
  for (const server of servers) server.close().closeAllConnections()
  servers.clear()
})

/** A server that responds as configured, and a storage that uses it. */
async function storageWith(respond: Respond, timeout_ms?: number, deadline_ms?: number) {
  const asked: Asked[] = []
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url: path = '', headers } = request
    const one = { method, path, headers, body: Buffer.alloc(0) }
    const time = asked.push(one)
    one.body = await buffer(request)
    respond(response, time)
  }
  const server = createServer((request, response) => {
    // On a busy machine the storage abandons an attempt before its body has arrived.
    take(request, response).catch(() => assert(request.destroyed))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  servers.add(server)
  return { asked, storage: await s3StorageAt((server.address() as AddressInfo).port, timeout_ms, deadline_ms) }
}

const refuse = (response: ServerResponse, status: number, code: string) =>
  response
    .writeHead(status, { 'content-type': 'application/xml' })
    .end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>files/a/b at 10.0.0.7</Message></Error>`)

/** Asserts a 503 that reveals nothing behind it, before the deadline. */
async function assertUnavailable(work: Promise<unknown>): Promise<void> {
  const from = performance.now()
  await assert.rejects(work, (error) => {
    assert(error instanceof ProblemError, String(error))
    assert.deepEqual([error.status, error.detail], [503, 'The service is temporarily unavailable. Try again.'])
    return true
  })
  assert(performance.now() - from < DEADLINE_MS)
}

describe('S3: at the start', () => {
  const checked = async (storage: Storage) => {
    const away: unknown[] = []
    await checkStorage(storage, (cause) => away.push(cause))
    return away.length
  }

  it('fails with a sentence when the secret, the account, the bucket or the region is wrong', async () => {
    const responses = [
      [403, 'SignatureDoesNotMatch'],
      [403, 'InvalidAccessKeyId'],
      [403, 'AccessDenied'],
      [404, 'NoSuchBucket'],
      [301, 'PermanentRedirect'],
    ] as const
    for (const [status, code] of responses) {
      const { storage } = await storageWith((response) => refuse(response, status, code))
      await assert.rejects(checked(storage), (error) => {
        assert(error instanceof StartError, String(error))
        const settings = 'S3_BUCKET, S3_REGION, S3_ENDPOINT and the S3 keys'
        assert.equal(error.message, `The document storage denies access: ${code}. Check ${settings}.`)
        return true
      })
    }
  })

  it('accepts that a file never stored is missing; nothing is written', async () => {
    const { asked, storage } = await storageWith((response) => refuse(response, 404, 'NoSuchKey'))
    assert.equal(await checked(storage), 0)
    assert.deepEqual(
      asked.map(({ method }) => method),
      ['GET'],
    )
  })

  it('continues when the bucket is merely unreachable, because it may come back', async () => {
    const { storage } = await storageWith((response) => refuse(response, 503, 'SlowDown'))
    assert.equal(await checked(storage), 1)
    const [port] = await freePorts(1)
    assert.equal(await checked(await s3StorageAt(port as number)), 1)
    const { storage: silent } = await storageWith(() => {}, SILENCE_MS)
    assert.equal(await checked(silent), 1)
  })
})

describe('S3: requests', () => {
  it('carry their length and hash, signed, in one piece, to bucket and key', async () => {
    const { asked, storage } = await storageWith((response) => response.end())
    const bytes = randomBytes(3 * MIB)
    await storage.put('a/b', inPieces(bytes))
    const [{ method, path, headers, body }] = asked as [Asked]
    assert.deepEqual([asked.length, method, path.split('?', 1)[0]], [1, 'PUT', '/files/a/b'])
    assert(bytes.equals(body))
    assert.equal(headers['content-length'], String(bytes.length))
    assert.equal(headers['x-amz-content-sha256'], hash('sha256', bytes))
    assert.match(
      headers.authorization ?? '',
      /^AWS4-HMAC-SHA256 Credential=access\/\d{8}\/ap-south-1\/s3\/aws4_request/,
    )
    assert.deepEqual(
      [headers['content-encoding'], headers.expect, headers['transfer-encoding']],
      Array(3).fill(undefined),
    )
    assert(!JSON.stringify(headers).includes('very-secret'))
  })

  it('are not sent when the bytes break off; the error of the source is thrown', async () => {
    const { asked, storage } = await storageWith((response) => response.end())
    const error = new Error('the sender went away')
    async function* broken() {
      yield randomBytes(MIB)
      throw error
    }
    await assert.rejects(storage.put('a/b', broken()), (thrown) => thrown === error)
    assert.equal(asked.length, 0)
  })

  it('are repeated unchanged after a transient failure', async () => {
    const { asked, storage } = await storageWith((response, time) =>
      time < TRIES ? refuse(response, 500, 'InternalError') : response.end(),
    )
    const bytes = randomBytes(MIB)
    await storage.put('a/b', inPieces(bytes))
    assert.deepEqual(
      asked.map(({ body }) => body.equals(bytes)),
      Array(TRIES).fill(true),
    )
  })

  it('are buffered in an unlinked file, during and after the call', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'banyan-spool-'))
    const usual = process.env['TMPDIR']
    process.env['TMPDIR'] = folder
    try {
      const { storage } = await storageWith((response) => response.end())
      async function* watched() {
        yield* inPieces(randomBytes(MIB))
        assert.deepEqual(await readdir(folder), [])
      }
      await storage.put('a/b', watched())
      assert.deepEqual(await readdir(folder), [])
      await rm(folder, { recursive: true })
      await assertUnavailable(storage.put('a/b', watched()))
    } finally {
      if (usual === undefined) delete process.env['TMPDIR']
      else process.env['TMPDIR'] = usual
      await rm(folder, { recursive: true, force: true })
    }
  })
})

describe('S3: only NoSuchKey means a missing file', () => {
  it('and it is requested once', async () => {
    const { asked, storage } = await storageWith((response) => refuse(response, 404, 'NoSuchKey'))
    assert.equal(await storage.get('a/b'), undefined)
    await storage.delete('a/b')
    assert.deepEqual(
      asked.map(({ method }) => method),
      ['GET', 'DELETE'],
    )
  })

  for (const [status, code] of [
    [404, 'NoSuchBucket'],
    [403, 'AccessDenied'],
    [403, 'SignatureDoesNotMatch'],
    [301, 'PermanentRedirect'],
    [500, 'InternalError'],
  ] as const) {
    it(`503 for ${status} ${code}`, async () => {
      const { storage } = await storageWith((response) => refuse(response, status, code))
      await assertUnavailable(storage.get('a/b'))
      await assertUnavailable(storage.put('a/b', inPieces(Buffer.from('x'))))
      await assertUnavailable(storage.delete('a/b'))
    })
  }

  it('503 for a 404 from a server that is not S3', async () => {
    const { storage } = await storageWith((response) => response.writeHead(404).end('<html>not found</html>'))
    await assertUnavailable(storage.get('a/b'))
    await assertUnavailable(storage.delete('a/b'))
  })
})

describe('S3: a failing server', () => {
  it('503 when it is unreachable', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const storage = await s3StorageAt((server.address() as AddressInfo).port)
    await once(server.close(), 'close')
    await assertUnavailable(storage.get('a/b'))
    await assertUnavailable(storage.put('a/b', inPieces(randomBytes(MIB))))
    await assertUnavailable(storage.delete('a/b'))
  })

  it('503 in time when it never responds', async () => {
    const { asked, storage } = await storageWith(() => {}, SILENCE_MS)
    await assertUnavailable(storage.get('a/b'))
    await assertUnavailable(storage.put('a/b', inPieces(randomBytes(MIB))))
    assert.equal(asked.length, 2 * TRIES)
  })

  it('503 within one deadline over all attempts, also while writes wait for each other', async () => {
    const { asked, storage } = await storageWith(() => {}, LONG_MS, SILENCE_MS)
    const startedAt = performance.now()
    const writes = Array.from({ length: 20 }, () => assertUnavailable(storage.put('a/b', inPieces(randomBytes(100)))))
    await Promise.all([...writes, assertUnavailable(storage.get('a/b')), assertUnavailable(storage.delete('a/b'))])
    assert(performance.now() - startedAt < LONG_MS)
    assert(asked.length <= 10, 'no attempt is repeated after the deadline')
  })

  it('200 for a read that begins in time and lasts longer than the deadline', async () => {
    const slowly: Respond = (response) => {
      response.writeHead(200, { 'content-length': 2 }).write('o')
      setTimeout(() => response.end('k'), 2 * SILENCE_MS)
    }
    const { storage } = await storageWith(slowly, LONG_MS, SILENCE_MS)
    assert.equal(String(await read(storage, 'a/b')), 'ok')
  })

  it('503 in time when it starts a response and stalls', async () => {
    const stall: Respond = (response) => response.writeHead(200, { 'content-length': MIB }).write('begin')
    const { storage } = await storageWith(stall, SILENCE_MS)
    await assertUnavailable(read(storage, 'a/b'))
  })

  it('503 when the connection breaks within a file', async () => {
    const { storage } = await storageWith((response) => {
      response.writeHead(200, { 'content-length': MIB }).write(Buffer.alloc(MIB / 2), () => response.destroy())
    })
    await assertUnavailable(read(storage, 'a/b'))
  })

  it('503 when it sends more than the maximum file size, and no more is read', async () => {
    let closed: Promise<unknown> | undefined
    const { storage } = await storageWith((response) => {
      closed = once(response, 'close')
      response.on('error', () => {})
      const flood = () => {
        while (!response.destroyed && response.write(Buffer.alloc(MIB)));
      }
      response.on('drain', flood)
      flood()
    })
    const stream = await storage.get('a/b')
    assert(stream)
    let length = 0
    await assertUnavailable(
      (async () => {
        for await (const piece of stream) length += piece.length
      })(),
    )
    assert(length <= FILE_BYTES_MAX)
    await closed
  })

  it('a reader that stops closes the connection, before or after the first byte', async () => {
    const closed: Promise<unknown>[] = []
    const { storage } = await storageWith((response) => {
      closed.push(once(response, 'close'))
      response.writeHead(200, { 'content-length': 5 * MIB }).write(Buffer.alloc(MIB))
    })
    for (const begin of [true, false]) {
      const stream = await storage.get('a/b')
      assert(stream)
      if (begin) for await (const piece of stream) if (piece.length > 0) break
      stream.destroy()
    }
    await Promise.all(closed)
    assert(closed.length >= 2, 'more than two when a busy machine made it try again')
  })
})
