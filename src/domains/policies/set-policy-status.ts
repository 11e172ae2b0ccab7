import type { CallerKind } from '../../access/caller.ts'
import { scopeOnUser } from '../../access/scope.ts'
import type { Deps } from '../../deps.ts'
import { todayIn, wireTime } from '../../kernel/clock.ts'
import type { Day } from '../../kernel/date.ts'
import type { Vault } from '../../kernel/crypto/vault.ts'
import { nextVersion } from '../../kernel/db/version.ts'
import { checkFresh } from '../../kernel/http/conditional.ts'
import { conflict, invalid } from '../../kernel/refusal.ts'
import { type By, type Change, type Decision, type Recorded, transition, unchanged } from '../../record/index.ts'
import { type PolicySnapshot, rowsOfSnapshot } from '../documents/index.ts'
import { checkApart, type Cover } from './check-apart.ts'
import { type Policy, rowOfPolicy, type Standing } from './open-policy.ts'
import { versionOf } from './present.ts'
import type { StatusForm } from './schemas.ts'
import { matchesLastIssue, snapshotOf } from './snapshot-of.ts'
import { afterCalendar, graceUntil, issuesWhatIsOver, nextTerm, POLICY_MACHINE, startsNextTerm } from './states.ts'
import { CHANGE_POLICY, EXTEND_POLICY, findPolicyToChange } from './store.ts'

type StatusChange = { userId: string; policyId: string; form: StatusForm; ifMatch: string | undefined }

/** Changes the status of a policy. Throws 404, 409 `invalid_state` or `conflict`, 412, 422 when a reason is missing. */
export async function setPolicyStatus(
  kit: Pick<Deps, 'db' | 'vault' | 'calendar'>,
  { userId, policyId, form, ifMatch }: StatusChange,
  by: By,
): Promise<Decision<Standing>> {
  const of = { id: policyId, isIssue: form.status === 'ISSUED' }
  const { parties, since, policy: stored, ...found } = await findPolicyToChange(kit, scopeOnUser(by.caller, userId), of)
  checkFresh(ifMatch, () => versionOf(stored))
  const today = todayIn(kit.calendar)
  const { policy, ...late } = afterCalendar(stored, today)
  if (policy.status === form.status) return unchanged({ policy: stored, since })
  const decided = decidePolicyTransition(policy, form, { ...found, who: by.caller.kind, at: by.at, today })
  const { isIssued, isLonger, history, events } = decided
  return {
    ...changePolicy(decided, by),
    ...(isLonger && { write: EXTEND_POLICY, values: [...valuesOf(decided, by), found.coverRevision] }),
    ...(isIssued && { rows: issueRows(kit.vault, decided.policy, { ...parties(), madeOn: today, at: by.at }) }),
    history: [...late.history, ...history],
    events: [...late.events, ...events],
  }
}

const issueRows = (vault: Vault, policy: Policy, { at, ...of }: Parameters<typeof snapshotOf>[1] & { at: Date }) =>
  rowsOfSnapshot(vault, { policy, snapshot: snapshotOf(policy, of), at })

/** The change that makes a transition true which issues nothing. */
export const changePolicy = (decided: Transitioned, by: By): Change<Standing> => ({
  result: { policy: decided.policy, since: wireTime(by.at) },
  write: CHANGE_POLICY,
  values: valuesOf(decided, by),
  history: decided.history,
  events: decided.events,
})

const valuesOf = ({ policy }: Transitioned, { at }: By) => [
  policy.userId,
  policy.id,
  policy.revision - 1,
  rowOfPolicy(policy, at),
]

type Circumstances = {
  who: CallerKind
  at: Date
  today: Day
  lastSnapshot?: PolicySnapshot | undefined
  others?: readonly Cover[]
}

/** A policy as it will be; whether that is a new issue of it, and whether it covers days that it did not. */
export type Transitioned = Recorded & { policy: Policy; isIssued: boolean; isLonger: boolean }

/**
 * Decides a transition of a policy. Pure; throws 409 `invalid_state`, 409 `conflict` for an issue whose term is over
 * and for days that another policy covers, 403, 422 when a reason is missing.
 */
export function decidePolicyTransition(
  policy: Policy,
  form: StatusForm,
  { who, at, today, lastSnapshot, others = [] }: Circumstances,
): Transitioned {
  const { found, history, events } = transition(POLICY_MACHINE, policy, { to: form.status, who, reason: form.reason })
  if (found.needsReason && form.reason === undefined) {
    throw invalid([{ pointer: '/reason', code: 'required', detail: 'This transition needs a reason.' }])
  }
  const isNext = startsNextTerm(found, { endDate: policy.endDate, today })
  if (issuesWhatIsOver(found, policy, today)) {
    throw conflict(`The term ended on ${policy.endDate}, and its grace is over.`, { reason: 'term_over' })
  }
  const changed = { ...policy, ...sentWith(form, policy), ...(isNext && nextTerm(policy)), status: found.to }
  const isLonger = isNext || found.from === 'EXPIRED'
  const from = isNext ? changed.startDate : policy.coveredFrom
  if (isLonger) checkApart(others, { from, to: changed.endDate, today })
  // A missed instalment that is paid issues nothing when nothing else changed: the certificate stands, an uploaded one too.
  const isOutOfGrace = found.from === 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE'
  const isIssued = found.to === 'ISSUED' && !(isOutOfGrace && matchesLastIssue(changed, lastSnapshot))
  return {
    policy: {
      ...nextVersion(changed, at),
      ...(isIssued && { issue: policy.issue + 1, issuedDependantIds: policy.dependantIds }),
      graceUntil: graceUntil(changed, today),
    },
    isIssued,
    isLonger,
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
