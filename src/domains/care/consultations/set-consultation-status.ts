import { StatusInput } from '../../../kernel/http/schemas.ts'
import { changed, operation, transition, unchanged } from '../../../record/index.ts'
import { ConsultationPath, ConsultationRecord, tags, versionOf } from './records.ts'
import { CONSULTATION_MACHINE, CONSULTATION_STATUSES } from './states.ts'
import { consultationInPath, setStatus } from './store.ts'

export const setConsultationStatus = operation('PUT /users/:user_id/consultations/:consultation_id/status', {
  access: 'setConsultationStatus',
  tags,
  summary: 'Close a consultation',
  description: 'Transition: OPEN to CLOSED. A closed consultation accepts no messages.',
  params: ConsultationPath,
  body: StatusInput(CONSULTATION_STATUSES, 'CLOSED'),
  versioned: true,
  response: { 200: ConsultationRecord },
  problems: ['invalid_state', 'precondition_failed'],
  target: consultationInPath,
  version: versionOf,
  serializeBy: ({ params }) => params.consultation_id,
  change: ({ target: consultation, body: { status, reason } }, { at, caller }) => {
    if (consultation.status === status) return unchanged(consultation)
    return {
      ...setStatus(consultation, { status }, at),
      ...transition(CONSULTATION_MACHINE, consultation, { to: status, who: caller.kind, reason }),
    }
  },
  present: (consultation) => changed(versionOf(consultation)),
})
