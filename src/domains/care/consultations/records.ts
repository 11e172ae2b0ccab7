import { type Static, type TSchema, Type } from 'typebox'
import { decodeUserId } from '../../../access/user-id.ts'
import type { DataKey } from '../../../kernel/crypto/vault.ts'
import { columns, decoded, oneOf, type RecordOf, text, time } from '../../../kernel/db/columns.ts'
import { VERSION } from '../../../kernel/db/version.ts'
import { Lines, OneOf, PathId, record, Timestamp } from '../../../kernel/http/schemas.ts'
import { UserPath } from '../../people/users/index.ts'
import { UserIdText } from '../../user-id-text.ts'
import { CONSULTATION_STATUSES } from './states.ts'

export const CONSULTATION = columns('s', {
  id: text('consultation_id'),
  userId: decoded('user_id', decodeUserId),
  benefitProviderId: text('benefit_provider_id'),
  status: oneOf('status', CONSULTATION_STATUSES),
  ...VERSION,
})
export const PROVIDER = columns('b', { provider: text('code') })
export type Consultation = RecordOf<typeof CONSULTATION> & RecordOf<typeof PROVIDER>

/** A consultation with the fields of its user that transitions need. */
export type OwnedConsultation = Consultation & { platformId: string; key: DataKey }

export const MESSAGE = columns('m', { id: text('message_id'), sealed: text('sealed'), createdAt: time('created_at') })

/** The encrypted part of a message. */
export type SealedMessage = MessageBody & { sender_display_name: string }
export type Message = SealedMessage & { id: string; createdAt: string }

export const ProviderCode = Type.String({
  description: 'The code of the benefit provider',
  examples: ['SURAKSHA_GENERAL'],
})

export const ConsultationRecord = record(
  'Consultation',
  {
    id: Type.String(),
    user_id: UserIdText(),
    benefit_provider_id: Type.String(),
    provider: ProviderCode,
    status: OneOf(CONSULTATION_STATUSES),
    created_at: Timestamp('Time of opening'),
    last_modified_at: Timestamp('Time of the last change'),
  },
  {
    description: 'A conversation between a user and a benefit provider',
    examples: [
      {
        id: 'con_06bnv3m2r8f1s4k7q9t3v6w0y2',
        user_id: '012345678901',
        benefit_provider_id: 'bpr_06bnv3m2r8f1s4k7q9t3v6w0y2',
        provider: 'SURAKSHA_GENERAL',
        status: 'OPEN',
        created_at: '2026-04-01T11:00:00',
        last_modified_at: '2026-04-01T11:00:00',
      },
    ],
  },
)

export const presentConsultation = (consultation: Consultation): Static<typeof ConsultationRecord> => ({
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

const MESSAGE_LENGTH_MAX = 4_000

export const messageExample = { content: 'I have had a fever since Monday.', message_type: 'TEXT' }
const bodyOf = <T extends TSchema>(content: T, options: { title: string; description: string }) =>
  Type.Object({ content, message_type: OneOf(['TEXT']) }, { ...options, examples: [messageExample] })

export const MessageBody = bodyOf(Lines({ maxLength: MESSAGE_LENGTH_MAX }), {
  title: 'MessageBodyInput',
  description: 'Body of a new message',
})
export type MessageBody = Static<typeof MessageBody>

export const MessageRecord = record(
  'Message',
  {
    id: Type.String(),
    body: bodyOf(Type.String(), { title: 'MessageBody', description: 'Body of a message' }),
    created_at: Timestamp('Time of writing'),
    sender_display_name: Type.String(),
  },
  {
    description: 'A message of a consultation',
    examples: [
      {
        id: 'msg_06bnv3m2r8f1s4k7q9t3v6w0y2',
        body: { content: 'Please rest for two days.', message_type: 'TEXT' },
        created_at: '2026-04-01T11:05:00',
        sender_display_name: 'Suraksha General Insurance',
      },
    ],
  },
)

export const presentMessage = (message: Message): Static<typeof MessageRecord> => ({
  id: message.id,
  body: { content: message.content, message_type: message.message_type },
  created_at: message.createdAt,
  sender_display_name: message.sender_display_name,
})

export const tags = ['Consultations']
export const ConsultationPath = Type.Object({ ...UserPath.properties, consultation_id: PathId('The consultation') })
