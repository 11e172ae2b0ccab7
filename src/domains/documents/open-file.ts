import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import type { Deps } from '../../deps.ts'
import { unsealStream } from '../../kernel/crypto/sealed-stream.ts'
import { type DocumentFile, type PolicyKey, rowOfFile, storageKeyOf } from './store.ts'

/** The bytes of an uploaded document; each part is verified before it is let out, so a damaged file breaks off. */
export async function openFile({ storage }: Pick<Deps, 'storage'>, policy: PolicyKey, file: DocumentFile) {
  const sealed = await storage.get(storageKeyOf(file.fileId))
  assert(sealed, 'a file that has its row is in the storage')
  return Readable.from(unsealStream(policy.key, rowOfFile(policy, file.fileId), sealed), { objectMode: false })
}
