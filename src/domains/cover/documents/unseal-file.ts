import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import type { Deps } from '../../../record/index.ts'
import { unsealStream } from '../../../kernel/crypto/sealed-stream.ts'
import { fileAddress, type PolicyKey, storageKeyOf } from './store.ts'

/**
 * Returns a stream of an uploaded document. Verifies the first part before it returns, so that an unreadable file is a
 * clean error; verifies each later part before emitting it, so that a damaged file breaks off.
 */
export async function unsealFile({ storage }: Deps, policy: PolicyKey, fileId: string): Promise<Readable> {
  const sealed = await storage.get(storageKeyOf(fileId))
  assert(sealed, 'a file with a row exists in the storage')
  const parts = unsealStream(policy.key, fileAddress(policy, fileId), sealed)
  const first = await parts.next()
  const all = async function* () {
    if (!first.done) yield first.value
    yield* parts
  }
  return Readable.from(all(), { objectMode: false }).on('close', () => sealed.destroy())
}
