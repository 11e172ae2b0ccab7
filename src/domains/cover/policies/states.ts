import { type Caller, WRITING_ADMINISTRATORS } from '../../../access/caller.ts'
import { addDays, type Day, lastDayOfTerm, monthsBetween } from '../../../kernel/date.ts'
import { afterSettlement, atMemberDays, type Manned, nextMemberDay } from './list-member-days.ts'
import { machine, type Recorded, type Subject, transition, type Transition } from '../../../record/index.ts'

export const POLICY_STATUSES = [
  'PENDING',
  'VERIFICATION',
  'APPROVED',
  'ISSUED',
  'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE',
  'REQUIRES_POLICY_REISSUANCE',
  'REQUIRES_CUSTOMER_RENEWAL',
  'EXPIRED',
  'REJECTED',
] as const
export type PolicyStatus = (typeof POLICY_STATUSES)[number]

/** An issue is pending, the first or another; none is; nothing follows by itself. */
const PHASES: Record<PolicyStatus, 'awaits_issue' | 'issued' | 'over'> = {
  PENDING: 'awaits_issue',
  VERIFICATION: 'awaits_issue',
  APPROVED: 'awaits_issue',
  ISSUED: 'issued',
  REQUIRES_CUSTOMER_RENEWAL_IN_GRACE: 'issued',
  REQUIRES_POLICY_REISSUANCE: 'awaits_issue',
  REQUIRES_CUSTOMER_RENEWAL: 'issued',
  EXPIRED: 'over',
  REJECTED: 'over',
}

/** SQL: the statuses of policies that have ended. */
export const OVER = POLICY_STATUSES.filter((status) => PHASES[status] === 'over')
  .map((status) => `'${status}'`)
  .join(', ')

export const isOver = ({ status }: { status: PolicyStatus }): boolean => PHASES[status] === 'over'

/** Those in which somebody has to act: the insurer, the partner, or the person who pays. */
export const WAITING_STATUSES = POLICY_STATUSES.filter((status) => status !== 'ISSUED' && PHASES[status] !== 'over')

type PolicyTransition = Transition<PolicyStatus> & {
  /** People give a reason; the calendar is one. */
  readonly needsReason?: true
  /** Only for a policy that was issued before (true), or never (false). */
  readonly wasIssued?: boolean
}

const people = ['provider', ...WRITING_ADMINISTRATORS] as const
/** Transitions of the calendar; administrators can make them by hand after an incident. */
const calendar = ['system', ...WRITING_ADMINISTRATORS] as const
const anyone = ['system', ...people] as const

/** A policy that covered people ends EXPIRED, one that never did REJECTED. */
const TRANSITIONS: readonly PolicyTransition[] = [
  { from: 'PENDING', to: 'VERIFICATION', who: people },
  { from: 'PENDING', to: 'REJECTED', who: anyone, wasIssued: false },
  { from: 'PENDING', to: 'EXPIRED', who: anyone, wasIssued: true, needsReason: true },
  { from: 'VERIFICATION', to: 'PENDING', who: people }, // more data needed
  { from: 'VERIFICATION', to: 'APPROVED', who: people },
  { from: 'VERIFICATION', to: 'REJECTED', who: anyone, wasIssued: false },
  { from: 'VERIFICATION', to: 'EXPIRED', who: anyone, wasIssued: true, needsReason: true },
  { from: 'APPROVED', to: 'ISSUED', who: people },
  { from: 'APPROVED', to: 'REJECTED', who: anyone, wasIssued: false },
  { from: 'APPROVED', to: 'EXPIRED', who: anyone, wasIssued: true, needsReason: true },
  { from: 'ISSUED', to: 'REQUIRES_POLICY_REISSUANCE', who: anyone }, // a new version of a dependant, or a correction
  { from: 'ISSUED', to: 'REQUIRES_CUSTOMER_RENEWAL', who: ['system', 'owner'], needsReason: true }, // the window opens
  { from: 'ISSUED', to: 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE', who: people }, // an instalment was missed
  { from: 'ISSUED', to: 'EXPIRED', who: anyone },
  { from: 'REQUIRES_POLICY_REISSUANCE', to: 'ISSUED', who: anyone }, // by the program with the last endorsement
  { from: 'REQUIRES_POLICY_REISSUANCE', to: 'VERIFICATION', who: people },
  { from: 'REQUIRES_POLICY_REISSUANCE', to: 'EXPIRED', who: anyone },
  { from: 'REQUIRES_CUSTOMER_RENEWAL', to: 'REQUIRES_POLICY_REISSUANCE', who: people }, // renewed, certificate pending
  { from: 'REQUIRES_CUSTOMER_RENEWAL', to: 'ISSUED', who: people },
  { from: 'REQUIRES_CUSTOMER_RENEWAL', to: 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE', who: calendar }, // the term ended
  { from: 'REQUIRES_CUSTOMER_RENEWAL', to: 'EXPIRED', who: anyone }, // without a grace period
  { from: 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE', to: 'ISSUED', who: people },
  { from: 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE', to: 'REQUIRES_POLICY_REISSUANCE', who: people },
  { from: 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE', to: 'EXPIRED', who: anyone }, // grace period over
  { from: 'EXPIRED', to: 'REQUIRES_POLICY_REISSUANCE', who: ['owner'], needsReason: true },
]

type Ids = { userId: string; id: string; benefitProviderId: string }

export const POLICY_MACHINE = machine({
  table: TRANSITIONS,
  event: 'policy.status_changed',
  ids: (policy: Ids) => ({
    user_id: policy.userId,
    insurance_policy_id: policy.id,
    benefit_provider_id: policy.benefitProviderId,
  }),
})

const BEFORE_ISSUE = { ...POLICY_MACHINE, table: TRANSITIONS.filter(({ wasIssued }) => wasIssued !== true) }
const AFTER_ISSUE = { ...POLICY_MACHINE, table: TRANSITIONS.filter(({ wasIssued }) => wasIssued !== false) }

/** Returns the state machine of one policy: the transitions that it can make before, or after, its first issue. */
export const chooseMachine = ({ issue }: { issue: number }) => (issue === 0 ? BEFORE_ISSUE : AFTER_ISSUE)

export type Step = { from: PolicyStatus; to: PolicyStatus }

/**
 * Returns true when a transition starts the next term: from the renewal window, or from grace or expiry after the end
 * of the term. Grace before the end is for a missed instalment; paying it changes no date.
 */
export function startsNextTerm({ from, to }: Step, term: { endDate: Day; today: Day }): boolean {
  if (to !== 'ISSUED' && to !== 'REQUIRES_POLICY_REISSUANCE') return false
  if (from === 'REQUIRES_CUSTOMER_RENEWAL') return true
  const isOver = term.endDate < term.today
  return isOver && (from === 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE' || from === 'EXPIRED')
}

type TermEnd = { coveredFrom: Day; termsFrom?: Day | null; endDate: Day; termMonths: number }

/**
 * Returns the next term. Terms are counted from the first start, so that a term from the 31st returns to the 31st after
 * a short month and twelve monthly terms make a year, without gaps or overlaps; after a first term that ended earlier than
 * the plan's, from the day after it.
 */
export function nextTerm({ coveredFrom, termsFrom, endDate, termMonths }: TermEnd) {
  const startDate = addDays(endDate, 1)
  const from = termsFrom ?? coveredFrom
  const months = monthsBetween({ from, to: startDate })
  return { startDate, endDate: lastDayOfTerm(from, months + termMonths) }
}

/** Returns true within a first term that ends earlier than the plan's. */
export const isShortTerm = ({ termsFrom, endDate }: Pick<TermEnd, 'termsFrom' | 'endDate'>): boolean =>
  Boolean(termsFrom) && endDate < (termsFrom as Day)

/** The fields the calendar depends on. */
export type Term = {
  status: PolicyStatus
  endDate: Day
  renewalWindowDays: number
  graceDays: number
  /** Last day to renew, pay or reissue; null when nothing is due. */
  graceUntil: Day | null
  /** Number of times it was issued. */
  issue: number
  /** Last covered day of a policy that ends before its term; null when no end is set. */
  endsOn: Day | null
}

export const windowOpensOn = ({ endDate, renewalWindowDays }: Pick<Term, 'endDate' | 'renewalWindowDays'>): Day =>
  addDays(endDate, -renewalWindowDays)

/** Returns the last day of grace, counted from the end of the term by default. */
export const lastDayOfGrace = ({ endDate, graceDays }: Pick<Term, 'endDate' | 'graceDays'>, from = endDate): Day =>
  addDays(from, graceDays)

type Next = { on: Day; to: PolicyStatus }

/** Returns the next transition of the calendar and its day; null when there is none. An end that is set takes the place of window and grace. */
function nextByCalendar(term: Term): Next | null {
  const next = nextOfStatus(term)
  if (term.endsOn === null || PHASES[term.status] === 'over') return next
  // A missed instalment ends it even sooner.
  return next?.to === 'EXPIRED' && next.on <= term.endsOn ? next : { on: addDays(term.endsOn, 1), to: 'EXPIRED' }
}

function nextOfStatus(term: Term): Next | null {
  switch (term.status) {
    case 'ISSUED':
      return { on: windowOpensOn(term), to: 'REQUIRES_CUSTOMER_RENEWAL' }
    case 'REQUIRES_CUSTOMER_RENEWAL': {
      const to = term.graceDays > 0 ? 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE' : 'EXPIRED'
      return { on: addDays(term.endDate, 1), to }
    }
    case 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE':
    case 'REQUIRES_POLICY_REISSUANCE':
    case 'PENDING':
    case 'VERIFICATION':
    case 'APPROVED':
      return term.graceUntil === null ? null : { on: addDays(term.graceUntil, 1), to: 'EXPIRED' }
    case 'EXPIRED':
    case 'REJECTED':
      return null
  }
}

/** The transitions that the calendar makes: from each state, with and without days of grace, and at an end. */
export const CALENDAR_STEPS: readonly Step[] = POLICY_STATUSES.flatMap((from) => {
  const endDate: Day = '2026-03-31'
  const term = { status: from, endDate, renewalWindowDays: 0, graceUntil: endDate, issue: 1 }
  const cases = [
    { graceDays: 0, endsOn: null },
    { graceDays: 1, endsOn: null },
    { graceDays: 0, endsOn: addDays(endDate, -1) },
  ]
  const states = cases.flatMap((days) => nextByCalendar({ ...term, ...days })?.to ?? [])
  return [...new Set(states)].map((to) => ({ from, to }))
})

export const nextMoveOn = (term: Term): Day | null => nextByCalendar(term)?.on ?? null

/** Returns the days of members as they are stored: of a policy that has ended nothing is awaited. */
export const storedDays = (policy: Manned & { status: PolicyStatus }) =>
  isOver(policy) ? afterSettlement(policy.memberDays, false) : policy.memberDays

/** Returns the next day on which the calendar changes a policy: its status, or who is on it. */
export function nextDayOf(policy: Term & Manned): Day | null {
  const days = [nextMoveOn(policy), isOver(policy) ? null : nextMemberDay(policy)]
  return days.filter((one) => one !== null).toSorted()[0] ?? null
}

export function dueTransition(term: Term, today: Day): PolicyStatus | undefined {
  const next = nextByCalendar(term)
  return next && next.on <= today ? next.to : undefined
}

/** Returns true when the calendar ends a term by today, whether or not it has run. */
export function hasEnded(term: Term, today: Day): boolean {
  const status = dueTransition(term, today)
  if (!status) return term.status === 'EXPIRED'
  return hasEnded({ ...term, status, graceUntil: graceUntil({ ...term, status }, today) }, today)
}

/** A policy with the fields its transitions need. */
type AgingPolicy = Term & Ids & Manned & Subject<PolicyStatus>

/** The caller that makes due transitions. */
export const CALENDAR = { kind: 'system', job: 'policy-calendar' } as const

/**
 * Returns a policy after all due transitions, with their history and events, and with who is on it today; the same one where nothing is due. Callers act on this state and write it, so
 * a late worker makes no difference; what is shown is what is stored. Pure.
 */
export function afterCalendar<P extends AgingPolicy>(policy: P, today: Day): Recorded & { policy: P } {
  const to = dueTransition(policy, today)
  if (!to) return { policy: isOver(policy) ? policy : atMemberDays(policy, today), history: [], events: [] }
  const first = programTransition(policy, { to, author: CALENDAR, today })
  const { policy: after, history, events } = afterCalendar(first.policy, today)
  return { policy: after, history: [...first.history, ...history], events: [...first.events, ...events] }
}

/**
 * Decides a transition that the program makes, for the caller of the change it follows from unless `by` says otherwise.
 * Pure.
 */
export function programTransition<P extends AgingPolicy>(
  policy: P,
  { to, author, today }: { to: PolicyStatus; author?: Caller; today: Day },
): Recorded & { policy: P } {
  const { history, events } = transition(chooseMachine(policy), policy, { to, who: 'system' })
  const changed = { ...policy, status: to }
  return {
    policy: { ...changed, graceUntil: graceUntil(changed, today) },
    history: author ? history.map((change) => ({ ...change, author })) : history,
    events,
  }
}

/** Decides that a policy whose content has changed is issued again: one that is ISSUED waits for that, others stay as they are. Pure. */
export const awaitReissue = <P extends AgingPolicy>(policy: P, today: Day): Recorded & { policy: P } =>
  policy.status === 'ISSUED'
    ? programTransition(policy, { to: 'REQUIRES_POLICY_REISSUANCE', today })
    : { policy, history: [], events: [] }

/**
 * Returns the last day of grace of a status that begins today, null when it has none. Counts from the end of the term,
 * for an instalment missed before it from today. Whatever was issued once has that time to be issued again.
 */
export function graceUntil(term: Omit<Term, 'graceUntil' | 'renewalWindowDays' | 'endsOn'>, today: Day): Day | null {
  switch (term.status) {
    case 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE':
      return lastDayOfGrace(term, today < term.endDate ? today : term.endDate)
    case 'REQUIRES_POLICY_REISSUANCE':
      return lastDayOfGrace(term)
    case 'PENDING':
    case 'VERIFICATION':
    case 'APPROVED':
      return term.issue === 0 ? null : lastDayOfGrace(term)
    case 'ISSUED':
    case 'REQUIRES_CUSTOMER_RENEWAL':
    case 'EXPIRED':
    case 'REJECTED':
      return null
  }
}

/**
 * Returns the stored last day of grace by the rule of today. That of a missed instalment stays: the day it was missed is
 * not stored.
 */
export const recountedGrace = (term: Term): Day | null =>
  term.status === 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE' && term.graceUntil !== null
    ? term.graceUntil
    : graceUntil(term, term.endDate)

/** The number of an issue, counted from 1, and the dependants it covers besides the member. */
export type Issue = { issue: number; dependantIds: string[] }

/** Returns the last issue and its dependants; null before the first. Never reverts: documents handed out stay valid. */
export function findIssued(policy: { issue: number; issuedDependantIds: string[] | null }): Issue | null {
  return policy.issuedDependantIds && { issue: policy.issue, dependantIds: policy.issuedDependantIds }
}

export function findPendingIssue({ status, issue, dependantIds }: Issue & { status: PolicyStatus }): Issue | null {
  return PHASES[status] === 'awaits_issue' ? { issue: issue + 1, dependantIds } : null
}

/** Returns a day, or the end that is set if that is earlier. */
export const notAfterEnd = ({ endsOn }: Pick<Term, 'endsOn'>, day: Day): Day =>
  endsOn !== null && endsOn < day ? endsOn : day

/** Returns the last covered day of the term. */
export const termEndsOn = (policy: Pick<Term, 'endDate' | 'endsOn'>): Day => notAfterEnd(policy, policy.endDate)
