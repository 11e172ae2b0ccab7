import { addDays, type Day } from '../../../kernel/date.ts'
import { coverDays, type Expiry } from './cover-days.ts'
import { isAwaited, type MemberDays } from './list-member-days.ts'
import type { Policy } from './records.ts'
import { isOver, type Term } from './states.ts'

export const COVERAGE_REASONS = [
  'in_force',
  'in_grace',
  'not_started',
  'expired',
  'awaiting_issue',
  'not_named',
  'unknown',
] as const
type Reason = (typeof COVERAGE_REASONS)[number]

/** Whether a policy covers a person on a day; null where nothing is stored about that day. */
export type Coverage = {
  covered: boolean | null
  reason: Reason
  /** First covered day of the person, of the time that the reason is about; null where there is none. */
  from: Day | null
  /** Last covered day of it; in grace that of grace, whether or not it is covered. */
  to: Day | null
}

export type CoveringPolicy = Pick<Policy, 'coveredFrom' | 'startDate' | 'graceCover'> &
  Omit<Term, 'renewalWindowDays'> & {
    /** The day of the enrolment. */
    enrolledOn: Day
    expiry?: Expiry | undefined
  }

/** The times of a person on a policy; the user has one, all its days. */
export type PersonTime = Pick<MemberDays, 'from' | 'to' | 'join'>
export const ALWAYS: readonly PersonTime[] = [{ from: null, to: null }]

type OnDay = { day: Day; today: Day }
type Span = { from: Day; to: Day }

/**
 * Returns whether a policy covers a person on a day, from what is stored: what was renewed, paid or taken back since holds for the
 * past, and for the future that nothing more happens. Pure.
 */
export function coverageOn(policy: CoveringPolicy, times: readonly PersonTime[], { day, today }: OnDay): Coverage {
  const isStored = day >= policy.enrolledOn || day >= policy.coveredFrom || day >= policy.startDate || day >= today
  const coverage = policy.issue === 0 ? beforeIssue(policy, times) : sinceIssue(policy, times, { day, today })
  return isStored ? coverage : { ...coverage, covered: null, reason: 'unknown' }
}

const NOT_NAMED: Coverage = { covered: false, reason: 'not_named', from: null, to: null }
const EXPIRED: Coverage = { covered: false, reason: 'expired', from: null, to: null }

function beforeIssue(policy: CoveringPolicy, times: readonly PersonTime[]): Coverage {
  if (times.length === 0) return NOT_NAMED
  if (isOver(policy)) return EXPIRED
  return { covered: false, reason: 'awaiting_issue', from: policy.startDate, to: policy.endDate }
}

function sinceIssue(policy: CoveringPolicy, times: readonly PersonTime[], { day, today }: OnDay): Coverage {
  const accepted = times.filter((time) => !isAwaited(time))
  if (accepted.length === 0) return NOT_NAMED
  const days = coverDays(policy, policy.expiry)
  // The day of a write is by another clock than that of policies in a sandbox: it covers nobody today, in any case.
  const to = isOver(policy) && days.to >= today ? addDays(today, -1) : days.to
  const isGraceCovered = policy.graceCover === 'FULL'
  const covered = { from: days.from, to: isGraceCovered ? to : earlier(days.termTo, to) }
  const named = spansOf({ from: days.from, to }, accepted)
  const span = named.find((one) => one.from <= day && day <= one.to)
  if (span) {
    if (day > days.termTo) return { covered: isGraceCovered, reason: 'in_grace', ...span }
    return { covered: true, reason: 'in_force', ...withoutGrace(span, days.termTo) }
  }
  const spans = spansOf(covered, accepted)
  const next = spans.find(({ from }) => day < from)
  if (next) return { covered: false, reason: 'not_started', ...withoutGrace(next, days.termTo) }
  return { ...EXPIRED, ...spans.findLast((one) => one.to < day) }
}

const earlier = (one: Day, other: Day): Day => (one < other ? one : other)
const later = (one: Day, other: Day): Day => (one < other ? other : one)

/** Returns the days without those of grace, which are not promised; of a person who joins in grace they are all there are. */
const withoutGrace = ({ from, to }: Span, termTo: Day): Span => ({
  from,
  to: from <= termTo ? earlier(to, termTo) : to,
})

/** Returns the days of a policy on which a person is on it, the earliest first. */
function spansOf({ from, to }: Span, times: readonly PersonTime[]): Span[] {
  return times
    .map((one) => ({ from: later(one.from ?? from, from), to: earlier(one.to ?? to, to) }))
    .filter((span) => span.from <= span.to)
    .toSorted((one, other) => (one.from < other.from ? -1 : 1))
}
