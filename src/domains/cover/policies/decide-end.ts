import type { Caller, CallerKind } from '../../../access/caller.ts'
import { addDays, addMonths, type Day, daysBetween, lastDayOfTerm, monthsBetween } from '../../../kernel/date.ts'
import { nextVersion } from '../../../kernel/db/version.ts'
import { type Paise, shareOf } from '../../../kernel/money.ts'
import { type FieldError, invalid, invalidState } from '../../../kernel/problem-error.ts'
import type { Recorded } from '../../../record/index.ts'
import type { PolicySnapshot } from '../documents/policy-snapshot.ts'
import { type Conditions, rejectOverlap } from './find-rejection.ts'
import type { Policy } from './records.ts'
import { afterCalendar, dueTransition, programTransition, type Term } from './states.ts'

export const END_CODES = ['CANCELLED', 'FREE_LOOK', 'LEFT', 'DEATH', 'UNPAID', 'OTHER'] as const
export type EndCode = (typeof END_CODES)[number]

/** An end of a policy as it is set. */
export type End = {
  endsOn: Day
  code: EndCode
  reason: string | null
  refundDays: number
  refundEstimatePaise: Paise
  /** The word of the benefit provider; null until it is given. */
  amountPaise: Paise | null
}

/** A term as it was issued, or waits to be. */
export type IssuedTerm = { startDate: Day; endDate: Day; annualPaise: Paise }

export type EndInput = { on: Day; code: EndCode; reason: string | undefined; amountPaise: Paise | undefined }

type Found = { policy: Policy; end: End | null; conditions: Conditions; snapshots: readonly PolicySnapshot[] }
type OnDay = { who: CallerKind; at: Date; today: Day; backdateDays: number }

/** What becomes of the policy; `end` is null where it is taken back. */
export type DecidedEnd = Recorded & { policy: Policy; end: End | null }

/**
 * Decides on which day a policy ends; undefined where it ends so already. A day that is over ends it at once. Pure.
 * Throws 409 for a policy that was never issued, or has ended without that day; 422 for a day or an amount that this caller cannot name.
 */
export function decideEnd(found: Found, input: EndInput, now: OnDay): DecidedEnd | undefined {
  const { on, code } = input
  if (found.policy.issue === 0) throw notIssued(found.policy)
  const same = found.end?.endsOn === on ? found.end : null
  // What is left out stays, unless it was said of another end.
  const reason = input.reason ?? (same?.code === code ? same.reason : null)
  const amountPaise = input.amountPaise ?? same?.amountPaise ?? null
  const errors = checkAmount(input, now.who)
  const isRepeated = same?.code === code && same.reason === reason && same.amountPaise === amountPaise
  if (isRepeated && errors.length === 0) return undefined
  const { policy, ...before } = afterCalendar(found.policy, now.today)
  const isOver = policy.status === 'EXPIRED'
  if (isOver && on >= now.today && !same) throw hasEndedAlready(policy)
  const terms = listTerms(policy, found.snapshots, on)
  if (!same) errors.push(...checkDay(policy, input, { ...now, terms }))
  if (errors.length > 0) throw invalid(errors)
  if (!same && (isOver || policy.endsOn !== null)) checkFree(policy, found.conditions, { to: on, now })
  const endsFrom = (terms.findLast(({ startDate }) => startDate <= on) ?? terms[0])?.startDate ?? policy.startDate
  const ending = { ...policy, endsOn: on, endsFrom }
  const due = dueTransition(ending, now.today)
  const changed = due ? programTransition(ending, { to: due, today: now.today }) : { policy: ending, ...NOTHING }
  return {
    policy: nextVersion(changed.policy, now.at),
    end: { endsOn: on, code, reason, ...estimateRefund(terms, on, policy.coveredFrom), amountPaise },
    history: [...before.history, ...changed.history],
    events: [...before.events, ...changed.events],
  }
}

/**
 * Decides that a policy goes on: window and grace count again. Undefined where no end is set. Pure. Throws 409 once it has ended, and where
 * another policy covers the days after the end by now.
 */
export function decideWithdrawal(found: Pick<Found, 'policy' | 'conditions'>, now: Omit<OnDay, 'backdateDays'>) {
  const { policy, ...before } = afterCalendar(found.policy, now.today)
  if (policy.status === 'EXPIRED' && policy.endsOn !== null) throw hasEndedAlready(policy)
  if (policy.endsOn === null) return undefined
  checkFree(policy, found.conditions, { to: policy.endDate, now })
  const { policy: last, ...after } = afterCalendar({ ...policy, endsOn: null, endsFrom: null }, now.today)
  return {
    policy: nextVersion(last, now.at),
    end: null,
    history: [...before.history, ...after.history],
    events: [...before.events, ...after.events],
  } satisfies DecidedEnd
}

const NOTHING: Recorded = { history: [], events: [] }

const notIssued = ({ status }: Policy) =>
  invalidState({ current: status, allowed: [] }, 'The policy was never issued. Set its status to REJECTED instead.')

const hasEndedAlready = ({ status }: Policy) =>
  invalidState(
    { current: status, allowed: [] },
    'The policy has ended. Only a day before today can be named as its end.',
  )

/** Throws 409 `already_exists` when another policy in the plan covers days up to this one that the policy does not cover so far. */
function checkFree(policy: Policy, { others }: Conditions, { to, now: { today } }: { to: Day; now: { today: Day } }) {
  const from = policy.endsOn === null ? policy.coveredFrom : addDays(policy.endsOn, 1)
  const overlap = from <= to ? rejectOverlap(others, { from, to, today }) : undefined
  if (overlap) throw overlap
}

/** Who speaks for the benefit provider. */
export const SAYERS: readonly Caller['kind'][] = ['provider', 'operator', 'owner']

/** Only the benefit provider knows what it pays back. */
const checkAmount = ({ amountPaise }: EndInput, who: CallerKind): FieldError[] =>
  amountPaise === undefined || SAYERS.includes(who)
    ? []
    : [
        {
          pointer: '/amount',
          code: 'not_allowed',
          detail: 'The benefit provider says what it pays back. Leave it out.',
        },
      ]

type Backdating = OnDay & { terms: readonly IssuedTerm[] }

/** Checks that the day is one that the policy covers, or the one before its first, and that this caller can go back so far. */
function checkDay(policy: Policy, { on, reason }: EndInput, { who, today, backdateDays, terms }: Backdating) {
  const wrong = (code: 'too_small' | 'too_large', detail: string): FieldError[] => [{ pointer: '/on', code, detail }]
  const first = addDays(policy.coveredFrom, -1)
  const last = lastCoveredDay(policy, today)
  if (on > last) return wrong('too_large', `Must be ${last} or earlier, the last covered day.`)
  if (on < first) return wrong('too_small', `Must be ${first} or later, the day before cover begins.`)
  const running = terms.findLast(({ startDate }) => startDate <= today)?.startDate ?? policy.coveredFrom
  return checkBackdating({ pointer: '/on', on, reason }, { who, today, backdateDays, running })
}

type PastDay = { pointer: string; on: Day; reason: string | undefined }
type Reach = Pick<OnDay, 'who' | 'today' | 'backdateDays'> & { running: Day }

/** Checks that this caller can go back to a day: some days, with a reason to the first day of the running term, an owner further. */
export function checkBackdating(
  { pointer, on, reason }: PastDay,
  { who, today, backdateDays, running }: Reach,
): FieldError[] {
  const tooSmall = (detail: string): FieldError[] => [{ pointer, code: 'too_small', detail }]
  const earliest = addDays(today, -backdateDays)
  if (on >= earliest) return []
  if (who !== 'owner' && on < running)
    return tooSmall(`Must be ${earliest < running ? earliest : running} or later; only an owner can go back further.`)
  if (!SAYERS.includes(who)) return tooSmall(`Must be ${earliest} or later; the benefit provider can go back further.`)
  if (reason?.trim()) return []
  return [{ pointer: '/reason', code: 'required', detail: `Required for a day before ${earliest}.` }]
}

/** Returns the last day that a policy covers as it stands: with the days of grace that have begun, without those that may come. */
function lastCoveredDay(policy: Pick<Policy, 'endsOn'> & Term, today: Day): Day {
  const { status, endDate, endsOn, graceUntil } = policy
  if (status === 'EXPIRED') return endsOn !== null && endsOn > endDate ? endsOn : endDate
  const isInGrace = status === 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE' || endDate < today
  return isInGrace ? (graceUntil ?? endDate) : endDate
}

/**
 * Returns the terms from the one with this day on, the earliest first. Those before the record's are as their last issue printed them, or where
 * there is none, counted back by the length of the term.
 */
function listTerms(policy: Policy, snapshots: readonly PolicySnapshot[], on: Day): IssuedTerm[] {
  const { startDate, endDate, coveredFrom, termMonths, premiumAnnualPaise: annualPaise } = policy
  const terms = [{ startDate, endDate, annualPaise }]
  for (let [first] = terms; first && on < first.startDate && coveredFrom < first.startDate; [first] = terms) {
    const lastDay = addDays(first.startDate, -1)
    const issued = snapshots.find(({ issue, end_date }) => issue > 0 && end_date === lastDay)
    const months = monthsBetween({ from: coveredFrom, to: first.startDate }) - termMonths
    const counted = months > 0 ? addMonths(coveredFrom, months) : coveredFrom
    terms.unshift({
      startDate: issued?.start_date ?? counted,
      endDate: lastDay,
      annualPaise: issued?.premium.annual ?? annualPaise,
    })
  }
  return terms
}

/**
 * Estimates what the days after the end cost, and those before the first covered one, of every term by itself: its annual premium × the days not covered ÷ the days of the year that
 * begins with it, which a term of twelve months is.
 */
export function estimateRefund(terms: readonly IssuedTerm[], on: Day, coveredFrom?: Day) {
  let [refundDays, refundEstimatePaise] = [0, 0]
  for (const { startDate, endDate, annualPaise } of terms) {
    if (endDate <= on) continue
    const before = coveredFrom !== undefined && coveredFrom > startDate ? daysBetween(startDate, coveredFrom) - 1 : 0
    const days = before + daysBetween(on < startDate ? startDate : addDays(on, 1), endDate)
    refundDays += days
    refundEstimatePaise += shareOf(annualPaise, {
      parts: days,
      of: daysBetween(startDate, lastDayOfTerm(startDate, 12)),
    })
  }
  return { refundDays, refundEstimatePaise }
}
