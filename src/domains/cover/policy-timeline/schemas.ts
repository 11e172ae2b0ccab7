import { Type } from 'typebox'
import { pageOf, PagingQuery } from '../../../kernel/http/paging.ts'
import { Nullable, OneOf, record, ref, Timestamp } from '../../../kernel/http/schemas.ts'
import { POLICY_STATUSES, PolicyPath } from '../policies/index.ts'

export const ENTRY_KINDS = [
  'STATUS_CHANGED',
  'ISSUED',
  'DOCUMENT_UPLOADED',
  'DOCUMENT_REMOVED',
  'DEPENDANT_CORRECTED',
  'MEMBER_CORRECTED',
] as const

/** The kinds of callers that can change a policy. */
export const ACTOR_KINDS = ['platform', 'user', 'provider', 'operator', 'owner', 'system'] as const

const Text = Nullable(Type.String())

export const TimelineEntry = record(
  'InsurancePolicyTimelineEntry',
  {
    at: Timestamp('Time of the change'),
    kind: OneOf(ENTRY_KINDS),
    actor_kind: Nullable(
      OneOf(ACTOR_KINDS, { description: 'Who made the change; null for corrections made before it was stored' }),
    ),
    from: Nullable(OneOf(POLICY_STATUSES, { description: 'STATUS_CHANGED only; null for the enrolment' })),
    to: Nullable(OneOf(POLICY_STATUSES, { description: 'STATUS_CHANGED only' })),
    reason: Text,
    issue: Nullable(Type.Integer({ description: 'ISSUED and documents only: number of the issue, from 1' })),
    document_type: Text,
    dependant_id: Nullable(Type.String({ description: 'DEPENDANT_CORRECTED only: the new version' })),
    previous_version_id: Text,
  },
  {
    description: 'A change of an insurance policy',
    examples: [
      {
        at: '2026-04-01T10:00:00',
        kind: 'STATUS_CHANGED',
        actor_kind: 'provider',
        from: 'VERIFICATION',
        to: 'REJECTED',
        reason: 'A document is missing',
        issue: null,
        document_type: null,
        dependant_id: null,
        previous_version_id: null,
      },
    ],
  },
)

export const listTimelineSchema = {
  tags: ['Insurance policies'],
  summary: 'List the timeline of an insurance policy',
  description:
    'Newest first: status changes with caller and reason, issues, uploaded and removed documents, and corrections ' +
    'of the member and the dependants.',
  params: PolicyPath,
  querystring: PagingQuery,
  response: { 200: pageOf(Type.Array(ref(TimelineEntry))) },
}
