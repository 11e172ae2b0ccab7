import type { CallerKind } from '../../../access/caller.ts'
import type { Day } from '../../../kernel/date.ts'
import { alreadyExists, conflict, type ProblemError } from '../../../kernel/problem-error.ts'
import { allowedTransitions } from '../../../record/index.ts'
import type { Policy } from './records.ts'
import {
  hasEnded,
  lastDayOfGrace,
  chooseMachine,
  nextTerm,
  type PolicyStatus,
  startsNextTerm,
  type Step,
  type Term,
  termEndsOn,
} from './states.ts'

/** An open policy, which covers the days from the start of its first term to the end of the current one. */
export type Cover = Term & { id: string; from: Day }

/** What cover depends on besides the policy. */
export type Conditions = {
  isArchived: boolean
  isSponsorActive: boolean
  /** The covers of the user's other open policies in the plan. */
  others: readonly Cover[]
}

type OnDay = { today: Day; conditions: Conditions }

/**
 * Returns why a transition of the table is refused today; undefined when nothing speaks against it. `allowed_transitions`
 * is made from this, too, so it offers nothing that would be refused. Pure.
 */
export function findRejection(step: Step, policy: Policy, { today, conditions }: OnDay): ProblemError | undefined {
  if (isAgainstEnd(step, policy, today)) return ending(policy)
  if (step.to !== 'ISSUED' && step.to !== 'REQUIRES_POLICY_REISSUANCE') return undefined
  const isNext = startsNextTerm(step, { endDate: policy.endDate, today })
  const { startDate, endDate } = isNext ? nextTerm(policy) : { startDate: policy.coveredFrom, endDate: policy.endDate }
  if (lastDayOfGrace({ ...policy, endDate }) < today) return termOver(endDate)
  const isLonger = coversMore(step, { endDate: policy.endDate, today })
  const begins = isLonger || (step.to === 'ISSUED' && (policy.issue === 0 || policy.beginsCover))
  return (
    (begins || isReissue(step) ? rejectIncomplete(policy) : undefined) ??
    (begins ? rejectUnavailable(conditions) : undefined) ??
    (isLonger ? rejectOverlap(conditions.others, { from: startDate, to: endDate, today }) : undefined)
  )
}

/** Returns true for what an end that is set rules out: renewals, and what leads to one. Only a return from EXPIRED takes the end back. */
function isAgainstEnd(step: Step, { endsOn, endDate, startDate, beginsCover }: Policy, today: Day): boolean {
  if (endsOn === null || step.from === 'EXPIRED') return false
  const isWindow = step.to === 'REQUIRES_CUSTOMER_RENEWAL' || isGraceOfTerm(step)
  const isOfLaterTerm = step.to === 'ISSUED' && beginsCover && endsOn < startDate
  return isWindow || isOfLaterTerm || startsNextTerm(step, { endDate, today })
}

const isGraceOfTerm = ({ from, to }: Step) =>
  from === 'REQUIRES_CUSTOMER_RENEWAL' && to === 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE'

const ending = ({ endsOn }: Policy) =>
  conflict(`The policy ends on ${endsOn}. Take the end back first.`, { reason: 'ending' })

/** Returns true when a transition covers days that the policy does not cover now: the next term, or a return from EXPIRED. */
export const coversMore = (step: Step, term: { endDate: Day; today: Day }): boolean =>
  startsNextTerm(step, term) || step.from === 'EXPIRED'

/** An instalment that is paid prints no certificate, unless something else has changed. */
const isReissue = ({ from, to }: Step) => to === 'ISSUED' && from !== 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE'

/** Returns why the running term cannot be issued again today; undefined when nothing speaks against it. Pure. */
export const rejectReissue = (policy: Policy, today: Day): ProblemError | undefined =>
  lastDayOfGrace(policy) < today ? termOver(policy.endDate) : rejectIncomplete(policy)

export const termOver = (endDate: Day) =>
  conflict(`The term ended on ${endDate} and its grace period is over.`, { reason: 'term_over' })

function rejectIncomplete({ member: { first_name, last_name, dob } }: Policy): ProblemError | undefined {
  if (first_name && last_name && dob) return undefined
  return conflict('The user has no name or no date of birth. Complete them first.', { reason: 'incomplete' })
}

function rejectUnavailable({ isArchived, isSponsorActive }: Conditions): ProblemError | undefined {
  if (isArchived) return conflict('The benefit is archived.', { reason: 'archived' })
  return isSponsorActive ? undefined : conflict('The sponsor of the benefit is not active.', { reason: 'inactive' })
}

type Days = { from: Day; to: Day; today: Day }

/**
 * Returns 409 `already_exists` when the days overlap those of the user's other open policies in the plan as of today,
 * with overdue transitions applied.
 */
export function rejectOverlap(others: readonly Cover[], { from, to, today }: Days): ProblemError | undefined {
  const existing = others
    .filter((other) => other.from <= to && from <= termEndsOn(other) && !hasEnded(other, today))
    .map(({ id }) => id)
  if (existing.length === 0) return undefined
  return alreadyExists(`The user is already enrolled in this plan for days between ${from} and ${to}.`, existing)
}

export const allowedToday = (policy: Policy, { who, ...on }: OnDay & { who: CallerKind }): PolicyStatus[] =>
  allowedTransitions(chooseMachine(policy).table, { from: policy.status, who }).filter(
    (to) => !findRejection({ from: policy.status, to }, policy, on),
  )
