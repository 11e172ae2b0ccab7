import { integer, json, nullable, text } from '../../../kernel/db/columns.ts'
import { statement } from '../../../kernel/db/database.ts'
import { recordedWrite } from '../../../record/index.ts'
import { DEPOSIT_PARTS, DRAW, HELD, LOCK_DEPOSIT, orByDeposit } from '../deposits/draw-store.ts'
import { SNAPSHOT_PARTS } from '../documents/store.ts'
import { LINKED_DECISIONS, LINKED_ENDORSEMENTS } from '../endorsements/linked-store.ts'
import { LINKED_CORRECTIONS } from './corrected-event.ts'
import { PLAN_FIELDS } from './copy-plan.ts'
import { POLICY } from './records.ts'

/** What an enrolment decides for good. */
const FIXED = ['id', 'userId', 'benefitId', 'benefitProviderId', 'planCode', 'createdAt'] as const

/** What only a transition that covers more days changes, or a nominee; a term that begins takes the rest from the plan. */
const OF_TERM = ['nomineeDependantId', ...PLAN_FIELDS] as const

/**
 * Every column but these, set from the row `r`, with the day that follows from them and what a transition sets. Notices that were sent are
 * not due again.
 */
const setAllBut = (
  fixed: Parameters<typeof POLICY.setAllBut>[0],
) => `${POLICY.setAllBut(fixed, 'r')}, next_move_on = r.next_move_on,
         notices_from = greatest(p.notices_from, r.notices_from),
         status_since = coalesce(r.status_since, p.status_since), is_sent_back = coalesce(r.is_sent_back, p.is_sent_back)`

/** A row of `insurance_policies`. */
export const ROW = { ...json<Record<string, unknown>, 'policy'>('policy'), type: 'json' }
export const ROW_AS_R = 'json_populate_record(null::insurance_policies, :policy) as r'

export const CHANGED_POLICY = {
  userId: text('user_id'),
  id: text('policy_id'),
  revision: integer('revision'),
  row: ROW,
}

const KEY = 'p.user_id = :user_id and p.policy_id = :policy_id'
const GUARD = 'p.revision = :revision'
const CHANGED_PARTS = [...SNAPSHOT_PARTS, LINKED_DECISIONS]

/** Updates a policy from its row, guarded by the revision that was read. */
export const CHANGE_POLICY = recordedWrite({
  name: 'insurance_policies_change',
  values: CHANGED_POLICY,
  update: 'insurance_policies p',
  set: setAllBut([...FIXED, ...OF_TERM]),
  from: ROW_AS_R,
  key: KEY,
  guard: GUARD,
  batched: true,
  linked: CHANGED_PARTS,
  history: 'user',
})

/** The same with what it takes from the deposit, or gives back to it: both, or none. */
const CHANGE_POLICY_BY_DEPOSIT = recordedWrite({
  name: 'insurance_policies_change_by_deposit',
  values: { ...CHANGED_POLICY, ...DRAW },
  lock: LOCK_DEPOSIT,
  single: `${HELD}, changed as (
       update insurance_policies p
           set ${setAllBut([...FIXED, ...OF_TERM])}
          from held, ${ROW_AS_R}
         where ${KEY} and ${GUARD}
       returning 1 as n)`,
  linked: [...CHANGED_PARTS, ...DEPOSIT_PARTS],
  history: 'user',
})

/** Updates a policy, with a draw where there is one. */
export const changePolicy = orByDeposit(CHANGE_POLICY, CHANGE_POLICY_BY_DEPOSIT)

/** SQL: locks the policy and raises the `cover_revision` that was read; with a condition `also`. */
export const coveredText = (also = '') => `covered as (
       update users
          set cover_revision = cover_revision + 1
        where user_id = :user_id and cover_revision = :cover_revision${also}
          and exists (select from insurance_policies p
                       where ${KEY} and ${GUARD}
                         for no key update)
       returning user_id
     )`

/** SQL: the write draws what the deposit holds. */
export const IF_HELD = ' and exists (select from held)'

const EXTENSION = { coverRevision: integer('cover_revision'), returnsTo: nullable(text('returns_to')) }
const EXTENDED_PARTS = [...SNAPSHOT_PARTS, LINKED_CORRECTIONS, LINKED_ENDORSEMENTS, LINKED_DECISIONS]

/** With a condition `also`. */
const extendText = (also = '') => `${coveredText(`${also}
          and (:returns_to::text is null
               or exists (select from benefits where benefit_id = :returns_to and status = 'ACTIVE' for share))`)}, changed as (
       update insurance_policies p
           set ${setAllBut(FIXED)}
          from covered, ${ROW_AS_R}
         where ${KEY} and ${GUARD}
       returning 1 as n)`

/**
 * The same for a transition that covers more days, and for the people of a policy that returns from EXPIRED. Guarded by
 * the `cover_revision` that was read too, so that no other policy can have covered the days, and no person has got a
 * new version, concurrently. `returns_to` is the benefit of a policy that returns, which must not be archived concurrently;
 * null for others, because a benefit with open policies cannot be.
 */
export const EXTEND_POLICY = recordedWrite({
  name: 'insurance_policies_extend',
  values: { ...CHANGED_POLICY, ...EXTENSION },
  single: extendText(),
  linked: EXTENDED_PARTS,
  history: 'user',
})

/** The same with what it takes from the deposit: both, or none. */
const EXTEND_POLICY_BY_DEPOSIT = recordedWrite({
  name: 'insurance_policies_extend_by_deposit',
  values: { ...CHANGED_POLICY, ...EXTENSION, ...DRAW },
  lock: LOCK_DEPOSIT,
  single: `${HELD}, ${extendText(IF_HELD)}`,
  linked: [...EXTENDED_PARTS, ...DEPOSIT_PARTS],
  history: 'user',
})

/** Extends a policy, with a draw where there is one. */
export const extendPolicy = orByDeposit(EXTEND_POLICY, EXTEND_POLICY_BY_DEPOSIT)

/** Removes the policy numbers of the erased user `$1`. */
export const ERASE_NUMBERS = statement(
  'insurance_policies_erase_numbers',
  'update insurance_policies set external_policy_id = null, master_policy_number = null where user_id = $1',
)

/** Clears who the policies of the user `$1` covered; dates, premiums and numbers stay. */
export const ERASE_COVERED = statement(
  'insurance_policies_erase',
  `update insurance_policies
      set sealed = null, nominee_dependant_id = null, dependant_ids = '{}', member_days = null,
          issued_dependant_ids = case when issued_dependant_ids is null then null else '{}'::text[] end
    where user_id = $1`,
)
