import { Type } from 'typebox'
import { listFilter } from '../../../kernel/http/paging.ts'
import { Nullable, OneOf, record, TIMES, Timestamp } from '../../../kernel/http/schemas.ts'
import { listOfChanges, oldestFirst } from '../../../record/index.ts'
import { UserIdText } from '../../user-id-text.ts'
import { listChangedConsultations } from './changes-store.ts'
import { ProviderCode, tags } from './records.ts'
import { CONSULTATION_STATUSES } from './states.ts'

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

export const listAllConsultations = listOfChanges('/consultations', {
  access: 'listAllConsultations',
  tags,
  summary: 'List the consultations of all users',
  description: 'A message is a change, too. A benefit provider finds its own, a platform those of its users.',
  filters: {
    status: listFilter(CONSULTATION_STATUSES),
    unanswered_by: Type.Optional(
      OneOf(RESPONDING, { description: 'Only open consultations in which the benefit provider did not write last' }),
    ),
    ...oldestFirst,
  },
  item: ListedConsultationRecord,
  find: ({ db }, { status: states, unanswered_by, order }, page) =>
    listChangedConsultations(db, {
      ...page,
      states,
      isUnanswered: unanswered_by !== undefined,
      isOldestFirst: order === 'oldest',
    }),
  present: ({ awaitsProvider, changedAt: _changedAt, ...consultation }) => ({
    ...consultation,
    unanswered_by: awaitsProvider && consultation.status === 'OPEN' ? ('provider' as const) : null,
  }),
})
