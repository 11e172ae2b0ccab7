import { Type } from 'typebox'
import { columns, integer, nullable, oneOf, someOf, text, time } from '../../../kernel/db/columns.ts'
import { Nullable, OneOf, record, Timestamp } from '../../../kernel/http/schemas.ts'
import { PERSON_FIELDS } from '../../../record/index.ts'
import { POLICY_STATUSES } from '../policies/index.ts'

const ENTRY_KINDS = [
  'STATUS_CHANGED',
  'ISSUED',
  'DOCUMENT_UPLOADED',
  'DOCUMENT_REMOVED',
  'DEPENDANT_CORRECTED',
  'MEMBER_CORRECTED',
] as const

/** The kinds of callers that can change a policy. */
const ACTOR_KINDS = ['platform', 'user', 'provider', 'operator', 'owner', 'system'] as const

/** The columns of `e`, the entries of one timeline, with the names of their record; the reason is sealed. */
export const ENTRY = columns('e', {
  id: text('id'),
  at: time('at'),
  kind: oneOf('kind', ENTRY_KINDS),
  actor_kind: nullable(oneOf('actor_kind', ACTOR_KINDS)),
  from: nullable(oneOf('from_status', POLICY_STATUSES)),
  to: nullable(oneOf('to_status', POLICY_STATUSES)),
  reason: nullable(text('reason')),
  issue: nullable(integer('issue')),
  document_type: nullable(text('document_type')),
  dependant_id: nullable(text('dependant_id')),
  previous_version_id: nullable(text('previous_version_id')),
  fields: nullable(someOf('fields', PERSON_FIELDS)),
})

const Text = Nullable(Type.String())

export const TimelineEntryRecord = record(
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
    fields: Nullable(
      Type.Array(OneOf(PERSON_FIELDS), {
        description: 'Corrections only: what was corrected; null for those made before it was stored',
      }),
    ),
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
        fields: null,
      },
    ],
  },
)
