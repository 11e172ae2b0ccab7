import { columns, day, integer, nullable, oneOf, type RecordOf, text } from '../../../kernel/db/columns.ts'
import type { Day } from '../../../kernel/date.ts'
import { type Queryable, statement } from '../../../kernel/db/database.ts'
import { POLICY_STATUSES } from './states.ts'
import { isOpen } from './store.ts'

const PAGE = 1_000

const STORED = columns('p', {
  userId: text('user_id'),
  id: text('policy_id'),
  status: oneOf('status', POLICY_STATUSES),
  endDate: day('end_date'),
  renewalWindowDays: integer('renewal_window_days'),
  graceDays: integer('grace_days'),
  graceUntil: nullable(day('grace_until')),
  issue: integer('issue'),
  nextMoveOn: nullable(day('next_move_on')),
  revision: integer('revision'),
})

const LIST_OPEN = statement(
  'insurance_policies_list_open',
  `select ${STORED.list}
     from insurance_policies p
    where (p.user_id, p.policy_id) > ($1, $2) and ${isOpen('p')}
    order by p.user_id, p.policy_id
    limit ${PAGE}`,
)

const RECOUNT = statement(
  'insurance_policies_recount',
  `update insurance_policies
      set grace_until = $4, next_move_on = $5, revision = revision + 1
    where user_id = $1 and policy_id = $2 and revision = $3
   returning 1 as n`,
)

/** An open policy with its stored days. */
type StoredDays = RecordOf<typeof STORED>

export const listOpenPolicies = async (db: Queryable, after: { userId: string; id: string }): Promise<StoredDays[]> =>
  (await db.query<object>(LIST_OPEN, [after.userId, after.id])).map(STORED.decode)

/** Returns false when the policy has changed since it was read. */
export async function storeDays(
  db: Queryable,
  { userId, id, revision }: StoredDays,
  days: { graceUntil: Day | null; nextMoveOn: Day | null },
): Promise<boolean> {
  return (await db.query(RECOUNT, [userId, id, revision, days.graceUntil, days.nextMoveOn])).length > 0
}
