import { Type } from 'typebox'
import { findSession } from '../../../access/caller.ts'
import { idFilter, listFilter } from '../../../kernel/http/paging.ts'
import { DayText, Nullable, OneOf, record, Text, TIMES, Timestamp } from '../../../kernel/http/schemas.ts'
import type { FieldError } from '../../../kernel/problem-error.ts'
import { listOfChanges } from '../../../record/index.ts'
import { UserIdText } from '../../user-id-text.ts'
import { Assignee, assigneeExample, type FindPersons, addAssignees } from './add-assignees.ts'
import { listChangedPolicies } from './changes-store.ts'
import { IsSentBack, tags } from './records.ts'
import { POLICY_STATUSES, WAITING_STATUSES } from './states.ts'

export const listedExample = {
  id: 'pol_06bnv3m2r8f1s4k7q9t3v6w0y2',
  user_id: '012345678901',
  platform_id: 'plt_06bnv3m2r8f1s4k7q9t3v6w0y2',
  benefit_id: 'bnf_06bnv3m2r8f1s4k7q9t3v6w0y2',
  benefit_provider_id: 'bpr_06bnv3m2r8f1s4k7q9t3v6w0y2',
  plan_code: 'FAMILY_5L',
  status: 'VERIFICATION',
  start_date: '2026-04-01',
  end_date: '2027-03-31',
  status_since: '2026-04-01T09:45:00',
  is_sent_back: false,
  assignee: assigneeExample,
  next_move_on: null,
  created_at: '2026-04-01T09:40:00',
  last_modified_at: '2026-04-01T09:45:00',
}

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
    status_since: Nullable(
      Timestamp(
        'Time of the last transition: since when it waits. `null` until a worker has filled it in, of a policy from a version before 0.3.0, and where such a policy has ended',
      ),
    ),
    is_sent_back: IsSentBack,
    assignee: Assignee,
    next_move_on: Nullable(
      Type.String({ format: 'date', description: 'Day of the next transition by the calendar; `null` when none' }),
    ),
    ...TIMES,
  },
  {
    description: 'A policy in a list of all users: no personal data. Read the policy for the rest',
    examples: [listedExample],
  },
)

/** Values of the filter `assignee` that are no id. */
const [ME, NOBODY] = ['me', 'none']

const notAllowed = (filter: string, detail: string): FieldError => ({
  pointer: `query:${filter}`,
  code: 'not_allowed',
  detail,
})

export const listAllPolicies = (findPersons: FindPersons) =>
  listOfChanges('/insurance_policies', {
    access: 'listAllInsurancePolicies',
    tags,
    summary: 'List the insurance policies of all users',
    description:
      'A benefit provider finds the policies of its benefits, a platform those of its users. With `order=oldest` those that wait longest come first, by `status_since`: only policies in a state in which somebody has to act, so not those that are ISSUED, EXPIRED or REJECTED.',
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
      order: Type.Optional(
        OneOf(['oldest'], { description: 'Those that wait longest first; not together with `due_before`' }),
      ),
      assignee: Type.Optional(
        Text({
          maxLength: 100,
          description:
            'Only policies on which this person works: an id, `me`, or `none` for those on which nobody does',
          examples: ['me'],
        }),
      ),
      sent_back: Type.Optional(
        OneOf(['true'], {
          description:
            'Only applications that the benefit provider has sent back and that nobody has corrected or taken up since. Those that wait longest come first; not together with `due_before`',
        }),
      ),
    },
    check: ({ status = [], due_before, order, sent_back, assignee }, caller) => [
      ...[...new Set(status)]
        .filter((one) => order === 'oldest' && !WAITING_STATUSES.includes(one))
        .map((one) => notAllowed('status', `Nobody waits in ${one}: leave it out, or leave out \`order\`.`)),
      ...(due_before !== undefined && (order ?? sent_back) !== undefined
        ? [notAllowed('due_before', 'These come in the order of their days: leave out `order` and `sent_back`.')]
        : []),
      ...(assignee === ME && !findSession(caller)
        ? [notAllowed('assignee', 'Must be an id, or `none`: your token is of nobody who has logged in.')]
        : []),
    ],
    item: ListedPolicyRecord,
    find: async (deps, query, { caller, ...page }) => {
      const { assignee } = query
      const rows = await listChangedPolicies(deps.db, {
        ...page,
        states: query.status,
        benefitIds: query.benefit_id,
        providerIds: query.benefit_provider_id,
        dueBefore: query.due_before,
        isOldestFirst: query.order === 'oldest',
        isSentBack: query.sent_back === 'true',
        isUnassigned: assignee === NOBODY,
        assigneeId: assignee === ME ? findSession(caller)?.subject : assignee === NOBODY ? undefined : assignee,
      })
      return addAssignees(rows, { deps, scope: page.scope, findPersons })
    },
    present: ({ changedAt: _changedAt, ...policy }) => policy,
  })
