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
import { findCurrentVersions } from '../dependants/index.ts'
import { type PolicySnapshot, rowsOfSnapshot } from '../documents/index.ts'
import { checkNoOverlap, type Cover } from './check-no-overlap.ts'
import { type Policy, rowOfPolicy, type PolicyWithSince } from './open-policy.ts'
import { versionOf } from './present.ts'
import type { StatusInput } from './schemas.ts'
import { matchesLastIssue, snapshotOf } from './snapshot-of.ts'
import { afterCalendar, graceUntil, issuesEndedTerm, nextTerm, POLICY_MACHINE, startsNextTerm } from './states.ts'
import { CHANGE_POLICY, EXTEND_POLICY, findPolicyToChange } from './store.ts'

type StatusChange = { userId: string; policyId: string; input: StatusInput; ifMatch: string | undefined }

/**
 * Decides a change of a policy's status. Throws 404, 409 `invalid_state` or `conflict`, 412, 422 when a reason is
 * missing.
 */
export async function setPolicyStatus(
  context: Pick<Deps, 'db' | 'vault' | 'calendar'>,
  { userId, policyId, input, ifMatch }: StatusChange,
  by: By,
): Promise<Decision<PolicyWithSince>> {
  const query = { id: policyId, isIssue: input.status === 'ISSUED' }
  const {
    parties,
    since,
    policy: stored,
    ...found
  } = await findPolicyToChange(context, scopeOnUser(by.caller, userId), query)
  checkFresh(ifMatch, () => versionOf(stored))
  const today = todayIn(context.calendar)
  const { policy, ...late } = afterCalendar(stored, today)
  if (policy.status === input.status) return unchanged({ policy: stored, since })
  const returning = stored.status === 'EXPIRED' ? await withCurrentPeople(context, policy) : policy
  const decided = decidePolicyTransition(returning, input, { ...found, who: by.caller.kind, at: by.at, today })
  const { isIssued, isLonger, history, events } = decided
  return {
    ...changePolicy(decided, by),
    ...(isLonger && { write: EXTEND_POLICY, values: [...valuesOf(decided, by), found.coverRevision] }),
    ...(isIssued && { rows: issueRows(context.vault, decided.policy, { ...parties(), madeOn: today, at: by.at }) }),
    history: [...late.history, ...history],
    events: [...late.events, ...events],
  }
}

/** Returns a policy that followed no new versions, because it had ended, with the current versions of its people. */
async function withCurrentPeople({ db }: Pick<Deps, 'db'>, policy: Policy): Promise<Policy> {
  const { userId, dependantIds, nomineeDependantId } = policy
  const ids = nomineeDependantId === null ? dependantIds : [...dependantIds, nomineeDependantId]
  if (ids.length === 0) return policy
  const current = await findCurrentVersions(db, userId, ids)
  const currentId = (id: string) => current.get(id) ?? id
  return {
    ...policy,
    dependantIds: dependantIds.map(currentId),
    nomineeDependantId: nomineeDependantId && currentId(nomineeDependantId),
  }
}

const issueRows = (vault: Vault, policy: Policy, { at, ...parties }: Parameters<typeof snapshotOf>[1] & { at: Date }) =>
  rowsOfSnapshot(vault, { policy, snapshot: snapshotOf(policy, parties), at })

/** Returns the change that writes a transition which issues nothing. */
export const changePolicy = (decided: DecidedTransition, by: By): Change<PolicyWithSince> => ({
  result: { policy: decided.policy, since: wireTime(by.at) },
  write: CHANGE_POLICY,
  values: valuesOf(decided, by),
  history: decided.history,
  events: decided.events,
})

const valuesOf = ({ policy }: DecidedTransition, { at }: By) => [
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

/** The changed policy, whether it is a new issue, and whether it covers more days than before. */
export type DecidedTransition = Recorded & { policy: Policy; isIssued: boolean; isLonger: boolean }

/**
 * Decides a transition of a policy. Pure. Throws 409 `invalid_state`, 409 `conflict` for an issue after the term and
 * for days that another policy covers, 403, 422 when a reason is missing.
 */
export function decidePolicyTransition(
  policy: Policy,
  input: StatusInput,
  { who, at, today, lastSnapshot, others = [] }: TransitionContext,
): DecidedTransition {
  const { found, history, events } = transition(POLICY_MACHINE, policy, { to: input.status, who, reason: input.reason })
  if (found.needsReason && input.reason === undefined) {
    throw invalid([{ pointer: '/reason', code: 'required', detail: 'Required for this transition.' }])
  }
  const isNext = startsNextTerm(found, { endDate: policy.endDate, today })
  if (issuesEndedTerm(found, policy, today)) {
    throw conflict(`The term ended on ${policy.endDate} and its grace period is over.`, { reason: 'term_over' })
  }
  const changed = { ...policy, ...providerFields(input, policy), ...(isNext && nextTerm(policy)), status: found.to }
  const isLonger = isNext || found.from === 'EXPIRED'
  const from = isNext ? changed.startDate : policy.coveredFrom
  if (isLonger) checkNoOverlap(others, { from, to: changed.endDate, today })
  // Paying a missed instalment issues nothing when nothing else changed: the certificate stays valid, an uploaded one
  // too.
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

/** Returns the provider's fields, each from the input or, when not sent, from the policy. */
const providerFields = (input: StatusInput, policy: Policy) => ({
  externalPolicyId: input.external_policy_id ?? policy.externalPolicyId,
  masterPolicyNumber: input.master_policy_number ?? policy.masterPolicyNumber,
  private: { ...policy.private, ...(input.provider_metadata && { provider_metadata: input.provider_metadata }) },
})
