import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { type Actor, actorOf } from '../../access/caller.ts'
import type { Deps } from '../../deps.ts'
import { wireTime } from '../../kernel/clock.ts'
import { sealStream } from '../../kernel/crypto/sealed-stream.ts'
import { checkFreshTag } from '../../kernel/http/conditional.ts'
import { newId } from '../../kernel/id.ts'
import { pdfDefect } from '../../kernel/pdf-inspection/pdf-defects.ts'
import { foundOrUndefined, invalid } from '../../kernel/problem-error.ts'
import { type By, type Change, commit, newEvent } from '../../record/index.ts'
import type { DocumentedPolicy } from './documented-policy.ts'
import { etagOfFile, findDocument, type Context } from './find-document.ts'
import { openFile } from './open-file.ts'
import { type RequestedDocument, uploadIssueOf } from './requested-document.ts'
import { type DocumentFile, findSources, queueForDeletion, rowOfFile, SAVE_FILE, storageKeyOf } from './store.ts'

type Upload = {
  policy: DocumentedPolicy
  document: RequestedDocument
  /** The file as it comes in, checked on its way: what it throws ends the upload, and nothing is changed. */
  pdf: AsyncIterable<Uint8Array>
  ifMatch: string | undefined
}

type UploadContext = Context & Pick<Deps, 'clock' | 'storage' | 'inspector'>

/**
 * Puts a file in the place of a document that would be made, sealed while it streams into the storage (completion 6). What is
 * in the place is read before the bytes come, so that a stale upload costs nothing, and again only when another one was first.
 * Throws 404 for the card of somebody not covered, 409 for a policy that will not be issued, 412 when `ifMatch` is stale, 422
 * for what no PDF may be.
 */
export async function uploadDocument(
  context: UploadContext,
  { policy, document, pdf, ifMatch }: Upload,
  actor: Actor,
): Promise<DocumentFile> {
  const { db, clock, storage } = context
  const { issue } = uploadIssueOf(document, policy)
  const readCurrent = async () => {
    const { file } = await findSources(db, policy, { documentType: document.type, issue })
    if (ifMatch !== undefined) checkFreshTag(ifMatch, await currentTag(context, { policy, document, file }))
    return file
  }
  const before = await readCurrent()

  const fileId = newId('fil')
  await queueForDeletion(db, fileId, clock.now())
  const measured = measure(pdf)
  await storage.put(storageKeyOf(fileId), sealStream(policy.key, rowOfFile(policy, fileId), measured.bytes))
  await checkStored(context, policy, { fileId })
  const stored = { fileId, documentType: document.type, issue, ...measured.result() }

  let tries = 0
  const decide = async (by: By) => placeFile(policy, { stored, before: tries++ ? await readCurrent() : before }, by)
  return commit(context, actor, decide, { turn: policy.id })
}

/**
 * Looks at a file as it was stored, so that uploads under way are not in memory, and what is checked is what will be handed
 * out. One that is refused goes at once; if that fails, the queue knows it.
 */
async function checkStored(context: UploadContext, policy: DocumentedPolicy, file: { fileId: string }): Promise<void> {
  const errors = await context.inspector.inspect(async () => buffer(await openFile(context, policy, file)))
  if (errors.length === 0) return
  await context.storage.delete(storageKeyOf(file.fileId)).catch(() => {})
  throw invalid(errors.map(pdfDefect))
}

type Current = Pick<Upload, 'policy' | 'document'> & { file: DocumentFile | undefined }

/** Of the upload that is in this place already, else of the document as it is handed out now; undefined for neither. */
async function currentTag(context: Context, { policy, document, file }: Current): Promise<string | undefined> {
  return file ? etagOfFile(file) : (await foundOrUndefined(findDocument(context, policy, document)))?.etag
}

type UploadCommand = { stored: Omit<DocumentFile, 'createdAt'>; before: DocumentFile | undefined }

/** Decides that a stored file takes its place, and that the one before it leaves. */
function placeFile(policy: DocumentedPolicy, { stored, before }: UploadCommand, by: By): Change<DocumentFile> {
  const { fileId, documentType, issue, byteLength, sha256 } = stored
  const place = [policy.id, documentType, issue]
  const origin = [actorOf(by.caller), by.requestId, by.at]
  return {
    result: { ...stored, createdAt: wireTime(by.at) },
    write: SAVE_FILE,
    values: [policy.userId, before?.fileId ?? null, fileId, ...place, byteLength, sha256, ...origin],
    events: [newEvent('document.uploaded', aboutDocument(policy, documentType))],
  }
}

/** What an event says of a document. */
export const aboutDocument = (
  { userId, id, platformId, benefitProviderId }: DocumentedPolicy,
  documentType: string,
) => ({
  platformId,
  data: {
    user_id: userId,
    insurance_policy_id: id,
    benefit_provider_id: benefitProviderId,
    document_type: documentType,
  },
})

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
