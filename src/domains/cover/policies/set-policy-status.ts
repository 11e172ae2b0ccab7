import { isDeepStrictEqual } from 'node:util'
import { type Static, Type } from 'typebox'
import type { CallerKind } from '../../../access/caller.ts'
import { scopeOnUser } from '../../../access/scope.ts'
import { todayIn, wireTime } from '../../../kernel/clock.ts'
import { addDays, type Day } from '../../../kernel/date.ts'
import { nextVersion } from '../../../kernel/db/version.ts'
import { checkFresh } from '../../../kernel/http/conditional.ts'
import { OneOf, OrNull, StatusInput, Text } from '../../../kernel/http/schemas.ts'
import { conflict, invalid, invalidState, personsChanged } from '../../../kernel/problem-error.ts'
import {
  type Author,
  type Change,
  changedPart,
  type Decision,
  type Deps,
  operation,
  type Recorded,
  transition,
  unchanged,
} from '../../../record/index.ts'
import { drawPremium } from '../deposits/draw-premium.ts'
import { toRowsOfDraw } from '../deposits/draw-store.ts'
import { copyPlan, type Plan, termOf, termOfIssue } from './copy-plan.ts'
import { premiumGateOf } from '../../partners/benefits/index.ts'
import type { PolicySnapshot } from '../documents/policy-snapshot.ts'
import { toRowsOfSnapshots } from '../documents/store.ts'
import { LINKED_DECISIONS } from '../endorsements/linked-store.ts'
import { isOfPersons } from '../endorsements/pending-store.ts'
import { settle } from '../endorsements/settle.ts'
import {
  InsurancePolicyStatusRecord,
  type Policy,
  PolicyPath,
  type PolicyWithSince,
  presentStatus,
  ProviderMetadata,
  tags,
  versionOf,
} from './records.ts'
import { allowedToday, type Conditions, coversMore, findRejection } from './find-rejection.ts'
import { matchesLastIssue, createSnapshot } from './create-snapshot.ts'
import {
  afterCalendar,
  graceUntil,
  chooseMachine,
  isOver,
  isShortTerm,
  nextTerm,
  POLICY_STATUSES,
  type PolicyStatus,
  startsNextTerm,
} from './states.ts'
import { afterSettlement, namedIds, withPeopleOn } from './list-member-days.ts'
import { catchUp, counted } from './catch-up.ts'
import { findRunning } from './find-running.ts'
import { CHANGE_POLICY, changePolicy, extendPolicy } from './change-store.ts'
import { noticesOfTerm } from './decide-notices.ts'
import { type ChangingPolicy, findPolicyToChange, policyInPath } from './store.ts'
import { toChangeValues } from './unseal-policy.ts'

const PolicyStatusInput = Type.Object(
  {
    ...StatusInput(POLICY_STATUSES, 'ISSUED').properties,
    external_policy_id: OrNull(Text()),
    master_policy_number: OrNull(Text()),
    provider_metadata: OrNull(ProviderMetadata),
    plan_terms: OrNull(
      OneOf(['CURRENT'], {
        description:
          'The next term has today’s price, length, renewal window and grace of the plan; left out, those of the policy. Only where a term begins',
      }),
    ),
    persons_version: OrNull(
      Type.Integer({
        minimum: 0,
        maximum: 2_147_483_647,
        description:
          'The number in the status when you looked at the persons; required where they were corrected since the status ' +
          'was last set',
      }),
    ),
  },
  { examples: [{ status: 'ISSUED', external_policy_id: 'SG-2026-000123', master_policy_number: 'MP-77' }] },
)
export type PolicyStatusInput = Static<typeof PolicyStatusInput>

export const setPolicyStatus = operation('PUT /users/:user_id/insurance_policies/:insurance_policy_id/status', {
  access: 'setInsurancePolicyStatus',
  tags,
  summary: 'Set the status of an insurance policy',
  description:
    'The state table decides which transitions are allowed. The provider’s policy numbers and metadata may be ' +
    'sent along. A renewal keeps the id and moves the dates by the plan’s term, counted from the first start. ' +
    'Days covered by another open policy of the plan are rejected, as is issuing a policy whose term and grace ' +
    'are over. The first issue, a renewal and a return from EXPIRED need a person with names and a date of birth, an ' +
    'ACTIVE sponsor and a benefit that is not archived. Only an owner can take a policy out of EXPIRED, or open its ' +
    'renewal window early, and must give a reason. APPROVED and ISSUED take `persons_version` where persons on the ' +
    'policy were corrected since its status was last set by a benefit provider or an administrator. Sending the current ' +
    'status changes nothing, whatever else is sent.',
  params: PolicyPath,
  body: PolicyStatusInput,
  versioned: true,
  response: { 200: InsurancePolicyStatusRecord },
  problems: ['conflict', 'invalid_state', 'precondition_failed'],
  checkTargetFirst: policyInPath,
  serializeBy: ({ params }) => params.insurance_policy_id,
  newMembers: ['persons_version', 'plan_terms'] satisfies (keyof PolicyStatusInput)[],
  change: ({ deps, request, params, body }, author) => {
    const { user_id: userId, insurance_policy_id: policyId } = params
    const { 'if-match': ifMatch, 'idempotency-key': key } = request.headers
    return decideStatusChange(deps, { userId, policyId, input: body, ifMatch, hasKey: key !== undefined }, author)
  },
  present: (changed, call) => changedPart(versionOf(changed.policy), presentStatus(changed, call)),
})

type StatusChange = {
  userId: string
  policyId: string
  input: PolicyStatusInput
  ifMatch: string | undefined
  hasKey?: boolean
}

/**
 * Decides a change of a policy's status, after the calendar's transitions that are due before it and with those that are
 * due after it. Throws 404, 409 `invalid_state` or `conflict`, 412, 422 when a reason is missing.
 */
export async function decideStatusChange(
  deps: Deps,
  { userId, policyId, input, ifMatch, hasKey }: StatusChange,
  author: Author,
): Promise<Decision<PolicyWithSince>> {
  const query = { id: policyId, isIssue: input.status === 'ISSUED' }
  const {
    parties,
    policy: stored,
    ...found
  } = await findPolicyToChange(deps, scopeOnUser(author.caller, userId), query)
  checkFresh(ifMatch, () => versionOf(stored))
  const today = todayIn(deps.calendar)
  const { policy, ...before } = afterCalendar(stored, today)
  const { since, isSentBack, conditions } = found
  const isNamed = ifMatch !== undefined || hasKey === true || Boolean(input.plan_terms)
  if (policy.status === input.status || (!isNamed && repeatsLateIssue(policy, input, { ...found, today }))) {
    const due = calendarChange({ policy: stored, pending: found.pending }, today, author)
    return due
      ? { ...due, result: { policy: due.result, since: wireTime(author.at), isSentBack: false, conditions } }
      : unchanged({ policy: stored, since, isSentBack, conditions })
  }
  const isBack = policy.status === 'EXPIRED'
  const caught = isBack ? await catchUp(deps, policy, found.lastSnapshot) : { policy, corrections: [] }
  const transitioned = decidePolicyTransition(caught.policy, input, {
    ...found,
    who: author.caller.kind,
    at: author.at,
    today,
  })
  if (transitioned.isIssued) checkJoiners(found)
  const { decided, draw } = await withPremium(deps, transitioned, { before: policy, plan: found.plan, today, author })
  const running =
    decided.isIssued && found.pending.some(isOfPersons) ? await findRunning(deps, stored, today) : undefined
  const issues = issuesOf(decided, { policy, pending: found.pending, running }, today)
  // Counted after the transition, which nobody made upon them.
  const corrected = counted(issues.at(-1) ?? decided.policy, caught.corrections, author)
  const { policy: last, ...after } = afterCalendar(corrected.policy, today)
  const mark = { isSentBack: decided.isSentBack && last.status === 'PENDING' }
  const noticesFrom = decided.isLonger || policy.beginsCover ? noticesOfTerm(decided.policy, today) : null
  const settled = settle(last, found.pending, { isOver: isOver(last), issue: issues.at(0)?.issue ?? null }, author.at)
  const values = toChangeValues(last, author.at, { ...(!decided.isLonger && mark), noticesFrom })
  const extension = { cover_revision: found.coverRevision, returns_to: isBack ? policy.benefitId : null }
  return {
    result: { policy: last, since: wireTime(author.at), ...mark, conditions },
    ...(decided.isLonger ? extendPolicy({ ...values, ...extension }, draw) : changePolicy(values, draw)),
    rows: {
      ...toRowsOfDraw(draw),
      ...corrected.rows,
      ...LINKED_DECISIONS.rows(settled.decided),
      ...toRowsOfSnapshots(deps.vault, {
        policy: last,
        snapshots: issues.map((issue) => createSnapshot(issue, { ...parties(), madeOn: today })),
        at: author.at,
      }),
    },
    history: [...before.history, ...decided.history, ...settled.history, ...after.history],
    events: [...before.events, ...corrected.events, ...decided.events, ...settled.events, ...after.events],
  }
}

/** Throws 409 `incomplete` for an issue that would accept who is asked to join without what the deposit is charged for it. */
function checkJoiners({ plan, pending }: Pick<ChangingPolicy, 'pending'> & { plan: Plan | undefined }): void {
  const isAsked = pending.some(({ kind, state }) => kind === 'JOIN' && state === 'REQUESTED')
  if (!isAsked || !plan || premiumGateOf(plan) === 'none') return
  throw conflict('Persons are asked to join. Decide on their endorsements first, with what they cost.', {
    reason: 'incomplete',
  })
}

type Issuing = { before: Policy; plan: Plan | undefined; today: Day; author: Author }

/**
 * Returns a transition with what it takes from the deposit. The cover of a first issue begins on the first day on which the deposit held its premium;
 * later terms are counted from the first day of the term all the same. Throws 409 `deposit_short`.
 */
async function withPremium(deps: Deps, decided: DecidedTransition, { before, plan, ...now }: Issuing) {
  const { policy, isIssued } = decided
  const isFirst = isIssued && before.issue === 0
  const step = { isFirst, isNext: policy.startDate > before.startDate }
  const endedFrom = before.status === 'EXPIRED' ? (before.endsOn ? addDays(before.endsOn, 1) : now.today) : null
  const drawn = await drawPremium(deps, { policy, step, endedFrom, plan }, now)
  if (!drawn) return { decided, draw: undefined }
  const { draw, coverFrom } = drawn
  if (!isFirst || coverFrom <= policy.startDate) return { decided, draw }
  if (coverFrom > policy.endDate)
    throw conflict(`The deposit has held the premium since ${coverFrom} only, when the term was over.`, {
      reason: 'term_over',
    })
  const covered = { ...policy, coveredFrom: coverFrom, termsFrom: policy.termsFrom ?? policy.startDate }
  return { decided: { ...decided, policy: covered }, draw }
}

/**
 * Returns the policy as its new issues print it. An issue in the window that decides pending endorsements certifies these for the term
 * that runs, too, whether it renews the policy or that was renewed before.
 */
function issuesOf(
  { policy, isIssued }: DecidedTransition,
  { policy: before, pending, running }: ChangingPolicy & { running: PolicySnapshot | undefined },
  today: Day,
): Policy[] {
  if (!isIssued) return []
  const isRenewedEarly = policy.startDate > before.startDate && before.endDate >= today
  const isBefore = running !== undefined && running.start_date < policy.startDate
  if (!pending.some(isOfPersons) || !(isRenewedEarly || isBefore)) return [policy]
  return [
    { ...policy, ...(isBefore ? termOfIssue(running) : termOf(before)) },
    { ...policy, issue: policy.issue + 1 },
  ]
}

/**
 * Returns true for a PUT ISSUED on the day on which this term was issued after its end, or the first one in its window, with nothing that is new since. The
 * calendar has moved the policy on at once, so that the same PUT, repeated after a lost response, would begin the next term. Who
 * does want that names the version, or sends a key of its own. Pure.
 */
function repeatsLateIssue(
  policy: Policy,
  input: PolicyStatusInput,
  { lastSnapshot: last, today }: { lastSnapshot: PolicySnapshot | undefined; today: Day },
): boolean {
  const { status, issue, endDate, personsVersion, personsSeen } = policy
  const isLate = status === 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE' && today > endDate
  // A first issue can be so late, or its term so short, that the window is open by then.
  const isInWindow = status === 'REQUIRES_CUSTOMER_RENEWAL' && (isShortTerm(policy) || issue === 1)
  if (input.status !== 'ISSUED' || !(isLate || isInWindow)) return false
  const isLast = last?.issue === issue && !last.is_endorsed && last.end_date === endDate && last.made_on === today
  const isOfThese = personsSeen === personsVersion && (input.persons_version ?? personsVersion) === personsVersion
  return isLast && isOfThese && isDeepStrictEqual({ ...policy, ...providerFields(input, policy) }, policy)
}

/** Returns the change that makes the calendar's due transitions and no other; undefined when none is due. Pure. */
export function calendarChange(
  { policy: stored, pending }: ChangingPolicy,
  today: Day,
  author: Author,
): (Change<Policy> & Recorded) | undefined {
  const { policy, history, events } = afterCalendar(stored, today)
  if (policy === stored) return undefined
  const result = nextVersion(policy, author.at)
  const settled = settle(policy, pending, { isOver: isOver(policy), issue: null }, author.at)
  return {
    result,
    ...CHANGE_POLICY.with(toChangeValues(result, author.at)),
    rows: LINKED_DECISIONS.rows(settled.decided),
    history: [...history, ...settled.history],
    events: [...events, ...settled.events],
  }
}

type TransitionContext = {
  who: CallerKind
  at: Date
  today: Day
  conditions: Conditions
  lastSnapshot?: PolicySnapshot | undefined
  /** Today's terms of the plan; undefined when the benefit has it no more. */
  plan?: Plan | undefined
}

/** The changed policy, whether it is a new issue, covers more days than before, and waits for the platform. */
export type DecidedTransition = Recorded & Record<'isIssued' | 'isLonger' | 'isSentBack', boolean> & { policy: Policy }

/**
 * Decides a transition of a policy. Pure. Throws 409 `invalid_state`, 409 `conflict` for what `findRejection` says, 403, 422
 * when a reason is missing.
 */
export function decidePolicyTransition(
  before: Policy,
  input: PolicyStatusInput,
  { who, at, today, conditions, lastSnapshot, plan }: TransitionContext,
): DecidedTransition {
  const policy = input.plan_terms ? { ...before, ...currentTerms(plan) } : before
  const begins = (to: PolicyStatus) =>
    !input.plan_terms || startsNextTerm({ from: policy.status, to }, { endDate: policy.endDate, today })
  const step = {
    to: input.status,
    who,
    reason: input.reason,
    accepts: (to: PolicyStatus) =>
      begins(to) && !findRejection({ from: policy.status, to }, policy, { today, conditions }),
  }
  const { row, history, events } = transition(chooseMachine(policy), policy, step)
  if (row.needsReason && !input.reason?.trim()) {
    throw invalid([{ pointer: '/reason', code: 'required', detail: 'Required for this transition.' }])
  }
  if (!begins(row.to)) {
    const allowed = allowedToday(before, { who, today, conditions }).filter(begins)
    throw invalidState({ current: before.status, allowed }, 'This begins no term: leave out `plan_terms`.')
  }
  const rejection = findRejection(row, policy, { today, conditions })
  if (rejection) throw rejection
  if (input.plan_terms && !plan) throw conflict('The benefit has this plan no more.', { reason: 'archived' })
  checkPersons(policy, input)
  const term = { endDate: policy.endDate, today }
  const isLonger = coversMore(row, term)
  const changed = {
    ...(row.to === 'ISSUED' ? withAccepted(policy, today) : policy),
    ...providerFields(input, policy),
    ...(startsNextTerm(row, term) && nextTerm(policy)),
    ...(row.from === 'EXPIRED' && NO_END),
    status: row.to,
    beginsCover: row.to !== 'ISSUED' && (isLonger || policy.beginsCover),
    personsSeen: policy.personsVersion,
  }
  // Paying a missed instalment issues nothing when nothing else changed: the certificate stays valid, an uploaded one
  // too.
  const isOutOfGrace = row.from === 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE'
  const isIssued = row.to === 'ISSUED' && !(isOutOfGrace && matchesLastIssue(changed, lastSnapshot))
  return {
    policy: {
      ...nextVersion(changed, at),
      ...(isIssued && { issue: policy.issue + 1, issuedDependantIds: namedIds(changed) }),
      graceUntil: graceUntil(changed, today),
    },
    isIssued,
    isLonger,
    // Without a reason it is only put back, as by who has taken it up by mistake.
    isSentBack: row.from === 'VERIFICATION' && row.to === 'PENDING' && Boolean(input.reason?.trim()),
    history,
    events,
  }
}

/** Returns a policy with everybody on it who was asked for. */
const withAccepted = (policy: Policy, today: Day): Policy =>
  withPeopleOn({ ...policy, memberDays: afterSettlement(policy.memberDays, true) }, today)

/** Returns the terms of a policy that a plan has today. */
const currentTerms = (plan: Plan | undefined): Partial<Policy> => (plan ? copyPlan(plan) : {})

/** A policy that returns from EXPIRED has its term again. */
const NO_END = { endsOn: null, endsFrom: null }

/**
 * Throws 409 `persons_changed` unless the decision is about the people who are on the policy now: a number that is sent is
 * the current one, and without one nobody was corrected, before an approval or issue, since people last
 * made a transition.
 */
function checkPersons({ personsVersion, personsSeen }: Policy, { status, persons_version: sent }: PolicyStatusInput) {
  const isDecision = status === 'APPROVED' || status === 'ISSUED'
  const personsSeenNow = sent ?? (isDecision ? personsSeen : personsVersion)
  if (personsSeenNow === personsVersion) return
  const detail =
    'Persons on the policy were corrected since its status was last set. Look at its timeline; if you agree, send ' +
    `\`persons_version\` ${personsVersion}.`
  throw personsChanged(detail, personsVersion)
}

type ProviderField = Exclude<keyof PolicyStatusInput, 'status' | 'reason' | 'persons_version' | 'plan_terms'>

/** Returns the provider's fields, each from the input or, when not sent, from the policy. */
function providerFields(input: PolicyStatusInput, policy: Policy): Partial<Policy> {
  const fields: Record<ProviderField, Partial<Policy>> = {
    external_policy_id: { externalPolicyId: input.external_policy_id ?? policy.externalPolicyId },
    master_policy_number: { masterPolicyNumber: input.master_policy_number ?? policy.masterPolicyNumber },
    provider_metadata: {
      private: { ...policy.private, ...(input.provider_metadata && { provider_metadata: input.provider_metadata }) },
    },
  }
  return Object.assign({}, ...Object.values(fields)) as Partial<Policy>
}
