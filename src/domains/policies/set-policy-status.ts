import type { CallerKind } from '../../access/caller.ts'
import { scopeOnUser } from '../../access/scope.ts'
import type { Deps } from '../../deps.ts'
import { todayIn } from '../../kernel/clock.ts'
import { addDays, type Day, lastDayOfTerm } from '../../kernel/date.ts'
import { nextVersion } from '../../kernel/db/version.ts'
import { checkFresh } from '../../kernel/http/conditional.ts'
import { invalid } from '../../kernel/refusal.ts'
import { type By, type Change, type Decision, type Recorded, transition, unchanged } from '../../record/index.ts'
import { type PolicySnapshot, rowsOfSnapshot } from '../documents/index.ts'
import { type Policy, rowOfPolicy } from './open-policy.ts'
import { versionOf } from './present.ts'
import type { StatusForm } from './schemas.ts'
import { matchesLastIssue, snapshotOf } from './snapshot-of.ts'
import { graceUntil, POLICY_MACHINE, type PolicyStatus, startsNextTerm } from './states.ts'
import { CHANGE_POLICY, ENROLLED_ALREADY, findPolicyToChange } from './store.ts'

type StatusChange = { userId: string; policyId: string; form: StatusForm; ifMatch: string | undefined }

export type StatusChanged = { policy: Policy; previous: PolicyStatus }

/** Changes the status of a policy. Throws 404, 409 `invalid_state` or `conflict`, 412, 422 when a reason is missing. */
export async function setPolicyStatus(
  kit: Pick<Deps, 'db' | 'vault' | 'calendar'>,
  { userId, policyId, form, ifMatch }: StatusChange,
  by: By,
): Promise<Decision<StatusChanged>> {
  const of = { id: policyId, isIssue: form.status === 'ISSUED' }
  const { policy, parties, lastSnapshot } = await findPolicyToChange(kit, scopeOnUser(by.caller, userId), of)
  checkFresh(ifMatch, () => versionOf(policy))
  if (policy.status === form.status) return unchanged({ policy, previous: policy.status })
  const today = todayIn(kit.calendar)
  const decided = decidePolicyTransition(policy, form, { who: by.caller.kind, at: by.at, today, lastSnapshot })
  if (!decided.isIssued) return changePolicy(decided, by)
  const snapshot = snapshotOf(decided.policy, { ...parties(), madeOn: today })
  const rows = rowsOfSnapshot(kit.vault, { policy: decided.policy, snapshot, at: by.at })
  return { ...changePolicy(decided, by), rows }
}

/** The change that makes a transition true which issues nothing. */
export const changePolicy = ({ policy, previous, history, events }: Transitioned, by: By): Change<StatusChanged> => ({
  result: { policy, previous },
  write: CHANGE_POLICY,
  values: [policy.userId, policy.id, policy.revision - 1, rowOfPolicy(policy, by.at)],
  history,
  events,
  conflicts: ENROLLED_ALREADY,
})

type Circumstances = { who: CallerKind; at: Date; today: Day; lastSnapshot?: PolicySnapshot | undefined }

/** A policy as it will be, and whether that is a new issue of it. */
export type Transitioned = StatusChanged & Recorded & { isIssued: boolean }

/** Decides a transition of a policy. Pure; throws 409 `invalid_state`, 403, 422 when a reason is missing. */
export function decidePolicyTransition(
  policy: Policy,
  form: StatusForm,
  { who, at, today, lastSnapshot }: Circumstances,
): Transitioned {
  const { found, history, events } = transition(POLICY_MACHINE, policy, { to: form.status, who, reason: form.reason })
  if (found.needsReason && form.reason === undefined) {
    throw invalid([{ pointer: '/reason', code: 'required', detail: 'This transition needs a reason.' }])
  }
  const term = startsNextTerm(found, { endDate: policy.endDate, today }) ? nextTerm(policy) : {}
  const changed = { ...policy, ...sentWith(form, policy), ...term, status: found.to }
  // A missed instalment that is paid issues nothing when nothing else changed: the certificate stands, an uploaded one too.
  const isOutOfGrace = found.from === 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE'
  const isIssued = found.to === 'ISSUED' && !(isOutOfGrace && matchesLastIssue(changed, lastSnapshot))
  return {
    policy: {
      ...nextVersion(changed, at),
      ...(isIssued && { issue: policy.issue + 1, issuedDependantIds: policy.dependantIds }),
      graceUntil: graceUntil(changed, today),
    },
    previous: found.from,
    isIssued,
    history,
    events,
  }
}

/** What the provider knows of the policy and sent along. */
const sentWith = (form: StatusForm, policy: Policy) => ({
  externalPolicyId: form.external_policy_id ?? policy.externalPolicyId,
  masterPolicyNumber: form.master_policy_number ?? policy.masterPolicyNumber,
  private: { ...policy.private, ...(form.provider_metadata && { provider_metadata: form.provider_metadata }) },
})

function nextTerm({ endDate, termMonths }: Policy): Pick<Policy, 'startDate' | 'endDate'> {
  const startDate = addDays(endDate, 1)
  return { startDate, endDate: lastDayOfTerm(startDate, termMonths) }
}
