import type { CallerKind } from '../../access/caller.ts'
import { scopeOnUser } from '../../access/scope.ts'
import type { Deps } from '../../deps.ts'
import { todayIn, wireTime } from '../../kernel/clock.ts'
import type { Day } from '../../kernel/date.ts'
import type { Vault } from '../../kernel/crypto/vault.ts'
import { nextVersion } from '../../kernel/db/version.ts'
import { checkFresh } from '../../kernel/http/conditional.ts'
import { conflict, invalid } from '../../kernel/problem-error.ts'
import { type By, type Change, type Decision, type Recorded, transition, unchanged } from '../../record/index.ts'
import { type PolicySnapshot, rowsOfSnapshot } from '../documents/index.ts'
import { checkNoOverlap, type Cover } from './check-no-overlap.ts'
import { type Policy, rowOfPolicy, type PolicyStanding } from './open-policy.ts'
import { versionOf } from './present.ts'
import type { StatusInput } from './schemas.ts'
import { matchesLastIssue, snapshotOf } from './snapshot-of.ts'
import { afterCalendar, graceUntil, issuesWhatIsOver, nextTerm, POLICY_MACHINE, startsNextTerm } from './states.ts'
import { CHANGE_POLICY, EXTEND_POLICY, findPolicyToChange } from './store.ts'

type StatusChange = { userId: string; policyId: string; input: StatusInput; ifMatch: string | undefined }

/** Changes the status of a policy. Throws 404, 409 `invalid_state` or `conflict`, 412, 422 when a reason is missing. */
export async function setPolicyStatus(
  context: Pick<Deps, 'db' | 'vault' | 'calendar'>,
  { userId, policyId, input, ifMatch }: StatusChange,
  by: By,
): Promise<Decision<PolicyStanding>> {
  const of = { id: policyId, isIssue: input.status === 'ISSUED' }
  const {
    parties,
    since,
    policy: stored,
    ...found
  } = await findPolicyToChange(context, scopeOnUser(by.caller, userId), of)
  checkFresh(ifMatch, () => versionOf(stored))
  const today = todayIn(context.calendar)
  const { policy, ...late } = afterCalendar(stored, today)
  if (policy.status === input.status) return unchanged({ policy: stored, since })
  const decided = decidePolicyTransition(policy, input, { ...found, who: by.caller.kind, at: by.at, today })
  const { isIssued, isLonger, history, events } = decided
  return {
    ...changePolicy(decided, by),
    ...(isLonger && { write: EXTEND_POLICY, values: [...valuesOf(decided, by), found.coverRevision] }),
    ...(isIssued && { rows: issueRows(context.vault, decided.policy, { ...parties(), madeOn: today, at: by.at }) }),
    history: [...late.history, ...history],
    events: [...late.events, ...events],
  }
}

const issueRows = (vault: Vault, policy: Policy, { at, ...of }: Parameters<typeof snapshotOf>[1] & { at: Date }) =>
  rowsOfSnapshot(vault, { policy, snapshot: snapshotOf(policy, of), at })

/** The change that makes a transition true which issues nothing. */
export const changePolicy = (decided: Transitioned, by: By): Change<PolicyStanding> => ({
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

type TransitionContext = {
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
  input: StatusInput,
  { who, at, today, lastSnapshot, others = [] }: TransitionContext,
): Transitioned {
  const { found, history, events } = transition(POLICY_MACHINE, policy, { to: input.status, who, reason: input.reason })
  if (found.needsReason && input.reason === undefined) {
    throw invalid([{ pointer: '/reason', code: 'required', detail: 'This transition needs a reason.' }])
  }
  const isNext = startsNextTerm(found, { endDate: policy.endDate, today })
  if (issuesWhatIsOver(found, policy, today)) {
    throw conflict(`The term ended on ${policy.endDate}, and its grace is over.`, { reason: 'term_over' })
  }
  const changed = { ...policy, ...sentWith(input, policy), ...(isNext && nextTerm(policy)), status: found.to }
  const isLonger = isNext || found.from === 'EXPIRED'
  if (isLonger) checkNoOverlap(others, { from: isNext ? changed.startDate : policy.coveredFrom, to: changed.endDate })
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
const sentWith = (input: StatusInput, policy: Policy) => ({
  externalPolicyId: input.external_policy_id ?? policy.externalPolicyId,
  masterPolicyNumber: input.master_policy_number ?? policy.masterPolicyNumber,
  private: { ...policy.private, ...(input.provider_metadata && { provider_metadata: input.provider_metadata }) },
})
