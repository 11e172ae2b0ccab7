import { checkFreshTag } from '../../../kernel/http/conditional.ts'
import { type By, type Change, newEvent } from '../../../record/index.ts'
import type { DocumentedPolicy, UploadTarget } from './documented-policy.ts'
import { nothingUploaded } from './errors.ts'
import { etagOfFile } from './find-document.ts'
import { type RequestedDocument, uploadIssueOf } from './requested-document.ts'
import { DELETE_UPLOAD, type DocumentFile } from './store.ts'
import { documentEvent } from './upload-document.ts'

type Deletion = UploadTarget & { document: RequestedDocument; ifMatch: string | undefined }

type Deleted = { policy: DocumentedPolicy; file: DocumentFile }

/**
 * Decides to remove the upload that the next one would replace, so that the generated document is served again. The
 * file is deleted like a replaced one. Throws 404 when nothing was uploaded, 409 for a policy that will not be issued,
 * 412 when `ifMatch` is stale.
 */
export function deleteUpload({ policy, uploads, document, ifMatch }: Deletion, by: By): Change<Deleted> {
  const { issue } = uploadIssueOf(document, policy)
  const file = uploads.find((upload) => upload.issue === issue)
  if (!file) throw nothingUploaded()
  if (ifMatch !== undefined) checkFreshTag(ifMatch, etagOfFile(file))
  const { userId } = policy
  return {
    result: { policy, file },
    write: DELETE_UPLOAD,
    values: [userId, file.fileId, by.at],
    history: [{ userId, entityId: file.fileId, from: 'UPLOADED', to: 'DELETED' }],
    events: [newEvent('document.upload_deleted', documentEvent(policy, document.type))],
  }
}
