import assert from 'node:assert/strict'
import { constants, inflateRawSync } from 'node:zlib'
import { PdfArray, PdfDict, PdfName, PdfNumber, type PdfObject, PdfStream } from '@libpdf/core'

export type Resolve = (object: PdfObject | undefined) => PdfObject | undefined

/** The header before the deflated bytes. The checksum after them is not checked, as in viewers. */
const ZLIB_HEAD_BYTES = 2

/** Filters that change the length; all others are for images, which stay packed. */
const PACKINGS = ['FlateDecode', 'LZWDecode', 'RunLengthDecode', 'ASCIIHexDecode', 'ASCII85Decode']

/**
 * Returns the unpacked length of a stream; anything more than `max` when it is longer. Throws when it cannot be
 * unpacked.
 */
export function unpackedLength(stream: PdfStream, { resolve, max }: { resolve: Resolve; max: number }): number {
  const filters = toList(resolve(stream.get('Filter'))).map((filter) => toName(resolve(filter)) ?? '')
  let data = stream.data
  for (const [index, filter] of filters.entries()) {
    if (!PACKINGS.includes(filter)) break
    if (filter === 'LZWDecode') {
      assert(!PACKINGS.includes(filters[index + 1] ?? ''), 'LZW is not applied to packed data')
      return lzwLength(data, readEarlyChange(resolve(toList(resolve(stream.get('DecodeParms')))[index])))
    }
    const unpacked = filter === 'FlateDecode' ? inflate(data, max) : decode(data, filter)
    if (!unpacked) return max + 1
    data = unpacked
  }
  return data.length
}

const decode = (data: Uint8Array, filter: string) =>
  new PdfStream([['Filter', PdfName.of(filter)]], data).getDecodedData()

export const toList = (object: PdfObject | undefined): PdfObject[] =>
  object instanceof PdfArray ? [...object] : object === undefined ? [] : [object]

export const toName = (object: PdfObject | undefined): string | undefined =>
  object instanceof PdfName ? object.value : undefined

/** Returns undefined when the result is longer than `max`. */
function inflate(data: Uint8Array, max: number): Uint8Array | undefined {
  try {
    const options = { maxOutputLength: max + 1, finishFlush: constants.Z_SYNC_FLUSH } // accepts truncated data
    return inflateRawSync(data.subarray(ZLIB_HEAD_BYTES), options)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return undefined
    throw error
  }
}

const CLEAR = 256
const END = 257
const CODES_MAX = 4096

/** Returns how many codes early the code width grows: one, unless the stream says otherwise. */
function readEarlyChange(parameters: PdfObject | undefined): number {
  const early = parameters instanceof PdfDict ? parameters.get('EarlyChange') : undefined
  return early instanceof PdfNumber ? early.value : 1
}

/** Returns the length of LZW data, counted without unpacking: a byte can stand for a thousand. */
function lzwLength(data: Uint8Array, early: number): number {
  const lengths = new Uint16Array(CODES_MAX).fill(1)
  let total = 0
  let [next, width, previous] = [END + 1, 9, -1]
  let [bits, bitCount] = [0, 0]
  for (const byte of data) {
    bits = (bits << 8) | byte
    bitCount += 8
    if (bitCount < width) continue
    bitCount -= width
    const code = bits >> bitCount
    bits &= (1 << bitCount) - 1
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
