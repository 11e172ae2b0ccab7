import { Type } from 'typebox'
import { columns, day, integer, nullable, oneOf, someOf, text, time } from '../../../kernel/db/columns.ts'
import { Nullable, OneOf, record, Timestamp } from '../../../kernel/http/schemas.ts'
import { PERSON_FIELDS } from '../../../record/index.ts'
import { PremiumAmounts } from '../../partners/benefits/index.ts'
import { END_CODES, POLICY_STATUSES } from '../policies/index.ts'

const ENTRY_KINDS = [
  'STATUS_CHANGED',
  'ISSUED',
  'DOCUMENT_UPLOADED',
  'DOCUMENT_REMOVED',
  'DEPENDANT_CORRECTED',
  'MEMBER_CORRECTED',
  'END_SCHEDULED',
  'END_WITHDRAWN',
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
  on: nullable(day('ends_on')),
  code: nullable(oneOf('end_code', END_CODES)),
})

const Text = Nullable(Type.String())
const IssuedDay = (which: string) =>
  Type.String({ format: 'date', description: `ISSUED only: ${which.toLowerCase()} day of the term that was issued` })

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
    start_date: Nullable(IssuedDay('First')),
    end_date: Nullable(IssuedDay('Last')),
    document_type: Text,
    dependant_id: Nullable(Type.String({ description: 'DEPENDANT_CORRECTED only: the new version' })),
    previous_version_id: Text,
    fields: Nullable(
      Type.Array(OneOf(PERSON_FIELDS), {
        description: 'Corrections only: what was corrected; null for those made before it was stored',
      }),
    ),
    on: Nullable(Type.String({ format: 'date', description: 'END_SCHEDULED only: the last covered day' })),
    code: Nullable(OneOf(END_CODES, { description: 'END_SCHEDULED only: why it ends' })),
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
        start_date: null,
        end_date: null,
        document_type: null,
        dependant_id: null,
        previous_version_id: null,
        fields: null,
        on: null,
        code: null,
      },
    ],
  },
)

export const InsurancePolicyTermRecord = record(
  'InsurancePolicyTerm',
  {
    start_date: Type.String({ format: 'date', description: 'First day of the term' }),
    cover_from: Type.String({
      format: 'date',
      description: 'First covered day: later than `start_date` where the deposit held the premium only then',
    }),
    end_date: Type.String({ format: 'date', description: 'Last day of the term' }),
    ended_on: Nullable(
      Type.String({ format: 'date', description: 'Last covered day, where the policy ended before `end_date`' }),
    ),
    cancelled: Type.Boolean({ description: 'The policy ended before the first day of the term' }),
    issues: Type.Array(
      Type.Object({
        issue: Type.Integer({ description: 'Number of the issue, from 1; for `?issue=` of the documents' }),
        issued_at: Timestamp('Time of the issue'),
      }),
      { description: 'Empty while the certificate of a renewal is awaited' },
    ),
    members: Type.Array(
      Type.Object({
        person: OneOf(['member', 'dependant']),
        id: Type.String({ description: '`self`, or the id of the dependant that was printed' }),
        from: Type.Optional(
          Type.String({ format: 'date', description: 'First covered day of who joined within the term' }),
        ),
        to: Type.Optional(
          Type.String({ format: 'date', description: 'Last covered day of who leaves within the term' }),
        ),
      }),
      { description: 'Who the last issue of the term covers' },
    ),
    premium_amounts: PremiumAmounts,
  },
  {
    description: 'A term of an insurance policy that was issued',
    examples: [
      {
        start_date: '2026-04-01',
        cover_from: '2026-04-01',
        end_date: '2027-03-31',
        ended_on: null,
        cancelled: false,
        issues: [{ issue: 1, issued_at: '2026-04-01T10:00:00' }],
        members: [
          { person: 'member', id: 'self' },
          { person: 'dependant', id: 'dep_06bnv3m2r8f1s4k7q9t3v6w0y2' },
        ],
        premium_amounts: {
          annual: { currency: 'INR', value: 12_045 },
          daily: { currency: 'INR', value: 33 },
          sponsor_contribution: { currency: 'INR', value: 6_022.5 },
        },
      },
    ],
  },
)
