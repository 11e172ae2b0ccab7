import assert from 'node:assert/strict'
import { constants, inflateRawSync } from 'node:zlib'
import { PdfArray, PdfDict, PdfName, PdfNumber, type PdfObject, PdfStream } from '@libpdf/core'

export type Resolve = (object: PdfObject | undefined) => PdfObject | undefined

/** What comes before the deflated bytes. The sum behind them is not looked at, as viewers do not. */
const ZLIB_HEAD_BYTES = 2

/** Filters after which there are more bytes, or other ones; all others are of pictures, and those stay packed. */
const PACKINGS = ['FlateDecode', 'LZWDecode', 'RunLengthDecode', 'ASCIIHexDecode', 'ASCII85Decode']

/**
 * Returns how many bytes a stream has when it is unpacked; more than `max` when it has more, however many. Throws when it
 * cannot be unpacked.
 */
export function unpackedLength(stream: PdfStream, { resolve, max }: { resolve: Resolve; max: number }): number {
  const filters = listOf(resolve(stream.get('Filter'))).map((filter) => nameOf(resolve(filter)) ?? '')
  let data = stream.data
  for (const [index, filter] of filters.entries()) {
    if (!PACKINGS.includes(filter)) break
    if (filter === 'LZWDecode') {
      assert(!PACKINGS.includes(filters[index + 1] ?? ''), 'nobody packs by LZW what is packed already')
      return lzwLength(data, earlyChangeOf(resolve(listOf(resolve(stream.get('DecodeParms')))[index])))
    }
    const unpacked = filter === 'FlateDecode' ? inflate(data, max) : decode(data, filter)
    if (!unpacked) return max + 1
    data = unpacked
  }
  return data.length
}

const decode = (data: Uint8Array, filter: string) =>
  new PdfStream([['Filter', PdfName.of(filter)]], data).getDecodedData()

const listOf = (object: PdfObject | undefined): PdfObject[] =>
  object instanceof PdfArray ? [...object] : object === undefined ? [] : [object]

export const nameOf = (object: PdfObject | undefined): string | undefined =>
  object instanceof PdfName ? object.value : undefined

/** Undefined when there are more bytes than that. */
function inflate(data: Uint8Array, max: number): Uint8Array | undefined {
  try {
    const options = { maxOutputLength: max + 1, finishFlush: constants.Z_SYNC_FLUSH } // also what was cut off
    return inflateRawSync(data.subarray(ZLIB_HEAD_BYTES), options)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return undefined
    throw error
  }
}

const CLEAR = 256
const END = 257
const CODES_MAX = 4096

/** How much earlier than it must the code grows longer: by one, unless the stream says otherwise. */
function earlyChangeOf(parameters: PdfObject | undefined): number {
  const early = parameters instanceof PdfDict ? parameters.get('EarlyChange') : undefined
  return early instanceof PdfNumber ? early.value : 1
}

/** The length of what LZW has packed, counted and not unpacked: a byte can stand for a thousand. */
function lzwLength(data: Uint8Array, early: number): number {
  const lengths = new Uint16Array(CODES_MAX).fill(1)
  let total = 0
  let [next, width, previous] = [END + 1, 9, -1]
  let [bits, held] = [0, 0]
  for (const byte of data) {
    bits = (bits << 8) | byte
    held += 8
    if (held < width) continue
    held -= width
    const code = bits >> held
    bits &= (1 << held) - 1
    if (code === END) break
    if (code === CLEAR) {
      ;[next, width, previous] = [END + 1, 9, -1]
      continue
    }
    const grown = previous === -1 ? 1 : (lengths[previous] ?? 0) + 1
    total += code < next ? (lengths[code] ?? 0) : grown
    if (previous !== -1 && next < CODES_MAX) lengths[next++] = grown
    while (width < 12 && next + early >= 1 << width) width++
    previous = code
  }
  return total
}
