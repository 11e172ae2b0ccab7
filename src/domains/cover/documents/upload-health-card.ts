import { matrix } from '../../../access/matrix.ts'
import { CardPath, documentOperation, DOCUMENTS_PATH } from './records.ts'
import { healthCardOf } from './requested-document.ts'
import { receiveDocument, UPLOAD } from './upload-document.ts'

export const uploadHealthCard = documentOperation(`PUT ${DOCUMENTS_PATH}/health_card/:member_id`, {
  access: matrix.uploadHealthCard,
  ...UPLOAD,
  summary: 'Upload the health card of a member',
  params: CardPath,
  // Not `decide`: the file is stored before the write.
  read: (call) => receiveDocument(call, healthCardOf(call.params.member_id)),
})
