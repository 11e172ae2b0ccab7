import { Readable } from 'node:stream'
import type { Deps } from '../../../record/index.ts'
import { unsealStream } from '../../../kernel/crypto/sealed-stream.ts'
import { ProblemError } from '../../../kernel/problem-error.ts'
import { fileAddress, type PolicyKey, toStorageKey } from './store.ts'

/** The storage was reached, but lacks a file that was stored, or has other bytes in its place. */
export class LostFileError extends Error {
  readonly defect: 'missing' | 'damaged'

  constructor(defect: LostFileError['defect'], cause?: unknown) {
    super(`a stored file is ${defect}`, { cause })
    this.defect = defect
  }
}

type FileOwner = Pick<PolicyKey, 'userId' | 'key'>

/**
 * Returns a stream of an uploaded document. Verifies the first part before it returns, so that a lost file is a clean error;
 * verifies each later part before emitting it, so that a damaged file breaks off. Throws `LostFileError`, also from the
 * stream, and 503 when the storage cannot be reached.
 */
export async function unsealFile(
  { storage }: Pick<Deps, 'storage'>,
  owner: FileOwner,
  fileId: string,
): Promise<Readable> {
  const sealed = await storage.get(toStorageKey(fileId))
  if (!sealed) throw new LostFileError('missing')
  const linked = unsealStream(owner.key, fileAddress(owner, fileId), sealed)
  // Not around `yield`, where an error is the reader's: a caller that closes its connection.
  const next = () =>
    linked.next().catch((error: unknown) => {
      throw error instanceof ProblemError ? error : new LostFileError('damaged', error)
    })
  const first = await next()
  const all = async function* () {
    for (let part = first; !part.done; part = await next()) yield part.value
  }
  return Readable.from(all(), { objectMode: false }).on('close', () => sealed.destroy())
}
