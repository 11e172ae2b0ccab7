import assert from 'node:assert/strict'
import type { FileHandle } from 'node:fs/promises'
import { type Readable, Transform } from 'node:stream'
import { unavailable } from '../problem-error.ts'

/**
 * File storage. A file is a sequence of bytes under a key; personal data is sealed before it is stored. Failures are
 * thrown as 503 `unavailable`; their cause is only logged.
 */
export type Storage = {
  /**
   * Stores a file completely or not at all, replacing the previous one under the key. When `bytes` throws, nothing
   * changes and the error is rethrown.
   */
  put(key: string, bytes: AsyncIterable<Uint8Array>): Promise<void>
  /**
   * Returns the file as a stream; undefined when it is missing. A file replaced or deleted concurrently is still read to
   * its end.
   */
  get(key: string): Promise<Readable | undefined>
  /** Deletes a file; no error when it is missing. */
  delete(key: string): Promise<void>
}

/** An upload may have 10 MiB; this leaves room for encryption. Exceeding it is an internal error. */
export const FILE_BYTES_MAX = 11 * 1024 * 1024

const KEY = /^[a-z0-9_-]+(\/[a-z0-9_-]+)*$/
/** Every part of a key fits into a file name with an extension. */
const KEY_LENGTH_MAX = 200

/**
 * Checks a key: lower-case letters, digits, `_` and `-`, in parts separated by `/`. So no key leads out of a folder.
 */
export function assertKey(key: string): void {
  assert(key.length <= KEY_LENGTH_MAX && KEY.test(key), 'a storage key is well-formed')
}

/** Runs work that can fail outside this process; the caller only learns that it failed. */
export async function orUnavailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    throw unavailable(withoutPath(cause))
  }
}

/** Removes the path from a file error, because a key can name a user: the log shows what failed and how, not where. */
function withoutPath(cause: unknown): unknown {
  if (!(cause instanceof Error) || !('path' in cause)) return cause
  const { code, syscall } = cause as NodeJS.ErrnoException
  return Object.assign(new Error(`${syscall} failed with ${code}`), { code })
}

/** Writes a stream to a file. Errors of the stream are rethrown, those of the disk become `unavailable`. */
export async function writeAll(file: FileHandle, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  let length = 0
  for await (const piece of bytes) {
    length += piece.length
    assert(length <= FILE_BYTES_MAX, 'a file is within the size limit')
    await orUnavailable(() => file.writeFile(piece))
  }
}

/** The cause when a stored file is larger than any that was stored: it was replaced. */
export class FileTooLargeError extends Error {}

/** Wraps a stream: its errors become `unavailable`, and it ends with an error when it exceeds the size limit. */
export function guarded(source: Readable): Readable {
  let length = 0
  const stream = new Transform({
    transform(piece: Buffer, _encoding, done) {
      length += piece.length
      if (length > FILE_BYTES_MAX) done(unavailable(new FileTooLargeError('a stored file exceeds the size limit')))
      else done(null, piece)
    },
  })
  source.on('error', (cause) => stream.destroy(unavailable(withoutPath(cause))))
  stream.on('close', () => source.destroy())
  return source.pipe(stream)
}
