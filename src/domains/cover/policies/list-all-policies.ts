import { Type } from 'typebox'
import { idFilter, listFilter } from '../../../kernel/http/paging.ts'
import { DayText, Nullable, OneOf, record, TIMES } from '../../../kernel/http/schemas.ts'
import { listOfChanges } from '../../../record/index.ts'
import { UserIdText } from '../../user-id-text.ts'
import { listChangedPolicies } from './changes-store.ts'
import { tags } from './records.ts'
import { POLICY_STATUSES } from './states.ts'

export const ListedPolicyRecord = record(
  'ListedInsurancePolicy',
  {
    id: Type.String(),
    user_id: UserIdText(),
    platform_id: Type.String(),
    benefit_id: Type.String(),
    benefit_provider_id: Type.String(),
    plan_code: Type.String(),
    status: OneOf(POLICY_STATUSES),
    start_date: Type.String({ format: 'date' }),
    end_date: Type.String({ format: 'date' }),
    next_move_on: Nullable(
      Type.String({ format: 'date', description: 'Day of the next transition by the calendar; `null` when none' }),
    ),
    ...TIMES,
  },
  {
    description: 'A policy in a list of all users: no personal data. Read the policy for the rest',
    examples: [
      {
        id: 'pol_06bnv3m2r8f1s4k7q9t3v6w0y2',
        user_id: '012345678901',
        platform_id: 'plt_06bnv3m2r8f1s4k7q9t3v6w0y2',
        benefit_id: 'bnf_06bnv3m2r8f1s4k7q9t3v6w0y2',
        benefit_provider_id: 'bpr_06bnv3m2r8f1s4k7q9t3v6w0y2',
        plan_code: 'FAMILY_5L',
        status: 'VERIFICATION',
        start_date: '2026-04-01',
        end_date: '2027-03-31',
        next_move_on: null,
        created_at: '2026-04-01T09:40:00',
        last_modified_at: '2026-04-01T09:45:00',
      },
    ],
  },
)

export const listAllPolicies = listOfChanges('/insurance_policies', {
  access: 'listAllInsurancePolicies',
  tags,
  summary: 'List the insurance policies of all users',
  description: 'A benefit provider finds the policies of its benefits, a platform those of its users.',
  filters: {
    status: listFilter(POLICY_STATUSES),
    benefit_id: idFilter('benefits'),
    benefit_provider_id: idFilter('benefit providers'),
    due_before: Type.Optional(
      DayText({
        description:
          'Only policies that the calendar moves before this day: `next_move_on` is earlier. They are listed by that day, the earliest first',
      }),
    ),
  },
  item: ListedPolicyRecord,
  find: ({ db }, query, page) =>
    listChangedPolicies(db, {
      ...page,
      states: query.status,
      benefitIds: query.benefit_id,
      providerIds: query.benefit_provider_id,
      dueBefore: query.due_before,
    }),
  present: ({ changedAt: _changedAt, ...policy }) => policy,
})
