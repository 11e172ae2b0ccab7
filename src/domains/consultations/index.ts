export { consultationRoutes } from './routes.ts'
export { presentConsultation, presentMessage } from './present.ts'
export { Consultation as ConsultationSchema, Message as MessageSchema } from './schemas.ts'
export { findConsultation, ERASE_CONSULTATIONS, listConsultations, listMessages } from './store.ts'
