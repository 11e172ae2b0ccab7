import { type Static, Type } from 'typebox'
import { DayText, Nullable, record, Text } from '../../../kernel/http/schemas.ts'
import type { FieldError } from '../../../kernel/problem-error.ts'
import { changesErrors, changesPageSchema, cursorQuery, operation, pageOfChanges } from '../../../record/index.ts'
import { example, ListedEndorsementRecord, presentListed, tags } from './records.ts'
import { findEndorsementsOfGroup, type ScheduledEndorsement } from './schedule-store.ts'

const LIST = 'endorsements_search'

const Name = Nullable(Type.String())

const ScheduledEndorsementRecord = record(
  'ScheduledEndorsement',
  {
    ...ListedEndorsementRecord.properties,
    external_policy_id: Nullable(Type.String()),
    first_name: Name,
    last_name: Name,
    date_of_birth: Nullable(Type.String({ format: 'date', description: 'Date of birth' })),
  },
  {
    description: 'An endorsement in the schedule of a group policy, with the person of it as they are named now',
    examples: [
      {
        ...example,
        external_policy_id: 'SG-2026-000123',
        first_name: 'Ravi',
        last_name: 'Example',
        date_of_birth: '2015-08-02',
      },
    ],
  },
)

export const searchEndorsements = operation('POST /endorsements/search', {
  access: 'searchEndorsements',
  tags,
  summary: 'Search the endorsements of a group policy',
  description:
    'The schedule of a master policy: its endorsements with a first day between `from` and `to`, both included, in every state, last change first. A nominee is named ' +
    'too; an END is of nobody. To continue, send the same body again with `next` as `after`. Nothing is written: an `Idempotency-Key` is neither needed nor stored.',
  querystring: Type.Object(cursorQuery, { additionalProperties: false }),
  body: Type.Object(
    {
      master_policy_number: Text({ description: 'The number of the group policy' }),
      from: Type.Optional(DayText({ description: 'Only those that begin on this day or later' })),
      to: Type.Optional(DayText({ description: 'Only those that begin on this day or earlier' })),
    },
    { examples: [{ master_policy_number: 'MP-77', from: '2026-06-01', to: '2026-06-30' }] },
  ),
  response: { 200: changesPageSchema(ScheduledEndorsementRecord) },
  validate: (request, deps) => [...daysErrors(request.body), ...changesErrors(LIST, request, deps)],
  read: (call) =>
    pageOfChanges(LIST, call, {
      find: (page) => findEndorsementsOfGroup(call.deps, { ...page, ...call.body }),
      present,
    }),
})

function daysErrors(body: unknown): FieldError[] {
  const { from, to } = (body ?? {}) as { from?: unknown; to?: unknown }
  if (typeof from !== 'string' || typeof to !== 'string' || from <= to) return []
  return [{ pointer: '/to', code: 'too_small', detail: 'Must not be before `from`.' }]
}

const present = ({
  externalPolicyId,
  person,
  ...one
}: ScheduledEndorsement): Static<typeof ScheduledEndorsementRecord> => ({
  ...presentListed(one),
  external_policy_id: externalPolicyId,
  ...person,
})
