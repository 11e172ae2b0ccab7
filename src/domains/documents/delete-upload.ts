import { checkFreshTag } from '../../kernel/http/conditional.ts'
import type { Queryable } from '../../kernel/db/database.ts'
import { type By, type Change, newEvent } from '../../record/index.ts'
import type { DocumentedPolicy } from './documented-policy.ts'
import { nothingUploaded } from './errors.ts'
import { etagOfFile } from './find-document.ts'
import { type RequestedDocument, uploadIssueOf } from './requested-document.ts'
import { DELETE_UPLOAD, type DocumentFile, findSources } from './store.ts'
import { aboutDocument } from './upload-document.ts'

type Deletion = { policy: DocumentedPolicy; document: RequestedDocument; ifMatch: string | undefined }

/** What was taken away, of which policy. */
type Deleted = { policy: DocumentedPolicy; file: DocumentFile }

/**
 * Takes an upload out of the place where the next one would go, so that the document that is made is handed out again. Its
 * file goes like a replaced one. Throws 404 when nothing was uploaded, 409 for a policy that will not be issued, 412 when
 * `ifMatch` is stale.
 */
export async function deleteUpload(
  db: Queryable,
  { policy, document, ifMatch }: Deletion,
  by: By,
): Promise<Change<Deleted>> {
  const { issue } = uploadIssueOf(document, policy)
  const { file } = await findSources(db, policy, { documentType: document.type, issue })
  if (!file) throw nothingUploaded()
  if (ifMatch !== undefined) checkFreshTag(ifMatch, etagOfFile(file))
  const { userId } = policy
  return {
    result: { policy, file },
    write: DELETE_UPLOAD,
    values: [userId, file.fileId, by.at],
    history: [{ userId, entityId: file.fileId, from: 'UPLOADED', to: 'DELETED' }],
    events: [newEvent('document.upload_deleted', aboutDocument(policy, document.type))],
  }
}
