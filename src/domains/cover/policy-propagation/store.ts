import {
  columns,
  day,
  integer,
  json,
  nullable,
  oneOf,
  type RecordOf,
  text,
  texts,
  time,
} from '../../../kernel/db/columns.ts'
import { linkedWrite } from '../../../kernel/db/write-statement.ts'
import { pendingText } from '../endorsements/index.ts'
import { isOpen, type MemberDays, POLICY_STATUSES } from '../policies/index.ts'

const LINKED_POLICY = columns('f', {
  id: text('policy_id'),
  benefitProviderId: text('benefit_provider_id'),
  status: oneOf('policy_status', POLICY_STATUSES),
  dependantIds: texts('dependant_ids'),
  memberDays: nullable(json<MemberDays[], 'member_days'>('member_days')),
  nomineeDependantId: nullable(text('nominee_dependant_id')),
  endDate: day('end_date'),
  renewalWindowDays: integer('renewal_window_days'),
  graceDays: integer('grace_days'),
  graceUntil: nullable(day('grace_until')),
  issue: integer('issue'),
  endsOn: nullable(day('ends_on')),
  personsVersion: integer('persons_version'),
  revision: integer('policy_revision'),
  /** The pending endorsements, which `decodePending` reads. */
  pending: nullable(json<object[]>('pending')),
})

/** An open policy, read together with the person whose correction it follows. */
export type LinkedPolicy = RecordOf<typeof LINKED_POLICY>

/** Returns the open policies of the user `:user_id` that meet a condition. */
const readOpenPolicies = (condition: string) => ({
  columns: LINKED_POLICY.list,
  from: `lateral (
       select p.policy_id, p.benefit_provider_id, p.status as policy_status, p.dependant_ids, p.member_days, p.nominee_dependant_id,
              p.end_date, p.renewal_window_days, p.grace_days, p.grace_until, p.issue, p.ends_on, p.persons_version,
              p.revision as policy_revision, ${pendingText(':user_id', 'p.policy_id')} as pending
         from insurance_policies p
        where p.user_id = :user_id and ${isOpen('p')}
          and ${condition}
        order by p.policy_id) f`,
})

/** The policies that cover, covered, are to cover, or nominate the dependant `:dependant_id`. */
export const POLICIES_OF_DEPENDANT = readOpenPolicies(
  `(:dependant_id = any (p.dependant_ids) or p.nominee_dependant_id = :dependant_id
            or p.member_days @> jsonb_build_array(jsonb_build_object('id', :dependant_id)))`,
)
/** All policies: each prints its user. */
export const POLICIES_OF_USER = readOpenPolicies('true')

export const decodeLinkedPolicies = (rows: readonly object[]): LinkedPolicy[] =>
  rows.filter((row) => (row as { policy_id: string | null }).policy_id !== null).map(LINKED_POLICY.decode)

/**
 * SQL: every policy of the user `:user_id` in the list `:seen` still has the listed revision. Locks them until the
 * write commits.
 */
export const POLICIES_GUARD = `not exists (
  select from json_to_recordset(:seen) as s (policy_id text, revision int)
   where not exists (
     select from insurance_policies p
      where p.user_id = :user_id and p.policy_id = s.policy_id and p.revision = s.revision
        for no key update))`

/** The value `seen` of `POLICIES_GUARD`. */
export const encodeSeen = (linked: readonly LinkedPolicy[]): string =>
  JSON.stringify(linked.map(({ id, revision }) => ({ policy_id: id, revision })))

export const LINKED_POLICIES = linkedWrite(
  {
    id: text('policy_id'),
    status: oneOf('status', POLICY_STATUSES),
    dependantIds: texts('dependant_ids'),
    memberDays: nullable(json<MemberDays[], 'member_days'>('member_days')),
    nomineeDependantId: nullable(text('nominee_dependant_id')),
    graceUntil: nullable(day('grace_until')),
    nextMoveOn: nullable(day('next_move_on')),
    personsVersion: integer('persons_version'),
    at: time('at'),
  },
  {
    name: 'followed',
    text: `update insurance_policies p
        set status = r.status, dependant_ids = r.dependant_ids, member_days = r.member_days, nominee_dependant_id = r.nominee_dependant_id,
            grace_until = r.grace_until, next_move_on = r.next_move_on, persons_version = r.persons_version,
            status_since = case when p.status = r.status then p.status_since else r.at end,
            is_sent_back = p.is_sent_back and p.persons_version = r.persons_version,
            revision = p.revision + 1, last_modified_at = r.at
       from r
       join changed using (n)
      where p.user_id = :user_id and p.policy_id = r.policy_id`,
  },
)
