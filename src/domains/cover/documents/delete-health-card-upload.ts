import { matrix } from '../../../access/matrix.ts'
import { ref } from '../../../kernel/http/schemas.ts'
import { operation, responding } from '../../../record/index.ts'
import { shownPolicyInPath } from '../policies/store.ts'
import { DELETING, deleteUpload } from './delete-document-upload.ts'
import { CardPath, DOCUMENTS_PATH, PolicyDocumentRecord, presentFile, tags } from './records.ts'
import { healthCardOf } from './requested-document.ts'

export const deleteHealthCardUpload = operation(`DELETE ${DOCUMENTS_PATH}/health_card/:member_id`, {
  access: matrix.deleteHealthCardUpload,
  tags,
  summary: 'Delete the upload of the health card of a member',
  description: DELETING,
  params: CardPath,
  response: { 200: ref(PolicyDocumentRecord) },
  problems: ['not_found', 'conflict', 'precondition_failed'],
  checkTargetFirst: shownPolicyInPath,
  serializeBy: ({ params }) => params.insurance_policy_id,
  decide: (call, by) => deleteUpload(call, healthCardOf(call.params.member_id), by),
  present: ({ policy, file }) => responding(presentFile(policy, file)),
})
