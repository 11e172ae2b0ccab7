import { matrix } from '../../../access/matrix.ts'
import { pdfResponse } from '../../../kernel/http/pdf-body.ts'
import { shownPolicyInPath } from '../policies/store.ts'
import { DOWNLOADING, sendDocument } from './download-document.ts'
import { CardPath, documentOperation, DOCUMENTS_PATH, PDF, tags } from './records.ts'
import { healthCardOf } from './requested-document.ts'

export const downloadHealthCard = documentOperation(`GET ${DOCUMENTS_PATH}/health_card/:member_id`, {
  access: matrix.downloadHealthCard,
  tags,
  summary: 'Download the health card of a member',
  description: `Generated from the last issue of the policy. ${DOWNLOADING} The code on a card opens a public page that shows whether the card is valid.`,
  params: CardPath,
  response: { 200: pdfResponse('The health card') },
  produces: [PDF],
  target: shownPolicyInPath,
  read: (call) => sendDocument(call, healthCardOf(call.params.member_id)),
})
