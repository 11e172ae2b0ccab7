import type { Static } from 'typebox'
import type { Consultation as ConsultationSchema, Message as MessageSchema } from './schemas.ts'
import type { Consultation, Message } from './store.ts'

export const presentConsultation = (consultation: Consultation): Static<typeof ConsultationSchema> => ({
  id: consultation.id,
  user_id: consultation.userId,
  benefit_provider_id: consultation.benefitProviderId,
  provider: consultation.provider,
  status: consultation.status,
  created_at: consultation.createdAt,
  last_modified_at: consultation.lastModifiedAt,
})

export const versionOf = (consultation: Consultation) => ({
  record: presentConsultation(consultation),
  revision: consultation.revision,
})

export const presentMessage = (message: Message): Static<typeof MessageSchema> => ({
  id: message.id,
  body: { content: message.content, message_type: message.message_type },
  created_at: message.createdAt,
  sender_display_name: message.sender_display_name,
})
