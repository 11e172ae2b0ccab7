import { listAllConsultations } from './list-all-consultations.ts'
import { listConsultations } from './list-consultations.ts'
import { listMessages } from './list-messages.ts'
import { openConsultation } from './open-consultation.ts'
import { readConsultation } from './read-consultation.ts'
import { setConsultationStatus } from './set-consultation-status.ts'
import { writeMessage } from './write-message.ts'

export { findMessages as listMessages, MESSAGE_TEXT } from './message-store.ts'
export {
  ConsultationRecord as ConsultationSchema,
  MessageRecord as MessageSchema,
  presentConsultation,
  presentMessage,
} from './records.ts'
export { ERASE_CONSULTATIONS, findConsultation, findConsultations as listConsultations } from './store.ts'
export { CONSULTATION_MACHINE, CONSULTATION_STATUSES } from './states.ts'

export const consultationOperations = [
  openConsultation,
  listConsultations,
  listAllConsultations,
  readConsultation,
  setConsultationStatus,
  writeMessage,
  listMessages,
]
