import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { type Actor, actorOf } from '../../../access/caller.ts'
import type { Deps } from '../../../deps.ts'
import { wireTime } from '../../../kernel/clock.ts'
import { sealStream } from '../../../kernel/crypto/sealed-stream.ts'
import { checkFreshTag } from '../../../kernel/http/conditional.ts'
import { newId } from '../../../kernel/id.ts'
import { pdfDefect } from '../../../kernel/pdf-inspection/pdf-defects.ts'
import { foundOrUndefined, invalid } from '../../../kernel/problem-error.ts'
import { type By, type Change, commit, newEvent } from '../../../record/index.ts'
import type { DocumentedPolicy, UploadTarget } from './documented-policy.ts'
import { etagOfFile, findDocument, type Context } from './find-document.ts'
import { openFile } from './open-file.ts'
import { type RequestedDocument, uploadIssueOf } from './requested-document.ts'
import {
  type DocumentFile,
  findFileAndSnapshot,
  queueForDeletion,
  rowOfFile,
  SAVE_FILE,
  storageKeyOf,
} from './store.ts'

type Upload = UploadTarget & {
  document: RequestedDocument
  /** The incoming file, validated as it streams; an error aborts the upload and changes nothing. */
  pdf: AsyncIterable<Uint8Array>
  ifMatch: string | undefined
}

type UploadContext = Context & Pick<Deps, 'clock' | 'storage' | 'inspector'>

/**
 * Replaces a generated document with an uploaded file, sealed while it streams into the storage (completion 6). Looks at
 * the current file before the body, so that a stale upload costs nothing, and reads it again only after a concurrent
 * upload.
 * Throws 404 for a member who is not covered, 409 for a policy that will not be issued, 412 when `ifMatch` is stale,
 * 422 for an unacceptable PDF.
 */
export async function uploadDocument(
  context: UploadContext,
  { policy, uploads, document, pdf, ifMatch }: Upload,
  actor: Actor,
): Promise<DocumentFile> {
  const { db, clock, storage } = context
  const { issue } = uploadIssueOf(document, policy)
  const checkFresh = async (file: DocumentFile | undefined) => {
    if (ifMatch !== undefined) checkFreshTag(ifMatch, await currentTag(context, { policy, document, file }))
    return file
  }
  const readAgain = async () =>
    checkFresh((await findFileAndSnapshot(db, policy, { documentType: document.type, issue })).file)
  const previous = await checkFresh(uploads.find((upload) => upload.issue === issue))

  const fileId = newId('fil')
  await queueForDeletion(db, fileId, clock.now())
  const measured = measure(pdf)
  await storage.put(storageKeyOf(fileId), sealStream(policy.key, rowOfFile(policy, fileId), measured.bytes))
  await checkStored(context, policy, { fileId })
  const stored = { fileId, documentType: document.type, issue, ...measured.result() }

  let tries = 0
  const decide = async (by: By) => saveFile(policy, { stored, previous: tries++ ? await readAgain() : previous }, by)
  return commit(context, actor, decide, { turn: policy.id })
}

/**
 * Inspects a file as it was stored: uploads in progress stay out of memory, and what is checked is what will be served.
 * A rejected file is deleted at once; if that fails, the queue deletes it later.
 */
async function checkStored(context: UploadContext, policy: DocumentedPolicy, file: { fileId: string }): Promise<void> {
  const errors = await context.inspector.inspect(async () => buffer(await openFile(context, policy, file)))
  if (errors.length === 0) return
  await context.storage.delete(storageKeyOf(file.fileId)).catch(() => {})
  throw invalid(errors.map(pdfDefect))
}

type Current = Pick<Upload, 'policy' | 'document'> & { file: DocumentFile | undefined }

/** Returns the ETag of the current upload, else of the generated document; undefined when there is neither. */
async function currentTag(context: Context, { policy, document, file }: Current): Promise<string | undefined> {
  return file ? etagOfFile(file) : (await foundOrUndefined(findDocument(context, policy, document)))?.etag
}

type SaveCommand = { stored: Omit<DocumentFile, 'createdAt'>; previous: DocumentFile | undefined }

/** Decides to save a stored file in place of the previous one. */
function saveFile(policy: DocumentedPolicy, { stored, previous }: SaveCommand, by: By): Change<DocumentFile> {
  const { fileId, documentType, issue, byteLength, sha256 } = stored
  const document = [policy.id, documentType, issue]
  const origin = [actorOf(by.caller), by.requestId, by.at]
  return {
    result: { ...stored, createdAt: wireTime(by.at) },
    write: SAVE_FILE,
    values: [policy.userId, previous?.fileId ?? null, fileId, ...document, byteLength, sha256, ...origin],
    events: [newEvent('document.uploaded', documentEvent(policy, documentType))],
  }
}

/** Returns the platform and payload of a document's events. */
export const documentEvent = (
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

/** Counts and hashes the bytes as they stream through. */
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
