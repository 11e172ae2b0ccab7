import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import type { Static, TUnknown } from 'typebox'
import { actorFrom, actorOf } from '../../../access/caller.ts'
import { wireTime } from '../../../kernel/clock.ts'
import { sealStream } from '../../../kernel/crypto/sealed-stream.ts'
import { checkFreshTag } from '../../../kernel/http/conditional.ts'
import { pdfBody, PdfBody, readPdf } from '../../../kernel/http/pdf-body.ts'
import { newId } from '../../../kernel/id.ts'
import { pdfDefect } from '../../../kernel/pdf-inspection/pdf-defects.ts'
import { foundOrUndefined, invalid, unavailable } from '../../../kernel/problem-error.ts'
import { type ApiDeps, applyWithRetry, type Author, type Call, type Change, newEvent } from '../../../record/index.ts'
import { type Policy, type PolicyPath } from '../policies/records.ts'
import { policyWithUploadsInPath, shownPolicyInPath } from '../policies/store.ts'
import { etagOfFile, findDocument } from './find-document.ts'
import {
  CardPath,
  documentEvent,
  DocumentPath,
  documentOperation,
  DOCUMENTS_PATH,
  IssueQuery,
  PolicyDocumentRecord,
  presentFile,
  tags,
} from './records.ts'
import { toHealthCard, type RequestedDocument, requestedDocument, findUploadIssue } from './requested-document.ts'
import {
  type DocumentFile,
  fileAddress,
  findFileAndSnapshot,
  queueForDeletion,
  SAVE_FILE,
  toStorageKey,
} from './store.ts'
import { LostFileError, unsealFile } from './unseal-file.ts'

const DESCRIPTION = `Replaces the generated document of the pending issue, else of the last one; later issues have their
own documents. The file must be an intact PDF of at most 10 MiB, sent within 15 seconds. Returns 422 when it is
encrypted, contains scripts or embedded files, exceeds 100 MiB when unpacked, or does anything but lead to one of its pages
or, by a link, to an address that begins with \`http://\`, \`https://\`, \`mailto:\` or \`tel:\`.`

/** What uploads of a document and of a health card have in common. */
const UPLOAD = {
  tags,
  description: DESCRIPTION,
  body: PdfBody,
  response: { 200: PolicyDocumentRecord },
  problems: ['conflict', 'precondition_failed'] as const,
  versioned: true,
  readsBody: () => pdfBody,
  querystring: IssueQuery,
  checkTargetFirst: shownPolicyInPath,
}

export const uploadDocument = documentOperation(`PUT ${DOCUMENTS_PATH}/:document_type`, {
  access: 'uploadDocument',
  ...UPLOAD,
  summary: 'Upload a document of an insurance policy',
  params: DocumentPath,
  // Not `decide`: the file is stored before the write.
  read: (call) => receiveDocument(call, requestedDocument(call.params.document_type, call.query)),
})

export const uploadHealthCard = documentOperation(`PUT ${DOCUMENTS_PATH}/health_card/:member_id`, {
  access: 'uploadHealthCard',
  ...UPLOAD,
  summary: 'Upload the health card of a member',
  params: CardPath,
  // Not `decide`: the file is stored before the write.
  read: (call) => receiveDocument(call, toHealthCard(call.params.member_id, call.query)),
})

/**
 * Replaces a generated document with the file in the body, validated and sealed while it streams into the storage: an
 * error aborts the upload and changes nothing. Looks at the current file before the body, so that a stale upload costs
 * nothing, and reads it again only after a concurrent upload. Without an idempotency key: uploading the same file twice has
 * the same effect, and a key would have to cover its bytes. Throws 404 for a member who is not covered, 409 for a policy that
 * will not be issued, 412 when `If-Match` is stale, 422 for an unacceptable PDF.
 */
async function receiveDocument(
  call: Call<ApiDeps, typeof PolicyPath, TUnknown, typeof PdfBody>,
  document: RequestedDocument,
): Promise<Static<typeof PolicyDocumentRecord>> {
  const { deps, request, reply, body } = call
  const { db, clock, storage } = deps
  const ifMatch = request.headers['if-match']
  const { policy, uploads } = await policyWithUploadsInPath(call, document.type)
  const issue = findUploadIssue(document, policy)
  // An issue that is pending has no document yet: the one of today is compared.
  const current = issue > policy.issue ? document : { ...document, issue }
  if (issue < policy.issue) await findDocument(deps, policy, current) // 404 for a member that it does not cover
  /** The ETag of the current upload, else of the generated document; undefined when there is neither. */
  const currentTag = async (file: DocumentFile | undefined) =>
    file ? etagOfFile(file) : (await foundOrUndefined(findDocument(deps, policy, current)))?.etag
  const checkFresh = async (file: DocumentFile | undefined) => {
    if (ifMatch !== undefined) checkFreshTag(ifMatch, await currentTag(file))
    return file
  }
  const readAgain = async () =>
    checkFresh((await findFileAndSnapshot(db, policy, { documentType: document.type, issue })).file)
  const previous = await checkFresh(uploads.find((upload) => upload.issue === issue))

  const fileId = newId('fil')
  await queueForDeletion(db, fileId, clock.now())
  const measured = measure(whileNotRevoked(request, readPdf(body)))
  await storage.put(toStorageKey(fileId), sealStream(policy.key, fileAddress(policy, fileId), measured.bytes))
  await checkStored(deps, policy, fileId)
  const stored = { fileId, documentType: document.type, issue, ...measured.result() }

  let tries = 0
  const change = async (author: Author) =>
    saveFile(policy, { stored, previous: tries++ ? await readAgain() : previous }, author)
  const file = await applyWithRetry(deps, actorFrom(request), change, { serializeBy: policy.id })
  request.hasChanged = true
  reply.header('etag', etagOfFile(file))
  return presentFile(policy, file)
}

/** Streams an upload; throws 401 at its end when the caller's token was revoked during it. */
async function* whileNotRevoked(request: Call['request'], pdf: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield* pdf
  request.checkNotRevoked()
}

/**
 * Inspects a file as it was stored: uploads in progress stay out of memory, and what is checked is what will be served.
 * A rejected file is deleted at once; if that fails, the queue deletes it later. Throws 503 when the storage does not
 * return what it has taken.
 */
async function checkStored(deps: ApiDeps, policy: Policy, fileId: string): Promise<void> {
  const stored = async () => buffer(await unsealFile(deps, policy, fileId))
  const errors = await deps.inspector.inspect(stored).catch((error: unknown) => {
    throw error instanceof LostFileError ? unavailable(error) : error
  })
  if (errors.length === 0) return
  await deps.storage.delete(toStorageKey(fileId)).catch(() => {})
  throw invalid(errors.map(pdfDefect))
}

type SaveCommand = { stored: Omit<DocumentFile, 'createdAt'>; previous: DocumentFile | undefined }

/** Decides to save a stored file in place of the previous one. */
function saveFile(policy: Policy, { stored, previous }: SaveCommand, author: Author): Change<DocumentFile> {
  const { fileId, documentType, issue, byteLength, sha256 } = stored
  return {
    result: { ...stored, createdAt: wireTime(author.at) },
    ...SAVE_FILE.with({
      user_id: policy.userId,
      policy_id: policy.id,
      replaced_file_id: previous?.fileId ?? null,
      file_id: fileId,
      document_type: documentType,
      issue,
      byte_length: byteLength,
      sha256,
      actor: actorOf(author.caller),
      request_id: author.requestId,
      at: author.at,
    }),
    events: [newEvent('document.uploaded', documentEvent(policy, documentType))],
  }
}

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
