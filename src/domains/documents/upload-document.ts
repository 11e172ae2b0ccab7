import { createHash } from 'node:crypto'
import type { Actor } from '../../access/caller.ts'
import type { Deps } from '../../deps.ts'
import { sealStream } from '../../kernel/crypto/sealed-stream.ts'
import { checkFreshTag } from '../../kernel/http/conditional.ts'
import { newId } from '../../kernel/id.ts'
import { conflict, foundOrUndefined, preconditionFailed } from '../../kernel/refusal.ts'
import type { DocumentedPolicy, Issue } from './documented-policy.ts'
import { checkCovers, etagOfFile, findDocument, type Kit } from './find-document.ts'
import type { DocumentType } from './schemas.ts'
import {
  deleteFileLater,
  type DocumentFile,
  findSources,
  insertFile,
  type Place,
  replaceFile,
  rowOfFile,
  storageKeyOf,
} from './store.ts'

type Upload = {
  policy: DocumentedPolicy
  type: DocumentType
  /** The file as it comes in, checked on its way: what it throws ends the upload, and nothing is changed. */
  pdf: AsyncIterable<Uint8Array>
  ifMatch: string | undefined
  by: Actor
}

/**
 * Puts a file in the place of a document that would be made, sealed while it streams into the storage (completion 6).
 * 404 for the card of somebody not covered, 409 for a policy that will not be issued, 412 when `ifMatch` is stale.
 */
export async function uploadDocument(
  kit: Kit & Pick<Deps, 'storage'>,
  { policy, type, pdf, ifMatch, by }: Upload,
): Promise<DocumentFile> {
  const { db, storage } = kit
  const place = placeOf(policy, type)
  const { file: seen } = await findSources(db, policy, place)
  if (ifMatch !== undefined) checkFreshTag(ifMatch, await currentTag(kit, { policy, type, seen }))

  const fileId = newId('fil')
  await deleteFileLater(db, fileId)
  const measured = measure(pdf)
  await storage.put(storageKeyOf(fileId), sealStream(policy.key, rowOfFile(policy, fileId), measured.bytes))
  return db.transaction(async (tx) => {
    const replaced = await replaceFile(tx, place)
    if (ifMatch !== undefined && replaced !== seen?.fileId) throw preconditionFailed()
    return insertFile(tx, { ...place, fileId, ...measured.result(), by })
  })
}

/** The issue that the policy awaits, else the last one; of the enrolment form there is one alone. */
function placeOf(policy: DocumentedPolicy, type: DocumentType): Place {
  const at = { userId: policy.userId, policyId: policy.id, documentType: type }
  if (type === 'enrollment_form') return { ...at, issue: 0 }
  const target: Issue | null = policy.awaited ?? policy.issued
  if (!target) throw conflict('The policy will not be issued.')
  checkCovers(target, type)
  return { ...at, issue: target.issue }
}

type Current = Pick<Upload, 'policy' | 'type'> & { seen: DocumentFile | undefined }

/** Of the upload that is in this place already, else of the document as it is handed out now; undefined for neither. */
async function currentTag(kit: Kit, { policy, type, seen }: Current): Promise<string | undefined> {
  return seen ? etagOfFile(seen) : (await foundOrUndefined(findDocument(kit, policy, type)))?.etag
}

/** The same bytes, counted and hashed as they pass. */
function measure(pdf: AsyncIterable<Uint8Array>) {
  const hash = createHash('sha256')
  let byteLength = 0
  async function* pass() {
    for await (const bytes of pdf) {
      hash.update(bytes)
      byteLength += bytes.length
      yield bytes
    }
  }
  return { bytes: pass(), result: () => ({ byteLength, sha256: hash.digest('hex') }) }
}
