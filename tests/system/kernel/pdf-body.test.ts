import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readPdf } from '../../../src/kernel/http/pdf-body.ts'
import { ProblemError } from '../../../src/kernel/problem-error.ts'
import { pdfOf } from '../../support/pdf-app.ts'

const MIB = 1024 * 1024
const PDF = pdfOf(2_000)

/** Yields the bytes in pieces of this size; counts the reads. */
function inPieces(bytes: Uint8Array, size: number) {
  const source = { asked: 0, isLeft: false, pieces }
  async function* pieces(): AsyncGenerator<Uint8Array> {
    try {
      for (let at = 0; at < bytes.length; at += size) {
        source.asked++
        yield bytes.subarray(at, at + size)
      }
    } finally {
      source.isLeft = true
    }
  }
  return source
}

async function read(bytes: Uint8Array, { size = 700, bytesMax = 10 * MIB } = {}): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of readPdf(inPieces(bytes, size).pieces(), bytesMax)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const problemOf = (bytes: Uint8Array, how?: { size?: number; bytesMax?: number }) =>
  read(bytes, how).then(
    () => 'none',
    (error: unknown) => {
      assert(error instanceof ProblemError)
      return [
        error.status,
        error.code,
        ...(error.errors ?? []).map((error) => `"${error.pointer}" ${error.code}`),
      ].join(' ')
    },
  )

const NOT_PDF = '422 validation_failed "" not_a_pdf'
const TOO_LARGE = '413 payload_too_large'

describe('reading a PDF', () => {
  it('passes every byte on, however they arrive', async () => {
    for (const size of [1, 2, 6, 7, 8, 1_023, 1_024, 1_025, 1_999, 2_000, 5_000]) {
      assert((await read(PDF, { size })).equals(PDF), `in pieces of ${size}`)
    }
    const view = new Uint8Array(new ArrayBuffer(3_000), 500, 2_000)
    view.set(PDF)
    assert((await read(view)).equals(PDF), 'a view into something larger')
  })

  it('passes them on as they arrive, and reads no more before they are consumed', async () => {
    const source = inPieces(PDF, 500)
    const reading = readPdf(source.pieces())
    for (let piece = 1; piece <= 4; piece++) {
      const { value } = await reading.next()
      assert(value?.equals(PDF.subarray((piece - 1) * 500, piece * 500)))
      assert.equal(source.asked, piece)
    }
    assert.equal((await reading.next()).done, true)
  })

  it('releases the body when its own reader stops', async () => {
    const source = inPieces(PDF, 500)
    for await (const chunk of readPdf(source.pieces())) {
      assert.equal(chunk.length, 500)
      break
    }
    assert.deepEqual([source.asked, source.isLeft], [1, true])
  })

  it('413 for one byte more than 10 MiB, which is not passed on, and nothing more is read', async () => {
    assert.equal((await read(pdfOf(10 * MIB), { size: 65_536 })).length, 10 * MIB)

    const source = inPieces(pdfOf(12 * MIB), MIB)
    let passed = 0
    await assert.rejects(
      async () => {
        for await (const chunk of readPdf(source.pieces())) passed += chunk.length
      },
      { code: 'payload_too_large', detail: 'The document is larger than 10 MiB.' },
    )
    assert.deepEqual([source.asked, passed, source.isLeft], [11, 10 * MIB, true])

    assert.equal(await problemOf(pdfOf(10 * MIB + 1), { size: MIB }), TOO_LARGE)
    assert.equal(await problemOf(PDF, { bytesMax: 1_999 }), TOO_LARGE)
    assert.equal(await problemOf(PDF, { bytesMax: 2_000 }), 'none')
  })

  it('422 for wrong first bytes, before anything is passed on or the rest is read', async () => {
    const source = inPieces(Buffer.from('<html>'.repeat(100)), 10)
    const reading = readPdf(source.pieces())
    await assert.rejects(reading.next(), { code: 'validation_failed' })
    assert.deepEqual([source.asked, source.isLeft], [1, true])
  })

  it('throws at the end for a missing end marker, which is only known then', async () => {
    const reading = readPdf(inPieces(PDF.subarray(0, -3), 1_500).pieces())
    assert.equal((await reading.next()).done, false)
    assert.equal((await reading.next()).done, false)
    await assert.rejects(reading.next(), { code: 'validation_failed' })
  })
})

const text = (head: string, tail: string, bytes = 2_000) => Buffer.from(head.padEnd(bytes - tail.length) + tail)
const HEAD = '%PDF-1.4\n'
const TAIL = 'startxref\n42\n%%EOF\n'

describe('accepted as a PDF', () => {
  const WHOLE: Record<string, Buffer> = {
    'version 1.0': text('%PDF-1.0\r', TAIL),
    'version 2.0': text('%PDF-2.0\n', TAIL),
    'no line break at the end': text(HEAD, 'startxref\n42\n%%EOF'),
    'line breaks of Windows': text(HEAD, 'startxref\r\n42\r\n%%EOF\r\n'),
    'blanks after the number': text(HEAD, 'startxref \n42 \n%%EOF \n'),
    'white space of every kind at the end': text(HEAD, `${TAIL}\0\t\n\f\r ${' '.repeat(900)}`),
    'an end of 1,024 bytes': text(HEAD, TAIL.padEnd(1_024)),
    'two ends, the last of which counts': text(HEAD, `startxref\n999999\n%%EOF\nmore\n${TAIL}`),
    'a number one less than the length': text(HEAD, 'startxref\n1999\n%%EOF'),
    'leading zeros': text(HEAD, 'startxref\n0000000042\n%%EOF'),
    'bytes that are no text': Buffer.concat([Buffer.from(HEAD), Buffer.alloc(2_000, 0xff), Buffer.from(TAIL)]),
    'as short as can be': Buffer.from('%PDF-1.startxref 0 %%EOF'),
  }
  for (const [what, bytes] of Object.entries(WHOLE)) {
    it(what, async () => {
      for (const size of [1, 100, 10_000]) assert.equal(await problemOf(bytes, { size }), 'none')
    })
  }
})

describe('422 not_a_pdf', () => {
  const BAD: Record<string, Buffer> = {
    nothing: Buffer.alloc(0),
    'six bytes': Buffer.from('%PDF-1'),
    'the first seven bytes alone': Buffer.from('%PDF-1.'),
    'the beginning alone': text(HEAD, ''),
    'the end alone': text('', TAIL),
    'a blank in front': text(` ${HEAD}`, TAIL),
    'a byte order mark in front': text(`\ufeff${HEAD}`, TAIL),
    'small letters': text('%pdf-1.4\n', TAIL),
    'version 3': text('%PDF-3.0\n', TAIL),
    'version 10': text('%PDF-10.0\n', TAIL),
    'another program’s files': text('%!PS-Adobe-3.0\n', TAIL),
    'a picture': Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), text(HEAD, TAIL)]),
    'cut off in the end': text(HEAD, 'startxref\n42\n%%EO'),
    'cut off before the end': text(HEAD, 'startxref\n42\n'),
    'no startxref': text(HEAD, '42\n%%EOF\n'),
    'no number': text(HEAD, 'startxref\n%%EOF\n'),
    'a negative number': text(HEAD, 'startxref\n-42\n%%EOF\n'),
    'a number in hexadecimal': text(HEAD, 'startxref\n2a\n%%EOF\n'),
    'a number as large as the length': text(HEAD, 'startxref\n2000\n%%EOF'),
    'a number beyond all lengths': text(HEAD, `startxref\n${'9'.repeat(40)}\n%%EOF`),
    'two numbers': text(HEAD, 'startxref\n4 2\n%%EOF'),
    'the parts without white space': text(HEAD, 'startxref42%%EOF'),
    'a byte after the end': text(HEAD, `${TAIL}x`),
    'a page appended': text(HEAD, `${TAIL}<script>1</script>`),
    'a no-break space after the end': text(HEAD, `${TAIL}\u00a0`),
    'too much white space after the end': text(HEAD, TAIL.padEnd(1_025)),
  }
  for (const [what, bytes] of Object.entries(BAD)) {
    it(`422 not_a_pdf: ${what}`, async () => {
      for (const size of [1, 100, 10_000]) assert.equal(await problemOf(bytes, { size }), NOT_PDF)
    })
  }
})
