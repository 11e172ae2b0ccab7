import { type Caller, type CallerKind, WRITING_ADMINISTRATORS } from '../../access/caller.ts'
import { addDays, type Day, lastDayOfTerm, monthsBetween } from '../../kernel/date.ts'
import {
  allowedTransitions,
  machine,
  type Recorded,
  type Subject,
  transition,
  type Transition,
} from '../../record/index.ts'

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

/** An issue is pending, the first or another; people are covered until it ends; nothing follows by itself. */
type Phase = 'awaits_issue' | 'in_force' | 'over'

const PHASES: Record<PolicyStatus, readonly Phase[]> = {
  PENDING: ['awaits_issue'],
  VERIFICATION: ['awaits_issue'],
  APPROVED: ['awaits_issue'],
  ISSUED: ['in_force'],
  REQUIRES_CUSTOMER_RENEWAL_IN_GRACE: ['in_force'],
  REQUIRES_POLICY_REISSUANCE: ['awaits_issue', 'in_force'],
  REQUIRES_CUSTOMER_RENEWAL: ['in_force'],
  EXPIRED: ['over'],
  REJECTED: ['over'],
}

const isIn = (status: PolicyStatus, phase: Phase): boolean => PHASES[status].includes(phase)

/** Returns true for a status in which the policy covers people until it ends. */
export const isStatusInForce = (status: PolicyStatus): boolean => isIn(status, 'in_force')

/** SQL: the statuses of policies that have ended. */
export const OVER = POLICY_STATUSES.filter((status) => isIn(status, 'over'))
  .map((status) => `'${status}'`)
  .join(', ')

type PolicyTransition = Transition<PolicyStatus> & { readonly needsReason?: true }

const people = ['provider', ...WRITING_ADMINISTRATORS] as const
/** Transitions of the calendar; administrators can make them by hand after an incident. */
const calendar = ['system', ...WRITING_ADMINISTRATORS] as const
const anyone = ['system', ...people] as const

const TRANSITIONS: readonly PolicyTransition[] = [
  { from: 'PENDING', to: 'VERIFICATION', who: people },
  { from: 'PENDING', to: 'REJECTED', who: anyone },
  { from: 'VERIFICATION', to: 'PENDING', who: people }, // more data needed
  { from: 'VERIFICATION', to: 'APPROVED', who: people },
  { from: 'VERIFICATION', to: 'REJECTED', who: anyone },
  { from: 'APPROVED', to: 'ISSUED', who: people },
  { from: 'APPROVED', to: 'REJECTED', who: anyone },
  { from: 'ISSUED', to: 'REQUIRES_POLICY_REISSUANCE', who: anyone }, // a new version of a dependant, or a correction
  { from: 'ISSUED', to: 'REQUIRES_CUSTOMER_RENEWAL', who: calendar }, // the window opens
  { from: 'ISSUED', to: 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE', who: people }, // an instalment was missed
  { from: 'ISSUED', to: 'EXPIRED', who: anyone },
  { from: 'REQUIRES_POLICY_REISSUANCE', to: 'ISSUED', who: people },
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

/** The state machine of policies (completion 5). */
export const POLICY_MACHINE = machine({
  table: TRANSITIONS,
  event: 'policy.status_changed',
  ids: (policy: Ids) => ({
    user_id: policy.userId,
    insurance_policy_id: policy.id,
    benefit_provider_id: policy.benefitProviderId,
  }),
})

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

/**
 * Returns the next term. Terms are counted from the first start, so that a term from the 31st returns to the 31st after
 * a short month and twelve monthly terms make a year, without gaps or overlaps.
 */
export function nextTerm({ coveredFrom, endDate, termMonths }: { coveredFrom: Day; endDate: Day; termMonths: number }) {
  const startDate = addDays(endDate, 1)
  const months = monthsBetween({ from: coveredFrom, to: startDate })
  return { startDate, endDate: lastDayOfTerm(coveredFrom, months + termMonths) }
}

/** The fields the calendar depends on. */
export type Term = {
  status: PolicyStatus
  endDate: Day
  renewalWindowDays: number
  graceDays: number
  /** Last day to renew, pay or reissue; null when nothing is due. */
  graceUntil: Day | null
}

export const windowOpensOn = ({ endDate, renewalWindowDays }: Pick<Term, 'endDate' | 'renewalWindowDays'>): Day =>
  addDays(endDate, -renewalWindowDays)

/** Returns the last day of grace, counted from the end of the term by default. */
export const lastDayOfGrace = ({ endDate, graceDays }: Pick<Term, 'endDate' | 'graceDays'>, from = endDate): Day =>
  addDays(from, graceDays)

/** Returns the next transition of the calendar and its day; null when there is none. */
function nextByCalendar(term: Term): { on: Day; to: PolicyStatus } | null {
  switch (term.status) {
    case 'ISSUED':
      return { on: windowOpensOn(term), to: 'REQUIRES_CUSTOMER_RENEWAL' }
    case 'REQUIRES_CUSTOMER_RENEWAL': {
      const to = term.graceDays > 0 ? 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE' : 'EXPIRED'
      return { on: addDays(term.endDate, 1), to }
    }
    case 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE':
    case 'REQUIRES_POLICY_REISSUANCE':
      return term.graceUntil === null ? null : { on: addDays(term.graceUntil, 1), to: 'EXPIRED' }
    case 'PENDING':
    case 'VERIFICATION':
    case 'APPROVED':
    case 'EXPIRED':
    case 'REJECTED':
      return null
  }
}

/** Returns the day of the calendar's next transition; null when there is none. */
export const nextMoveOn = (term: Term): Day | null => nextByCalendar(term)?.on ?? null

/** Returns the status of the transition that is due today; undefined when none is. */
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
type AgingPolicy = Term & Ids & Subject<PolicyStatus>

/** The caller that makes due transitions. */
export const CALENDAR = { kind: 'system', job: 'policy-calendar' } as const

/**
 * Returns a policy after all due transitions, with their history and events. Callers act on this state, so a late
 * worker makes no difference. Pure.
 */
export function afterCalendar<P extends AgingPolicy>(policy: P, today: Day): Recorded & { policy: P } {
  const to = dueTransition(policy, today)
  if (!to) return { policy, history: [], events: [] }
  const first = programTransition(policy, { to, by: CALENDAR, today })
  const { policy: after, history, events } = afterCalendar(first.policy, today)
  return { policy: after, history: [...first.history, ...history], events: [...first.events, ...events] }
}

/** Decides a transition made by the system. Pure. */
export function programTransition<P extends AgingPolicy>(
  policy: P,
  { to, by, today }: { to: PolicyStatus; by: Extract<Caller, { kind: 'system' }>; today: Day },
): Recorded & { policy: P } {
  const { history, events } = transition(POLICY_MACHINE, policy, { to, who: by.kind })
  const changed = { ...policy, status: to }
  return {
    policy: { ...changed, graceUntil: graceUntil(changed, today) },
    history: history.map((change) => ({ ...change, by })),
    events,
  }
}

type Step = { from: PolicyStatus; to: PolicyStatus }

/** Returns true when a transition would issue a term whose grace is over, without starting the next one. */
export const issuesEndedTerm = (step: Step, term: Pick<Term, 'endDate' | 'graceDays'>, today: Day): boolean =>
  step.to === 'ISSUED' && lastDayOfGrace(term) < today && !startsNextTerm(step, { endDate: term.endDate, today })

/** Returns the statuses a caller may set today. */
export const allowedToday = (policy: Term, { who, today }: { who: CallerKind; today: Day }): PolicyStatus[] =>
  allowedTransitions(POLICY_MACHINE.table, { from: policy.status, who }).filter(
    (to) => !issuesEndedTerm({ from: policy.status, to }, policy, today),
  )

/**
 * Returns the last day of grace of a status that begins today, null when it has none. Counts from the end of the term
 * for a renewal, from today for an instalment missed before that, and from the later of the two for a reissue.
 */
export function graceUntil(term: Omit<Term, 'graceUntil' | 'renewalWindowDays'>, today: Day): Day | null {
  const { endDate } = term
  switch (term.status) {
    case 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE':
      return lastDayOfGrace(term, today < endDate ? today : endDate)
    case 'REQUIRES_POLICY_REISSUANCE':
      return lastDayOfGrace(term, today < endDate ? endDate : today)
    case 'PENDING':
    case 'VERIFICATION':
    case 'APPROVED':
    case 'ISSUED':
    case 'REQUIRES_CUSTOMER_RENEWAL':
    case 'EXPIRED':
    case 'REJECTED':
      return null
  }
}

type IssueState = { status: PolicyStatus; issue: number; dependantIds: string[]; issuedDependantIds: string[] | null }

/** Returns the last issue and its dependants; null before the first. Never reverts: documents handed out stay valid. */
export function issuedOf({ issue, issuedDependantIds }: Omit<IssueState, 'status' | 'dependantIds'>) {
  return issuedDependantIds === null ? null : { issue, dependantIds: issuedDependantIds }
}

/** Returns the pending issue and its dependants; null when none is pending. */
export function pendingIssueOf({ status, issue, dependantIds }: Omit<IssueState, 'issuedDependantIds'>) {
  return isIn(status, 'awaits_issue') ? { issue: issue + 1, dependantIds } : null
}

/**
 * Returns the cover of an issued policy on a day, including transitions that are due but not yet made; undefined before
 * its first term.
 */
export function coverOn(
  policy: Omit<Term, 'renewalWindowDays'> & { coveredFrom: Day },
  today: Day,
): 'valid' | 'in_grace' | 'expired' | undefined {
  if (today < policy.coveredFrom) return undefined
  const inGrace = () => (today <= (policy.graceUntil ?? lastDayOfGrace(policy)) ? 'in_grace' : 'expired')
  switch (policy.status) {
    case 'EXPIRED':
    case 'REJECTED':
      return 'expired'
    case 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE':
      return inGrace()
    case 'PENDING':
    case 'VERIFICATION':
    case 'APPROVED':
    case 'ISSUED':
    case 'REQUIRES_POLICY_REISSUANCE':
    case 'REQUIRES_CUSTOMER_RENEWAL':
      return today <= policy.endDate ? 'valid' : inGrace()
  }
}
