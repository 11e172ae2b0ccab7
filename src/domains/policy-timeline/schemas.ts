import { Type } from 'typebox'
import { pageOf, PagingQuery } from '../../kernel/http/paging.ts'
import { Nullable, OneOf, record, ref, Timestamp } from '../../kernel/http/schemas.ts'
import { POLICY_STATUSES, PolicyPath } from '../policies/index.ts'

export const ENTRY_KINDS = [
  'STATUS_CHANGED',
  'ISSUED',
  'DOCUMENT_UPLOADED',
  'DOCUMENT_REMOVED',
  'DEPENDANT_CORRECTED',
] as const

/** Those who can have had a hand in a policy. */
export const ACTOR_KINDS = ['platform', 'user', 'provider', 'operator', 'owner', 'system'] as const

const Text = Nullable(Type.String())

export const TimelineEntry = record(
  'InsurancePolicyTimelineEntry',
  {
    at: Timestamp('When it happened'),
    kind: OneOf(ENTRY_KINDS),
    actor_kind: Nullable(
      OneOf(ACTOR_KINDS, { description: 'Who did it; null for corrections from before that was kept' }),
    ),
    from: Nullable(OneOf(POLICY_STATUSES, { description: 'With STATUS_CHANGED; null for the enrolment' })),
    to: Nullable(OneOf(POLICY_STATUSES, { description: 'With STATUS_CHANGED' })),
    reason: Text,
    issue: Nullable(Type.Integer({ description: 'With ISSUED and documents: which issue, counted from 1' })),
    document_type: Text,
    dependant_id: Nullable(Type.String({ description: 'With DEPENDANT_CORRECTED: the new version' })),
    previous_version_id: Text,
  },
  {
    description: 'Something that happened to an insurance policy',
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
  summary: 'List what happened to an insurance policy',
  description:
    'Newest first: changes of its status with who made them and why, issues, documents uploaded and removed, corrections of dependants whom it names.',
  params: PolicyPath,
  querystring: PagingQuery,
  response: { 200: pageOf(Type.Array(ref(TimelineEntry))) },
}
