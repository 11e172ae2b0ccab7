import assert from 'node:assert/strict'
import { createSecretKey, randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { sealStream, unsealStream } from '../../../src/kernel/crypto/sealed-stream.ts'

const KEY = createSecretKey(randomBytes(32))
const ROW = 'documents:pol_1:policy_certificate'
const CHUNK = 64 * 1024
const TAG = 16
const HEADER = 33
const SEALED_CHUNK = CHUNK + TAG

type SealOptions = { key?: typeof KEY; row?: string }

/** Yields the bytes in pieces of this size. */
async function* inPieces(bytes: Uint8Array, size = bytes.length): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const sealed = (plain: Uint8Array, { key = KEY, row = ROW }: SealOptions = {}) =>
  buffer(sealStream(key, row, inPieces(plain)))
const opened = (bytes: Uint8Array, { key = KEY, row = ROW }: SealOptions = {}) =>
  buffer(unsealStream(key, row, inPieces(bytes)))

/** Returns the bytes produced before the error, which must occur. */
async function openedUntilError(bytes: Uint8Array, as: SealOptions = {}): Promise<Buffer> {
  const given: Buffer[] = []
  await assert.rejects(async () => {
    for await (const piece of unsealStream(as.key ?? KEY, as.row ?? ROW, inPieces(bytes))) given.push(piece)
  })
  return Buffer.concat(given)
}

const THREE_CHUNKS = randomBytes(2 * CHUNK + 1000)

describe('a sealed file', () => {
  for (const length of [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, THREE_CHUNKS.length]) {
    it(`of ${length} bytes opens to the same bytes, and is longer by its header and a tag per chunk`, async () => {
      const plain = THREE_CHUNKS.subarray(0, length)
      const bytes = await sealed(plain)
      assert.equal(bytes.length, HEADER + length + TAG * Math.max(1, Math.ceil(length / CHUNK)))
      assert(plain.equals(await opened(bytes)))
    })
  }

  it('opens to the same bytes however both sides are split', async () => {
    const size = fc.integer({ min: 1, max: 3 * CHUNK })
    await fc.assert(
      fc.asyncProperty(fc.nat(THREE_CHUNKS.length), size, size, async (length, given, taken) => {
        const plain = THREE_CHUNKS.subarray(0, length)
        const bytes = await buffer(sealStream(KEY, ROW, inPieces(plain, given)))
        assert(plain.equals(await buffer(unsealStream(KEY, ROW, inPieces(bytes, taken)))))
      }),
      { numRuns: 30 },
    )
  })

  it('opens from single bytes and empty pieces', async () => {
    async function* scattered(bytes: Uint8Array) {
      for (const byte of bytes) {
        yield new Uint8Array()
        yield Uint8Array.of(byte)
      }
    }
    const plain = Buffer.from('Asha Example')
    const bytes = await buffer(sealStream(KEY, ROW, scattered(plain)))
    assert(plain.equals(await buffer(unsealStream(KEY, ROW, scattered(bytes)))))
  })

  it('contains none of the plain bytes, and differs each time', async () => {
    const plain = Buffer.from('Asha Example '.repeat(10_000))
    const [one, other] = [await sealed(plain), await sealed(plain)]
    for (const bytes of [one, other]) assert.equal(bytes.indexOf('Asha'), -1)
    assert(!one.subarray(1, HEADER).equals(other.subarray(1, HEADER)), 'the salts differ')
    for (let at = HEADER; at < one.length; at += 1000)
      assert(!one.subarray(at, at + 32).equals(other.subarray(at, at + 32)))
  })

  it('is produced chunk by chunk, before the next is requested', async () => {
    let asked = 0
    async function* counted() {
      for await (const piece of inPieces(await sealed(THREE_CHUNKS), SEALED_CHUNK)) {
        asked += 1
        yield piece
      }
    }
    const stream = unsealStream(KEY, ROW, counted())
    const { value } = await stream.next()
    assert(THREE_CHUNKS.subarray(0, CHUNK).equals(value as Buffer))
    assert.equal(asked, 2, 'the first, and the beginning of the next')
  })

  it('ends its source when the reader has enough, and passes on an error of the source', async () => {
    let ended = 0
    async function* failing() {
      try {
        yield randomBytes(2 * CHUNK)
        throw new Error('the sender went away')
      } finally {
        ended += 1
      }
    }
    for await (const header of sealStream(KEY, ROW, failing())) {
      assert.equal(header.length, HEADER)
      break
    }
    assert.equal(ended, 0, 'not even begun')
    for await (const bytes of sealStream(KEY, ROW, failing())) if (bytes.length > HEADER) break
    assert.equal(ended, 1)
    await assert.rejects(buffer(sealStream(KEY, ROW, failing())), /the sender went away/)
    await assert.rejects(buffer(unsealStream(KEY, ROW, failing())))
    assert.equal(ended, 3)
  })
})

describe('a sealed file that was changed does not open', () => {
  it('wherever a bit is flipped, and yields no byte of the chunk', async () => {
    const bytes = await sealed(THREE_CHUNKS)
    const chunkStarts = [0, 1, 2].map((index) => HEADER + index * SEALED_CHUNK)
    const positions = [
      ...Array.from({ length: HEADER }, (_, at) => at),
      ...chunkStarts.flatMap((start) => [start, start + 1]),
      ...chunkStarts.slice(1).flatMap((start) => Array.from({ length: TAG }, (_, back) => start - 1 - back)),
      ...Array.from({ length: TAG + 1 }, (_, back) => bytes.length - 1 - back),
    ]
    for (const [index, at] of positions.entries()) {
      const changed = Buffer.from(bytes)
      changed.writeUInt8(changed.readUInt8(at) ^ (1 << (index % 8)), at)
      const given = await openedUntilError(changed)
      const whole = Math.max(0, Math.floor((at - HEADER) / SEALED_CHUNK))
      assert(given.equals(THREE_CHUNKS.subarray(0, whole * CHUNK)), `bit ${index % 8} of byte ${at}`)
    }
  })

  it('truncated anywhere: in the header, in a chunk, between chunks, within the last tag', async () => {
    const bytes = await sealed(THREE_CHUNKS)
    const ends = [0, 1, 2].map((index) => HEADER + index * SEALED_CHUNK)
    const lengths = [0, 1, HEADER - 1, ...ends, ...ends.map((end) => end + 1), ...ends.map((end) => end + TAG)]
    for (const length of [...lengths, bytes.length - TAG, bytes.length - 1]) {
      const given = await openedUntilError(bytes.subarray(0, length))
      assert(given.length <= 2 * CHUNK && given.equals(THREE_CHUNKS.subarray(0, given.length)), `${length} bytes`)
    }
  })

  it('with something appended: a byte, one of its own chunks, another file, itself', async () => {
    for (const plain of [THREE_CHUNKS, THREE_CHUNKS.subarray(0, CHUNK), Buffer.alloc(0)]) {
      const bytes = await sealed(plain)
      const more = [Buffer.alloc(1), Buffer.alloc(TAG), bytes.subarray(HEADER), await sealed(plain), bytes]
      for (const addition of more) await openedUntilError(Buffer.concat([bytes, addition]))
    }
  })

  it('with its chunks reordered, repeated, or left out', async () => {
    const bytes = await sealed(Buffer.alloc(3 * CHUNK))
    const header = bytes.subarray(0, HEADER)
    const chunks = [0, 1, 2].map((index) =>
      bytes.subarray(HEADER + index * SEALED_CHUNK, HEADER + (index + 1) * SEALED_CHUNK),
    ) as [Buffer, Buffer, Buffer]
    const [first, second, last] = chunks
    assert.equal((await opened(Buffer.concat([header, ...chunks]))).length, 3 * CHUNK)
    for (const order of [
      [second, first, last],
      [first, last, second],
      [first, first, second, last],
      [first, second, last, last],
      [second, last],
      [first, last],
      [last],
      [first, second],
      [],
    ]) {
      await openedUntilError(Buffer.concat([header, ...order]))
    }
  })

  it('with a chunk or the header of another file of the same row', async () => {
    const [one, other] = [await sealed(THREE_CHUNKS), await sealed(THREE_CHUNKS)]
    const middle = [HEADER + SEALED_CHUNK, HEADER + 2 * SEALED_CHUNK] as const
    const swapped = Buffer.from(one)
    other.copy(swapped, middle[0], ...middle)
    assert.equal((await openedUntilError(swapped)).length, CHUNK)
    await openedUntilError(Buffer.concat([other.subarray(0, HEADER), one.subarray(HEADER)]))
  })

  it('for another row or under another key', async () => {
    const bytes = await sealed(THREE_CHUNKS)
    const otherKey = createSecretKey(randomBytes(32))
    for (const as of [{ row: `${ROW}2` }, { row: '' }, { key: otherKey }]) {
      assert.equal((await openedUntilError(bytes, as)).length, 0)
    }
  })

  it('when it is not one: empty, plain text, of a future version', async () => {
    const ofAnotherVersion = Buffer.from(await sealed(THREE_CHUNKS))
    ofAnotherVersion[0] = 2
    for (const bytes of [Buffer.alloc(0), Buffer.from('%PDF-1.7 plain'), Buffer.alloc(200), ofAnotherVersion]) {
      await openedUntilError(bytes)
    }
  })
})
