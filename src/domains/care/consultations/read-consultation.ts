import { READ_AGAIN, sendRecord } from '../../../kernel/http/conditional.ts'
import { operation } from '../../../record/index.ts'
import { ConsultationPath, ConsultationRecord, tags, versionOf } from './records.ts'
import { consultationInPath } from './store.ts'

export const readConsultation = operation('GET /users/:user_id/consultations/:consultation_id', {
  access: 'readConsultation',
  tags,
  summary: 'Read a consultation',
  description: READ_AGAIN,
  params: ConsultationPath,
  versioned: true,
  response: { 200: ConsultationRecord },
  target: consultationInPath,
  read: (call) => sendRecord(call, versionOf(call.target)),
})
