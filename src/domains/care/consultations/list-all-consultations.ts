import { type Static, Type } from 'typebox'
import { matrix } from '../../../access/matrix.ts'
import { anyOf } from '../../../kernel/http/paging.ts'
import { Nullable, OneOf, record, ref, TIMES, Timestamp } from '../../../kernel/http/schemas.ts'
import {
  CHANGES_PROMISE,
  changesErrors,
  changesPageOf,
  changesQuery,
  operation,
  pageOfChanges,
} from '../../../record/index.ts'
import { UserIdText } from '../../user-id-text.ts'
import { listChangedConsultations, type ListedConsultation } from './changes-store.ts'
import { ProviderCode, tags } from './records.ts'
import { CONSULTATION_STATUSES } from './states.ts'

const LIST = 'consultations'
/** Who can be waited for. */
const RESPONDING = ['provider'] as const

const ListedConsultationRecord = record(
  'ListedConsultation',
  {
    id: Type.String(),
    user_id: UserIdText(),
    platform_id: Type.String(),
    benefit_provider_id: Type.String(),
    provider: ProviderCode,
    status: OneOf(CONSULTATION_STATUSES),
    unanswered_by: Nullable(
      OneOf(RESPONDING, {
        description: 'Who has to respond: the benefit provider, unless it wrote last or the consultation is closed',
      }),
    ),
    last_message_at: Nullable(Timestamp('Time of the last message')),
    ...TIMES,
  },
  {
    description: 'A consultation in a list of all users: no personal data',
    examples: [
      {
        id: 'con_06bnv3m2r8f1s4k7q9t3v6w0y2',
        user_id: '012345678901',
        platform_id: 'plt_06bnv3m2r8f1s4k7q9t3v6w0y2',
        benefit_provider_id: 'bpr_06bnv3m2r8f1s4k7q9t3v6w0y2',
        provider: 'SURAKSHA_GENERAL',
        status: 'OPEN',
        unanswered_by: 'provider',
        last_message_at: '2026-04-01T11:05:00',
        created_at: '2026-04-01T11:00:00',
        last_modified_at: '2026-04-01T11:00:00',
      },
    ],
  },
)

export const listAllConsultations = operation('GET /consultations', {
  access: matrix.listAllConsultations,
  tags,
  summary: 'List the consultations of all users',
  description: `${CHANGES_PROMISE} A message is a change, too. A benefit provider finds its own, a platform those of its users.`,
  querystring: Type.Object(
    {
      ...changesQuery,
      status: anyOf(CONSULTATION_STATUSES),
      unanswered_by: Type.Optional(
        OneOf(RESPONDING, { description: 'Only open consultations in which the benefit provider did not write last' }),
      ),
    },
    { additionalProperties: false },
  ),
  response: { 200: changesPageOf(Type.Array(ref(ListedConsultationRecord))) },
  validate: (request, deps) => changesErrors(LIST, request, deps),
  read: (call) => {
    const { status: states, unanswered_by } = call.query
    return pageOfChanges(LIST, call, {
      find: (page) => {
        const isUnanswered = unanswered_by !== undefined
        return listChangedConsultations(call.deps.db, { ...page, states, isUnanswered })
      },
      present: presentListedConsultation,
    })
  },
})

const presentListedConsultation = (consultation: ListedConsultation): Static<typeof ListedConsultationRecord> => ({
  id: consultation.id,
  user_id: consultation.userId,
  platform_id: consultation.platformId,
  benefit_provider_id: consultation.benefitProviderId,
  provider: consultation.provider,
  status: consultation.status,
  unanswered_by: consultation.awaitsProvider && consultation.status === 'OPEN' ? 'provider' : null,
  last_message_at: consultation.lastMessageAt,
  created_at: consultation.createdAt,
  last_modified_at: consultation.lastModifiedAt,
})
