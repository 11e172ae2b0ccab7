import {
  columns,
  day,
  flag,
  integer,
  json,
  nullable,
  oneOf,
  type RecordOf,
  text,
  texts,
} from '../../../kernel/db/columns.ts'
import type { Day } from '../../../kernel/date.ts'
import { type Queryable, statement } from '../../../kernel/db/database.ts'
import { sinceAllText } from '../../../record/index.ts'
import type { MemberDays } from './list-member-days.ts'
import { POLICY_STATUSES } from './states.ts'
import { isOpen } from './store.ts'

const PAGE = 1_000

const STORED = columns('p', {
  userId: text('user_id'),
  id: text('policy_id'),
  status: oneOf('status', POLICY_STATUSES),
  startDate: day('start_date'),
  coveredFrom: nullable(day('covered_from')),
  endDate: day('end_date'),
  renewalWindowDays: integer('renewal_window_days'),
  graceDays: integer('grace_days'),
  graceUntil: nullable(day('grace_until')),
  issue: integer('issue'),
  endsOn: nullable(day('ends_on')),
  dependantIds: texts('dependant_ids'),
  memberDays: nullable(json<MemberDays[], 'member_days'>('member_days')),
  nextMoveOn: nullable(day('next_move_on')),
  noticesFrom: nullable(day('notices_from')),
  revision: integer('revision'),
})
/** Whether a node of an earlier version may have made its last transition, or somebody corrected it since. */
const UNSURE = columns('o', { isSinceUnsure: flag('is_since_unsure') })
const IS_UNSURE = '(p.status_since is null or p.status_since < p.last_modified_at)'

const LIST_OPEN = statement(
  'insurance_policies_list_open',
  `select ${STORED.list}, ${IS_UNSURE} as is_since_unsure
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

/** The history knows. A policy that changes concurrently is stored by who changes it. */
const FILL_SINCE = statement(
  'insurance_policies_fill_since',
  `update insurance_policies p
      set status_since = s.since
     from (${sinceAllText({ users: '$1', entities: '$2' })}) s
    where p.user_id = any ($1) and p.user_id = s.user_id and p.policy_id = s.entity_id
      and ${IS_UNSURE} and p.status_since is distinct from s.since
   returning 1 as n`,
)

/** The first day of a later term is announced; a policy that changes concurrently says so itself. */
const FILL_NOTICES = statement(
  'insurance_policies_fill_notices',
  `update insurance_policies p
      set notices_from = p.start_date
     from unnest($1::text[], $2::text[]) as k (user_id, policy_id)
    where p.user_id = any ($1) and p.user_id = k.user_id and p.policy_id = k.policy_id
      and p.notices_from is null and p.start_date > p.covered_from and p.start_date >= $3
   returning 1 as n`,
)

/** An open policy with its stored days. */
type StoredDays = RecordOf<typeof STORED> & RecordOf<typeof UNSURE>

export const listOpenPolicies = async (db: Queryable, after: { userId: string; id: string }): Promise<StoredDays[]> =>
  (await db.query<object>(LIST_OPEN, [after.userId, after.id])).map((row) => ({
    ...STORED.decode(row),
    ...UNSURE.decode(row),
  }))

/** Stores since when policies have their status, where it is not known or not right, and returns their number. */
export async function fillSince(db: Queryable, policies: readonly StoredDays[]): Promise<number> {
  if (policies.length === 0) return 0
  const users = [...new Set(policies.map(({ userId }) => userId))]
  return (await db.query(FILL_SINCE, [users, policies.map(({ id }) => id)])).length
}

/** Stores that the first day of a term is to be announced, and returns the number of policies. */
export async function fillNotices(db: Queryable, policies: readonly StoredDays[], today: Day): Promise<number> {
  if (policies.length === 0) return 0
  const values = [policies.map(({ userId }) => userId), policies.map(({ id }) => id), today]
  return (await db.query(FILL_NOTICES, values)).length
}

/** Returns false when the policy has changed since it was read. */
export async function storeDays(
  db: Queryable,
  { userId, id, revision }: StoredDays,
  days: { graceUntil: Day | null; nextMoveOn: Day | null },
): Promise<boolean> {
  return (await db.query(RECOUNT, [userId, id, revision, days.graceUntil, days.nextMoveOn])).length > 0
}
