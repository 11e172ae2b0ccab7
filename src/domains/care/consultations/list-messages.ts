import { Type } from 'typebox'
import { paged, pageWith, PagingQuery } from '../../../kernel/http/paging.ts'
import { ref } from '../../../kernel/http/schemas.ts'
import { operation } from '../../../record/index.ts'
import { findMessages } from './message-store.ts'
import { ConsultationPath, MessageRecord, presentMessage, ProviderCode, tags } from './records.ts'
import { consultationInPath } from './store.ts'

export const listMessages = operation('GET /users/:user_id/consultations/:consultation_id/messages', {
  access: 'listMessages',
  tags,
  summary: 'List the messages of a consultation',
  description: 'Oldest first. Messages are health data: of the administrators, only owners can read them.',
  params: ConsultationPath,
  querystring: PagingQuery,
  response: { 200: pageWith(Type.Object({ messages: Type.Array(ref(MessageRecord)), provider: ProviderCode })) },
  target: consultationInPath,
  read: async (call) => {
    const { deps, target: consultation } = call
    const { data, ...page } = await paged(call, (one) => findMessages(deps.db, consultation, one), presentMessage)
    return { data: { messages: data, provider: consultation.provider }, ...page }
  },
})
