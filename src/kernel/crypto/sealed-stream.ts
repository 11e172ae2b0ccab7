import assert from 'node:assert/strict'
import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto'
import type { DataKey } from './vault.ts'

const VERSION = 1
const SALT_BYTES = 32
const HEADER_BYTES = 1 + SALT_BYTES
const CHUNK_BYTES = 64 * 1024
const TAG_BYTES = 16
const KEY_BYTES = 32
const NONCE_BYTES = 12

/** What a cipher call is about: the file's key, and the place of the chunk in the file. */
type ChunkPosition = { key: KeyObject; index: number; last: boolean }

/**
 * Seals a file while it passes by; `row` names what it belongs to. The form is `version, salt, chunks`: every 64 KiB are
 * sealed by themselves (AES-256-GCM), with their number and whether they are the last as the nonce, under a key made for
 * this file alone from the data key, the salt and the row (HKDF-SHA-256). This is the STREAM construction, as in `age`:
 * no chunk can be moved, repeated, left out or brought over from another file. Holds one chunk at a time.
 */
export async function* sealStream(
  key: DataKey,
  row: string,
  plain: AsyncIterable<Uint8Array>,
): AsyncGenerator<Buffer, void> {
  const salt = randomBytes(SALT_BYTES)
  const fileKey = fileKeyOf(key, row, salt)
  yield Buffer.concat([Buffer.of(VERSION), salt])
  for await (const { bytes, index, last } of piecesOf(plain, { first: CHUNK_BYTES, others: CHUNK_BYTES })) {
    yield sealChunk(bytes, { key: fileKey, index, last })
  }
}

/**
 * Opens what `sealStream` made for the same row; whatever was changed since is an internal error, a 500. Bytes are given out
 * only once they are proven, but a file that was cut off shows it at its end: whoever reads must not take what came before
 * the error for the whole.
 */
export async function* unsealStream(
  key: DataKey,
  row: string,
  sealed: AsyncIterable<Uint8Array>,
): AsyncGenerator<Buffer, void> {
  const others = CHUNK_BYTES + TAG_BYTES
  let fileKey: KeyObject | undefined
  for await (const { bytes, index, last } of piecesOf(sealed, { first: HEADER_BYTES + others, others })) {
    if (fileKey) {
      yield openChunk(bytes, { key: fileKey, index, last })
      continue
    }
    assert(bytes.length >= HEADER_BYTES && bytes[0] === VERSION, 'a sealed file begins with its header')
    fileKey = fileKeyOf(key, row, bytes.subarray(1, HEADER_BYTES))
    yield openChunk(bytes.subarray(HEADER_BYTES), { key: fileKey, index, last })
  }
}

function fileKeyOf(key: DataKey, row: string, salt: Buffer): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', key, salt, `sealed-stream\0${row}`, KEY_BYTES)))
}

function sealChunk(plain: Buffer, { key, index, last }: ChunkPosition): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, nonceOf(index, last))
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

function openChunk(sealed: Buffer, { key, index, last }: ChunkPosition): Buffer {
  assert(sealed.length >= TAG_BYTES, 'a sealed chunk has its tag')
  const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(index, last), { authTagLength: TAG_BYTES })
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
  return Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()])
}

/** The chunk's number in eleven bytes, then 1 for the last. Never twice under one key, which is made for one file. */
function nonceOf(index: number, last: boolean): Buffer {
  const nonce = Buffer.alloc(NONCE_BYTES)
  nonce.writeUIntBE(index, NONCE_BYTES - 7, 6)
  nonce[NONCE_BYTES - 1] = last ? 1 : 0
  return nonce
}

type Chunk = { bytes: Buffer; index: number; last: boolean }

/** Cuts a stream into pieces of a length; the last may be shorter, and is empty only when the stream is. */
async function* piecesOf(
  source: AsyncIterable<Uint8Array>,
  { first, others }: { first: number; others: number },
): AsyncGenerator<Chunk, void> {
  let piece = Buffer.alloc(first)
  let filled = 0
  let index = 0
  for await (const bytes of source) {
    for (let from = 0; from < bytes.length; ) {
      // A full piece waits until more comes: only then is it known not to be the last.
      if (filled === piece.length) {
        yield { bytes: piece, index, last: false }
        piece = Buffer.alloc(others)
        filled = 0
        index += 1
      }
      const taken = bytes.subarray(from, from + piece.length - filled)
      piece.set(taken, filled)
      filled += taken.length
      from += taken.length
    }
  }
  yield { bytes: piece.subarray(0, filled), index, last: true }
}
