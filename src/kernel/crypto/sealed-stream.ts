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

/** The file's key and the position of a chunk in the file. */
type ChunkPosition = { key: KeyObject; index: number; last: boolean }

/**
 * Encrypts a file as a stream; `row` names the row it belongs to. The format is `version, salt, chunks`: every 64 KiB
 * are sealed separately (AES-256-GCM), with the chunk number and a last-chunk flag as nonce, under a key derived for
 * this file from the data key, the salt and the row (HKDF-SHA-256). This is the STREAM construction, as in `age`: no
 * chunk can be reordered, repeated, dropped or taken from another file. Holds one chunk in memory.
 */
export async function* sealStream(
  key: DataKey,
  row: string,
  plain: AsyncIterable<Uint8Array>,
): AsyncGenerator<Buffer, void> {
  const salt = randomBytes(SALT_BYTES)
  const fileKey = deriveFileKey(key, row, salt)
  yield Buffer.concat([Buffer.of(VERSION), salt])
  for await (const { bytes, index, last } of splitChunks(plain, { first: CHUNK_BYTES, others: CHUNK_BYTES })) {
    yield sealChunk(bytes, { key: fileKey, index, last })
  }
}

/**
 * Decrypts what `sealStream` produced for the same row; anything tampered with is an internal error, a 500. Chunks are
 * yielded once authenticated, but truncation shows only at the end: readers must not take what came before the error
 * for the whole file.
 */
export async function* unsealStream(
  key: DataKey,
  row: string,
  sealed: AsyncIterable<Uint8Array>,
): AsyncGenerator<Buffer, void> {
  const others = CHUNK_BYTES + TAG_BYTES
  let fileKey: KeyObject | undefined
  for await (const { bytes, index, last } of splitChunks(sealed, { first: HEADER_BYTES + others, others })) {
    if (fileKey) {
      yield unsealChunk(bytes, { key: fileKey, index, last })
      continue
    }
    assert(bytes.length >= HEADER_BYTES && bytes[0] === VERSION, 'a sealed file begins with its header')
    fileKey = deriveFileKey(key, row, bytes.subarray(1, HEADER_BYTES))
    yield unsealChunk(bytes.subarray(HEADER_BYTES), { key: fileKey, index, last })
  }
}

function deriveFileKey(key: DataKey, row: string, salt: Buffer): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', key, salt, `sealed-stream\0${row}`, KEY_BYTES)))
}

function sealChunk(plain: Buffer, { key, index, last }: ChunkPosition): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, createNonce(index, last))
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

function unsealChunk(sealed: Buffer, { key, index, last }: ChunkPosition): Buffer {
  assert(sealed.length >= TAG_BYTES, 'a sealed chunk has its tag')
  const decipher = createDecipheriv('aes-256-gcm', key, createNonce(index, last), { authTagLength: TAG_BYTES })
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
  return Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()])
}

/** The chunk number in eleven bytes, then 1 for the last. Unique per key, because each file has its own key. */
function createNonce(index: number, last: boolean): Buffer {
  const nonce = Buffer.alloc(NONCE_BYTES)
  nonce.writeUIntBE(index, NONCE_BYTES - 7, 6)
  nonce[NONCE_BYTES - 1] = last ? 1 : 0
  return nonce
}

type Chunk = { bytes: Buffer; index: number; last: boolean }

/** Cuts a stream into chunks of a fixed length; the last may be shorter, and is empty only when the stream is. */
async function* splitChunks(
  source: AsyncIterable<Uint8Array>,
  { first, others }: { first: number; others: number },
): AsyncGenerator<Chunk, void> {
  let chunk = Buffer.alloc(first)
  let filled = 0
  let index = 0
  for await (const bytes of source) {
    for (let from = 0; from < bytes.length; ) {
      // A full chunk waits for more bytes: only then is it known not to be the last.
      if (filled === chunk.length) {
        yield { bytes: chunk, index, last: false }
        chunk = Buffer.alloc(others)
        filled = 0
        index += 1
      }
      const part = bytes.subarray(from, from + chunk.length - filled)
      chunk.set(part, filled)
      filled += part.length
      from += part.length
    }
  }
  yield { bytes: chunk.subarray(0, filled), index, last: true }
}
