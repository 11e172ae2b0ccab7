import type { Readable } from 'node:stream'
import { unreadable } from '../../../kernel/crypto/sealed-column.ts'
import { knows } from '../../../kernel/http/conditional.ts'
import { pdfResponse } from '../../../kernel/http/pdf-body.ts'
import { notFound } from '../../../kernel/problem-error.ts'
import type { ApiDeps, Call } from '../../../record/index.ts'
import type { Policy } from '../policies/records.ts'
import { shownPolicyInPath } from '../policies/store.ts'
import { findDocument } from './find-document.ts'
import { CardPath, DocumentPath, documentOperation, DOCUMENTS_PATH, IssueQuery, PDF, tags } from './records.ts'
import { toHealthCard, type RequestedDocument, requestedDocument } from './requested-document.ts'
import { fileAddress, isCurrentFile, toStorageKey } from './store.ts'
import { LostFileError, unsealFile } from './unseal-file.ts'

const DOWNLOADING = `Returns a file that the benefit provider has uploaded instead, if there is one, and 404 with a
detail until the document exists. Send the \`ETag\` as \`If-None-Match\` to check whether it has changed.`

export const downloadDocument = documentOperation(`GET ${DOCUMENTS_PATH}/:document_type`, {
  access: 'downloadDocument',
  tags,
  summary: 'Download a document of an insurance policy',
  description: `Generated from the issue that holds today, else from the next; an enrolment form from the enrolment. ${DOWNLOADING}`,
  params: DocumentPath,
  querystring: IssueQuery,
  versioned: true,
  response: { 200: pdfResponse('The document') },
  produces: [PDF],
  target: shownPolicyInPath,
  read: (call) => sendDocument(call, requestedDocument(call.params.document_type, call.query)),
})

export const downloadHealthCard = documentOperation(`GET ${DOCUMENTS_PATH}/health_card/:member_id`, {
  access: 'downloadHealthCard',
  tags,
  summary: 'Download the health card of a member',
  description: `Generated from the issue that holds today, else from the next. ${DOWNLOADING} The code on a card opens a public page that shows whether the card is valid.`,
  params: CardPath,
  querystring: IssueQuery,
  versioned: true,
  response: { 200: pdfResponse('The health card') },
  produces: [PDF],
  target: shownPolicyInPath,
  read: (call) => sendDocument(call, toHealthCard(call.params.member_id, call.query)),
})

/** Sends a document of the policy in the path as a file, or 304 when the caller has it. */
async function sendDocument(call: Call<ApiDeps> & { target: Policy }, requested: RequestedDocument) {
  const { deps, request, reply, target: policy } = call
  const document = await findDocument(deps, policy, requested)
  const headers = { etag: document.etag, 'cache-control': 'private, no-store' }
  if (knows(request, document.etag)) return void reply.code(304).headers(headers)
  const isFile = 'file' in document
  // An error response must not have the headers of a file, so they are set after the payload is ready.
  const payload = isFile
    ? await downloadFile(deps, policy, document.file.fileId)
    : await document.make(reply.abortSignal())
  reply
    .headers(headers)
    .header('content-disposition', `attachment; filename="${fileName(policy, requested)}"`)
    .header('content-length', isFile ? document.file.byteLength : (payload as Uint8Array).length)
    .type(PDF)
  return payload
}

/**
 * Returns a stream of an uploaded document. One that is lost is a 500 `unreadable`, or breaks off where its damage begins;
 * either is counted and logged. Throws 404 when the file was erased in between.
 */
async function downloadFile(deps: ApiDeps, policy: Policy, fileId: string): Promise<Readable> {
  const lost = (error: LostFileError) =>
    unreadable(
      {
        column: 'policy_files.file_id',
        row: fileAddress(policy, fileId),
        policy_id: policy.id,
        object: toStorageKey(fileId),
      },
      error,
    )
  const file = await unsealFile(deps, policy, fileId).catch(async (error: unknown) => {
    if (!(error instanceof LostFileError)) throw error
    throw (await isCurrentFile(deps.db, policy.userId, fileId)) ? lost(error) : notFound()
  })
  return file.on('error', (error) => void (error instanceof LostFileError && lost(error)))
}

const fileName = ({ id }: Policy, { type }: RequestedDocument) => `${type.replaceAll(/[^a-z0-9_]+/g, '-')}-${id}.pdf`
