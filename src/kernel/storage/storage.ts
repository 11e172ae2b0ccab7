import assert from 'node:assert/strict'
import type { FileHandle } from 'node:fs/promises'
import { type Readable, Transform } from 'node:stream'
import { unavailable } from '../problem-error.ts'

/**
 * Where files are kept. A file is a row of bytes under a key; what is personal in it is sealed before it comes here. What
 * fails is the refusal `unavailable`, with the reason for the log alone.
 */
export type Storage = {
  /** Stores a file whole or not at all; an earlier one under the key is replaced. When `bytes` throws, nothing changes and the error comes through. */
  put(key: string, bytes: AsyncIterable<Uint8Array>): Promise<void>
  /** The file as a stream; undefined when there is none. A file that is replaced or removed meanwhile is still read to its end. */
  get(key: string): Promise<Readable | undefined>
  /** Removes a file; no error when there is none. */
  delete(key: string): Promise<void>
}

/** An upload may have 10 MiB; this leaves room for its seals. More is an internal error, not of the caller. */
export const FILE_BYTES_MAX = 11 * 1024 * 1024

const KEY = /^[a-z0-9_-]+(\/[a-z0-9_-]+)*$/
/** Any part of a key fits into the name of a file, with an ending. */
const KEY_LENGTH_MAX = 200

/** Keys are made by us: small letters, digits, `_` and `-`, in parts with `/` between them. So no key leads out of a folder. */
export function assertKey(key: string): void {
  assert(key.length <= KEY_LENGTH_MAX && KEY.test(key), 'a storage key has a form that is agreed')
}

/** Does what can fail outside of us; the caller is told no more than that it failed. */
export async function orUnavailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    throw unavailable(withoutPath(cause))
  }
}

/** The words of a file error quote the path, and a key can name a user: the log learns what failed and how, not where. */
function withoutPath(cause: unknown): unknown {
  if (!(cause instanceof Error) || !('path' in cause)) return cause
  const { code, syscall } = cause as NodeJS.ErrnoException
  return Object.assign(new Error(`${syscall} failed with ${code}`), { code })
}

/** Writes a file as the bytes come. An error of theirs comes through as it is, one of the disk is `unavailable`. */
export async function writeAll(file: FileHandle, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  let length = 0
  for await (const piece of bytes) {
    length += piece.length
    assert(length <= FILE_BYTES_MAX, 'a file is no larger than storage takes')
    await orUnavailable(() => file.writeFile(piece))
  }
}

/** The same stream, whose failures on the way are `unavailable` too, and which ends with an error rather than be endless. */
export function guarded(source: Readable): Readable {
  let length = 0
  const stream = new Transform({
    transform(piece: Buffer, _encoding, done) {
      length += piece.length
      if (length > FILE_BYTES_MAX) done(unavailable(new Error('a stored file is larger than storage takes')))
      else done(null, piece)
    },
  })
  source.on('error', (cause) => stream.destroy(unavailable(withoutPath(cause))))
  stream.on('close', () => source.destroy())
  return source.pipe(stream)
}
