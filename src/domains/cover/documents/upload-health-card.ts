import { matrix } from '../../../access/matrix.ts'
import { installPdfBody, PdfBody } from '../../../kernel/http/pdf-body.ts'
import { ref } from '../../../kernel/http/schemas.ts'
import { shownPolicyInPath } from '../policies/store.ts'
import { CardPath, documentOperation, DOCUMENTS_PATH, PolicyDocumentRecord, tags } from './records.ts'
import { healthCardOf } from './requested-document.ts'
import { receiveDocument, UPLOADING } from './upload-document.ts'

export const uploadHealthCard = documentOperation(`PUT ${DOCUMENTS_PATH}/health_card/:member_id`, {
  access: matrix.uploadHealthCard,
  tags,
  summary: 'Upload the health card of a member',
  description: UPLOADING,
  params: CardPath,
  body: PdfBody,
  response: { 200: ref(PolicyDocumentRecord) },
  problems: ['conflict', 'precondition_failed'],
  versioned: true,
  readsBody: installPdfBody,
  checkTargetFirst: shownPolicyInPath,
  // Not `decide`: the file is stored before the write.
  read: (call) => receiveDocument(call, healthCardOf(call.params.member_id)),
})
