import { type Static, type TSchema, Type } from 'typebox'
import { decodeUserId } from '../../../access/user-id.ts'
import type { DataKey } from '../../../kernel/crypto/vault.ts'
import { columns, decoded, type RecordOf, text, time } from '../../../kernel/db/columns.ts'
import { Lines, OneOf, PathId, record, Timestamp } from '../../../kernel/http/schemas.ts'
import { choice, entity, field, joined } from '../../../record/index.ts'
import { UserPath } from '../../people/users/index.ts'
import { UserIdText } from '../../user-id-text.ts'
import { CONSULTATION_STATUSES } from './states.ts'

export const ProviderCode = Type.String({
  description: 'The code of the benefit provider',
  examples: ['SURAKSHA_GENERAL'],
})

export const CONSULTATIONS = entity(
  'consultations s join benefit_providers b on b.benefit_provider_id = s.benefit_provider_id',
  'Consultation',
  {
    id: field(text('consultation_id'), Type.String(), 'con_06bnv3m2r8f1s4k7q9t3v6w0y2'),
    userId: field(decoded('user_id', decodeUserId), UserIdText(), '012345678901'),
    benefitProviderId: field(text('benefit_provider_id'), Type.String(), 'bpr_06bnv3m2r8f1s4k7q9t3v6w0y2'),
    provider: joined('b', text('code'), ProviderCode, 'SURAKSHA_GENERAL'),
    status: choice('status', CONSULTATION_STATUSES, 'OPEN'),
  },
  {
    description: 'A conversation between a user and a benefit provider',
    key: ['userId', 'id'],
    times: { created_at: Timestamp('Time of opening'), last_modified_at: Timestamp('Time of the last change') },
    madeAt: '2026-04-01T11:00:00',
  },
)
export type Consultation = RecordOf<typeof CONSULTATIONS>
export const { schema: ConsultationRecord, versionOf, present: presentConsultation } = CONSULTATIONS

/** A consultation with the fields of its user that transitions need. */
export type OwnedConsultation = Consultation & { platformId: string; key: DataKey }

export const MESSAGE = columns('m', { id: text('message_id'), sealed: text('sealed'), createdAt: time('created_at') })

/** The encrypted part of a message. */
export type SealedMessage = MessageBody & { sender_display_name: string }
export type Message = SealedMessage & { id: string; createdAt: string }

const MESSAGE_LENGTH_MAX = 4_000

export const messageExample = { content: 'I have had a fever since Monday.', message_type: 'TEXT' }
const bodySchema = <T extends TSchema>(content: T, options: { title: string; description: string }) =>
  Type.Object({ content, message_type: OneOf(['TEXT']) }, { ...options, examples: [messageExample] })

export const MessageBody = bodySchema(Lines({ maxLength: MESSAGE_LENGTH_MAX }), {
  title: 'MessageBodyInput',
  description: 'Body of a new message',
})
export type MessageBody = Static<typeof MessageBody>

export const MessageRecord = record(
  'Message',
  {
    id: Type.String(),
    body: bodySchema(Type.String(), { title: 'MessageBody', description: 'Body of a message' }),
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
