import { actorOf } from '../../../access/caller.ts'
import { scopeValues, type UserScope } from '../../../access/scope.ts'
import { batchedRead } from '../../../kernel/batching/batched-read.ts'
import { sealedColumn, UNAVAILABLE } from '../../../kernel/crypto/sealed-column.ts'
import type { Day } from '../../../kernel/date.ts'
import { columns, day, integer, nullable, oneOf, text, time } from '../../../kernel/db/columns.ts'
import { foundRow, type Queryable, statement } from '../../../kernel/db/database.ts'
import { listText } from '../../../kernel/db/list-text.ts'
import { decodePage, type Page } from '../../../kernel/db/page.ts'
import { linkedInsert, type LinkedRows } from '../../../kernel/db/write-statement.ts'
import { CURRENCIES } from '../../../kernel/money.ts'
import { newId } from '../../../kernel/id.ts'
import { type Author, type Deps, recordedWrite } from '../../../record/index.ts'
import type { PolicySnapshot } from '../documents/policy-snapshot.ts'
import { DEPOSIT_PARTS, DRAW, HELD, LOCK_DEPOSIT, orByDeposit } from '../deposits/draw-store.ts'
import { SNAPSHOT } from '../documents/store.ts'
import type { User } from '../../people/users/index.ts'
import { CHANGED_POLICY, coveredText, IF_HELD, ROW_AS_R } from './change-store.ts'
import { LINKED_DECISIONS, LINKED_ENDORSEMENTS } from '../endorsements/linked-store.ts'
import { decodePending } from '../endorsements/pending-store.ts'
import { END, type StoredEnd } from './present-end.ts'
import { type End, END_CODES } from './decide-end.ts'
import type { Policy } from './records.ts'
import {
  type ConditionsRow,
  conditionsFrom,
  conditionsText,
  FIND_PARAMETERS,
  findText,
  pendingOf,
  type PendingRow,
  type Row,
  unseal,
} from './store.ts'

type EndRow = Row &
  ConditionsRow &
  PendingRow & {
    cover_revision: number
    end_id: string | null
    snapshots: { issue: number; sealed: string }[] | null
  }

/** With the snapshots of all issues, newest first, where the day is before the record's term. */
const FIND = batchedRead<EndRow>({
  name: 'insurance_policies_find_end',
  parameters: `${FIND_PARAMETERS}, new_end date`,
  text: (calls, user, platform, provider, policy, newEnd) =>
    findText(calls, [user, platform, provider, policy], {
      columns: `, ${conditionsText(user, policy)}, u.cover_revision, ${pendingOf(user)}, ${END.list},
         case when ${newEnd} < p.start_date then (
           select json_agg(json_build_object('issue', a.issue, 'sealed', a.sealed) order by a.issue desc)
             from policy_snapshots a where a.user_id = ${user} and a.policy_id = ${policy} and a.issue > 0
         ) end as snapshots`,
      joins: `join sponsors s on s.sponsor_id = b.sponsor_id
     left join lateral (
       select ${END.list} from policy_ends e
        where e.user_id = ${user} and e.policy_id = ${policy} and p.ends_on is not null
        order by e.at desc, e.end_id desc
        limit 1) e on true`,
    }),
})

export const END_REASON = sealedColumn<string, { userId: string; policyId: string; id: string }>(
  'policy_ends.sealed_reason',
  {
    row: ({ userId, policyId, id }) => `policy_ends:${userId}:${policyId}:${id}`,
  },
)

/** Returns a policy with its end, and what a change of that depends on. Throws 404 `not_found` when it is not in scope. */
export async function findPolicyWithEnd({ db, vault }: Deps, scope: UserScope, id: string, newEnd: Day | null = null) {
  const row = foundRow(await FIND(db, [...scopeValues(scope), id, newEnd]))
  const policy = unseal(row, vault)
  const end = row.end_id === null ? null : unsealReason(policy, END.decode(row))
  return {
    policy,
    end,
    conditions: conditionsFrom(row),
    coverRevision: row.cover_revision,
    pending: decodePending(row.pending),
    snapshots: (row.snapshots ?? []).flatMap((one) => unsealSnapshot(policy, one)),
  }
}

const unsealReason = ({ userId, id: policyId, key }: Policy, { reason, ...end }: StoredEnd) => ({
  ...end,
  reason: reason && END_REASON.unseal(key, { userId, policyId, id: end.id }, reason),
})

/** One that cannot be read is left out: its term is counted instead. */
function unsealSnapshot(
  { userId, id, key }: Policy,
  { issue, sealed }: { issue: number; sealed: string },
): PolicySnapshot[] {
  const snapshot = SNAPSHOT.unsealOr(key, { userId, id, issue }, sealed, undefined)
  return snapshot ? [snapshot] : []
}

const EXPORTED = columns('e', { ...END.fields, policyId: text('policy_id') })
const CURRENCY = columns('p', { currency: oneOf('currency', CURRENCIES) })

/** The ends that were set; a withdrawal stands in the timeline alone. */
const LIST_OF_USER = statement(
  'policy_ends_list',
  listText({
    columns: `${EXPORTED.list}, ${CURRENCY.list}`,
    from: 'policy_ends e join insurance_policies p on p.user_id = $1 and p.policy_id = e.policy_id',
    where: 'e.user_id = $1 and e.ends_on is not null',
    order: 'e.end_id desc',
    limit: '$2',
    offset: '$3',
  }),
)

/** Returns a page of the ends of all policies of a user, newest first. */
export async function listEnds(db: Queryable, { id: userId, key }: Pick<User, 'id' | 'key'>, { limit, offset }: Page) {
  const rows = await db.query<{ total: number }>(LIST_OF_USER, [userId, limit, offset])
  return decodePage(rows, 'end_id', (row) => {
    const { policyId, reason, ...end } = EXPORTED.decode(row)
    const text = reason && END_REASON.unsealOr(key, { userId, policyId, id: end.id }, reason, UNAVAILABLE)
    return { id: policyId, ...CURRENCY.decode(row), end: { ...end, reason: text } }
  })
}

const LINKED_ENDS = linkedInsert('policy_ends', {
  userId: text('user_id'),
  policyId: text('policy_id'),
  id: text('end_id'),
  endsOn: nullable(day('ends_on')),
  code: nullable(oneOf('code', END_CODES)),
  reason: nullable(text('sealed_reason')),
  refundDays: nullable(integer('refund_days')),
  refundEstimatePaise: nullable(integer('refund_estimate_paise')),
  amountPaise: nullable(integer('amount_paise')),
  actor: text('actor'),
  at: time('at'),
})

/** Returns the row of an end that is set, or taken back. */
export function toRowsOfEnd(
  { userId, id: policyId, key }: Policy,
  end: End | null,
  { caller, at }: Author,
): LinkedRows {
  const id = newId('end')
  const reason = end?.reason ?? null
  return LINKED_ENDS.rows([
    {
      user_id: userId,
      policy_id: policyId,
      end_id: id,
      ends_on: end?.endsOn,
      code: end?.code,
      sealed_reason: reason === null ? null : END_REASON.seal(key, { userId, policyId, id }, reason),
      refund_days: end?.refundDays,
      refund_estimate_paise: end?.refundEstimatePaise,
      amount_paise: end?.amountPaise,
      actor: actorOf(caller),
      at,
    },
  ])
}

const ENDED = { ...CHANGED_POLICY, coverRevision: integer('cover_revision') }
const ENDED_PARTS = [LINKED_ENDORSEMENTS, LINKED_DECISIONS, LINKED_ENDS]

/** With a condition `also`. */
const endText = (also = '') => `${coveredText(also)}, changed as (
       update insurance_policies p
           set dependant_ids = r.dependant_ids, member_days = r.member_days, ends_on = r.ends_on, ends_from = r.ends_from, status = r.status, grace_until = r.grace_until,
               next_move_on = r.next_move_on, revision = r.revision, last_modified_at = r.last_modified_at,
               status_since = case when p.status = r.status then p.status_since else r.status_since end,
               is_sent_back = p.is_sent_back and p.status = r.status
          from covered, ${ROW_AS_R}
         where p.user_id = :user_id and p.policy_id = :policy_id and p.revision = :revision
       returning 1 as n)`

/**
 * Sets the end of a policy and what the calendar makes of it; the term stays as it is. Guarded by the revision and by the `cover_revision` that
 * were read, so that no other policy can have covered the days concurrently that an end that is moved or taken back gives back.
 */
const END_POLICY = recordedWrite({
  name: 'insurance_policies_end',
  values: ENDED,
  single: endText(),
  linked: ENDED_PARTS,
  history: 'user',
})

/** The same with what it gives back to the deposit, or takes from it again: both, or none. */
const END_POLICY_BY_DEPOSIT = recordedWrite({
  name: 'insurance_policies_end_by_deposit',
  values: { ...ENDED, ...DRAW },
  lock: LOCK_DEPOSIT,
  single: `${HELD}, ${endText(IF_HELD)}`,
  linked: [...ENDED_PARTS, ...DEPOSIT_PARTS],
  history: 'user',
})

/** Ends a policy, with a draw where there is one. */
export const endPolicy = orByDeposit(END_POLICY, END_POLICY_BY_DEPOSIT)
