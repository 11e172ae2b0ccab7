import { type Static, type TSchema, Type } from 'typebox'
import { UserIdText } from '../../user-id-text.ts'
import { pageOf, PagingQuery, statusQuery } from '../../../kernel/http/paging.ts'
import { Lines, OneOf, PathId, record, ref, StatusInput, Text, Timestamp } from '../../../kernel/http/schemas.ts'
import { UserPath } from '../../people/users/index.ts'
import { CONSULTATION_STATUSES } from './states.ts'

const MESSAGE_LENGTH_MAX = 4_000

const ProviderCode = Type.String({ description: 'The code of the benefit provider', examples: ['SURAKSHA_GENERAL'] })

export const Consultation = record(
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

const bodyOf = <T extends TSchema>(content: T, options: { title: string; description: string }) =>
  Type.Object(
    { content, message_type: OneOf(['TEXT']) },
    { ...options, examples: [{ content: 'I have had a fever since Monday.', message_type: 'TEXT' }] },
  )

const MessageBody = bodyOf(Lines({ maxLength: MESSAGE_LENGTH_MAX }), {
  title: 'MessageBodyInput',
  description: 'Body of a new message',
})
export type MessageBody = Static<typeof MessageBody>

export const Message = record(
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

export const records = [Consultation, Message]

const ConsultationPath = Type.Object({ ...UserPath.properties, consultation_id: PathId('The consultation') })

const tags = ['Consultations']

export const createConsultationSchema = {
  tags,
  summary: 'Open a consultation',
  description:
    'A new consultation is OPEN. Benefit providers may open only their own, with users they insure or treat. A ' +
    'user can have a limited number of open consultations, 20 by default, and of new ones a day, 50 by default.',
  params: UserPath,
  body: Type.Object(
    { benefit_provider_id: Text({ maxLength: 100 }) },
    { examples: [{ benefit_provider_id: 'bpr_06bnv3m2r8f1s4k7q9t3v6w0y2' }] },
  ),
  response: { 201: ref(Consultation) },
}

export const listConsultationsSchema = {
  tags,
  summary: 'List the consultations of a user',
  description: 'Newest first.',
  params: UserPath,
  querystring: statusQuery(CONSULTATION_STATUSES),
  response: { 200: pageOf(Type.Array(ref(Consultation))) },
}

export const readConsultationSchema = {
  tags,
  summary: 'Read a consultation',
  description: 'Returns one consultation.',
  params: ConsultationPath,
  response: { 200: ref(Consultation) },
}

export const setConsultationStatusSchema = {
  tags,
  summary: 'Close a consultation',
  description: 'Transition: OPEN to CLOSED. A closed consultation accepts no messages.',
  params: ConsultationPath,
  body: StatusInput(CONSULTATION_STATUSES, 'CLOSED'),
  response: { 200: ref(Consultation) },
}

export const createMessageSchema = {
  tags,
  summary: 'Write a message',
  description:
    'The message shows the name of the user, platform or benefit provider that writes it. A user can write a ' +
    'limited number of messages a day, 500 by default.',
  params: ConsultationPath,
  body: Type.Object(
    { body: MessageBody },
    { examples: [{ body: { content: 'I have had a fever since Monday.', message_type: 'TEXT' } }] },
  ),
  response: { 201: ref(Message) },
}

export const listMessagesSchema = {
  tags,
  summary: 'List the messages of a consultation',
  description: 'Oldest first. Messages are health data: of the administrators, only owners can read them.',
  params: ConsultationPath,
  querystring: PagingQuery,
  response: { 200: pageOf(Type.Object({ messages: Type.Array(ref(Message)), provider: ProviderCode })) },
}
