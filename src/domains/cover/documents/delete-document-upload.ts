import type { Static } from 'typebox'
import { checkFreshTag } from '../../../kernel/http/conditional.ts'
import { ProblemError } from '../../../kernel/problem-error.ts'
import {
  type Author,
  type Call,
  type Change,
  type Deps,
  newEvent,
  operation,
  responding,
} from '../../../record/index.ts'
import type { Policy, PolicyPath } from '../policies/records.ts'
import { policyWithUploadsInPath, shownPolicyInPath } from '../policies/store.ts'
import { etagOfFile } from './find-document.ts'
import {
  CardPath,
  documentEvent,
  DocumentPath,
  DOCUMENTS_PATH,
  IssueQuery,
  PolicyDocumentRecord,
  presentFile,
  tags,
} from './records.ts'
import { toHealthCard, type RequestedDocument, requestedDocument, findUploadIssue } from './requested-document.ts'
import { DELETE_UPLOAD, type DocumentFile } from './store.ts'

const DESCRIPTION = `Deletes the upload for the pending issue, else for the last one. The generated document is served
again. Returns the deleted upload, or 404 when there is none.`

/** What deleting the upload of a document and that of a health card have in common. */
const DELETION = {
  tags,
  description: DESCRIPTION,
  response: { 200: PolicyDocumentRecord },
  problems: ['not_found', 'conflict', 'precondition_failed'] as const,
  querystring: IssueQuery,
  checkTargetFirst: shownPolicyInPath,
  serializeBy: ({ params }: { params: Static<typeof PolicyPath> }) => params.insurance_policy_id,
  present: ({ policy, file }: DeletedUpload) => responding(presentFile(policy, file)),
}

export const deleteDocumentUpload = operation(`DELETE ${DOCUMENTS_PATH}/:document_type`, {
  access: 'deleteDocumentUpload',
  ...DELETION,
  summary: 'Delete the upload of a document of an insurance policy',
  params: DocumentPath,
  change: (call, author) => deleteUpload(call, requestedDocument(call.params.document_type, call.query), author),
})

export const deleteHealthCardUpload = operation(`DELETE ${DOCUMENTS_PATH}/health_card/:member_id`, {
  access: 'deleteHealthCardUpload',
  ...DELETION,
  summary: 'Delete the upload of the health card of a member',
  params: CardPath,
  change: (call, author) => deleteUpload(call, toHealthCard(call.params.member_id, call.query), author),
})

type DeletedUpload = { policy: Policy; file: DocumentFile }

/**
 * Decides to remove the upload that the next one would replace, so that the generated document is served again. The
 * file is deleted like a replaced one. Throws 404 when nothing was uploaded, 409 for a policy that will not be issued,
 * 412 when `If-Match` is stale.
 */
async function deleteUpload(
  call: Call<Deps, typeof PolicyPath>,
  document: RequestedDocument,
  author: Author,
): Promise<Change<DeletedUpload>> {
  const { policy, uploads } = await policyWithUploadsInPath(call, document.type)
  const issue = findUploadIssue(document, policy)
  const file = uploads.find((upload) => upload.issue === issue)
  if (!file) throw new ProblemError('not_found', 'No file was uploaded for this document.')
  const ifMatch = call.request.headers['if-match']
  if (ifMatch !== undefined) checkFreshTag(ifMatch, etagOfFile(file))
  const { userId } = policy
  return {
    result: { policy, file },
    ...DELETE_UPLOAD.with({ user_id: userId, file_id: file.fileId, at: author.at }),
    history: [{ userId, entityId: file.fileId, from: 'UPLOADED', to: 'DELETED' }],
    events: [newEvent('document.upload_deleted', documentEvent(policy, document.type))],
  }
}
