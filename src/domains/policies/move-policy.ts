import type { Actor } from '../../access/caller.ts'
import { scopeOnUser } from '../../access/scope.ts'
import { type Clock, todayIn } from '../../kernel/clock.ts'
import type { Vault } from '../../kernel/crypto/vault.ts'
import { addDays, lastDayOfTerm } from '../../kernel/date.ts'
import type { Tx, WireTime } from '../../kernel/db/database.ts'
import { checkFresh } from '../../kernel/http/conditional.ts'
import { invalid } from '../../kernel/refusal.ts'
import { findMove } from '../../kernel/state-machine.ts'
import { recordAndTellUserMove } from '../events/index.ts'
import { keepPolicyFacts, saysWhatWasIssued } from './keep-policy-facts.ts'
import { versionOf } from './present.ts'
import type { StatusForm } from './schemas.ts'
import { graceUntil, POLICY_MOVES, type PolicyStatus, startsNextTerm } from './states.ts'
import { lockPolicy, type Policy, updatePolicy } from './store.ts'

type Kit = { vault: Vault; calendar: Clock }
type MoveForm = { userId: string; policyId: string; form: StatusForm; ifMatch: string | undefined; by: Actor }
export type Moved = { id: string; status: PolicyStatus; previous_status: PolicyStatus; last_modified_at: WireTime }

/** Moves a policy along its state table, with history and event. 404, 409 `invalid_state`, 412, 422 when a reason is missing. */
export async function movePolicy(
  tx: Tx,
  { vault, calendar }: Kit,
  { userId, policyId, form, ifMatch, by }: MoveForm,
): Promise<Moved> {
  const policy = await lockPolicy(tx, vault, scopeOnUser(by.caller, userId), policyId)
  checkFresh(ifMatch, () => versionOf(policy))
  return moveLockedPolicy(tx, { vault, calendar }, { policy, form, by })
}

/** The same for a policy that this transaction holds already. */
export async function moveLockedPolicy(
  tx: Tx,
  { vault, calendar }: Kit,
  { policy, form, by }: { policy: Policy; form: StatusForm; by: Actor },
): Promise<Moved> {
  const move = findMove(POLICY_MOVES, { from: policy.status, to: form.status, who: by.caller.kind })
  if (move.needsReason && form.reason === undefined) {
    throw invalid([{ pointer: '/reason', code: 'required', detail: 'This move needs a reason.' }])
  }
  await recordAndTellUserMove(tx, policy, {
    type: 'policy.status_changed',
    idName: 'insurance_policy_id',
    entityId: policy.id,
    from: move.from,
    to: move.to,
    by,
    reason: { text: form.reason, key: policy.key },
  })
  const today = todayIn(calendar)
  const renewed = startsNextTerm(move, { endDate: policy.end_date, today })
  const term = renewed ? nextTerm(policy) : {}
  const changed = { ...policy, ...changesOf(policy, form), ...term, status: move.to }
  // A missed instalment that is paid issues nothing when nothing else changed: the certificate stands, also an uploaded one.
  const isPaid = move.from === 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE' && !renewed
  const isIssued = move.to === 'ISSUED' && !(isPaid && (await saysWhatWasIssued(tx, changed)))
  const issued = isIssued ? { issue: policy.issue + 1, issued_dependant_ids: policy.dependant_ids } : {}
  const moved = { ...changed, ...issued, grace_until: graceUntil(changed, today) }
  if (isIssued) await keepPolicyFacts(tx, vault, { policy: moved, made_on: today })
  return { id: policy.id, status: move.to, previous_status: move.from, last_modified_at: await updatePolicy(tx, moved) }
}

function changesOf(policy: Policy, form: StatusForm) {
  return {
    external_policy_id: form.external_policy_id ?? policy.external_policy_id,
    master_policy_number: form.master_policy_number ?? policy.master_policy_number,
    private: { ...policy.private, ...(form.provider_metadata && { provider_metadata: form.provider_metadata }) },
  }
}

function nextTerm({ end_date, term_months }: Policy) {
  const start_date = addDays(end_date, 1)
  return { start_date, end_date: lastDayOfTerm(start_date, term_months) }
}
