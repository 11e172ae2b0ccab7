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

type PolicyTransition = Transition<PolicyStatus> & { readonly needsReason?: true }

const people = ['provider', ...WRITING_ADMINISTRATORS] as const
/** Transitions of the calendar; an administrator can make them by hand when something went wrong. */
const calendar = ['system', ...WRITING_ADMINISTRATORS] as const
const anyone = ['system', ...people] as const

const TRANSITIONS: readonly PolicyTransition[] = [
  { from: 'PENDING', to: 'VERIFICATION', who: people },
  { from: 'PENDING', to: 'REJECTED', who: people },
  { from: 'VERIFICATION', to: 'PENDING', who: people }, // more data wanted
  { from: 'VERIFICATION', to: 'APPROVED', who: people },
  { from: 'VERIFICATION', to: 'REJECTED', who: people },
  { from: 'APPROVED', to: 'ISSUED', who: people },
  { from: 'APPROVED', to: 'REJECTED', who: people },
  { from: 'ISSUED', to: 'REQUIRES_POLICY_REISSUANCE', who: anyone }, // a new version of a dependant, a correction
  { from: 'ISSUED', to: 'REQUIRES_CUSTOMER_RENEWAL', who: calendar }, // the window opens
  { from: 'ISSUED', to: 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE', who: people }, // an instalment was missed
  { from: 'ISSUED', to: 'EXPIRED', who: anyone },
  { from: 'REQUIRES_POLICY_REISSUANCE', to: 'ISSUED', who: people },
  { from: 'REQUIRES_POLICY_REISSUANCE', to: 'VERIFICATION', who: people },
  { from: 'REQUIRES_POLICY_REISSUANCE', to: 'EXPIRED', who: anyone },
  { from: 'REQUIRES_CUSTOMER_RENEWAL', to: 'REQUIRES_POLICY_REISSUANCE', who: people }, // renewed, certificate awaited
  { from: 'REQUIRES_CUSTOMER_RENEWAL', to: 'ISSUED', who: people },
  { from: 'REQUIRES_CUSTOMER_RENEWAL', to: 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE', who: calendar }, // the end passed
  { from: 'REQUIRES_CUSTOMER_RENEWAL', to: 'EXPIRED', who: anyone }, // no grace
  { from: 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE', to: 'ISSUED', who: people },
  { from: 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE', to: 'REQUIRES_POLICY_REISSUANCE', who: people },
  { from: 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE', to: 'EXPIRED', who: anyone }, // grace over
  { from: 'EXPIRED', to: 'REQUIRES_POLICY_REISSUANCE', who: ['owner'], needsReason: true },
]

type Ids = { userId: string; id: string; benefitProviderId: string }

/** The states of a policy (completion 5). */
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
 * True when a transition starts the next term: out of the renewal window, or out of grace or expiry once the term is
 * over. Grace before the end is for a missed instalment, and paying that changes no date.
 */
export function startsNextTerm({ from, to }: Step, term: { endDate: Day; today: Day }): boolean {
  if (to !== 'ISSUED' && to !== 'REQUIRES_POLICY_REISSUANCE') return false
  if (from === 'REQUIRES_CUSTOMER_RENEWAL') return true
  const isOver = term.endDate < term.today
  return isOver && (from === 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE' || from === 'EXPIRED')
}

/**
 * The term after this one. Terms are counted from the first start, so that one from the 31st comes back to it after a
 * short month and twelve monthly ones are a year; none leaves a gap or an overlap.
 */
export function nextTerm({ coveredFrom, endDate, termMonths }: { coveredFrom: Day; endDate: Day; termMonths: number }) {
  const startDate = addDays(endDate, 1)
  const months = monthsBetween({ from: coveredFrom, to: startDate })
  return { startDate, endDate: lastDayOfTerm(coveredFrom, months + termMonths) }
}

/** What the calendar looks at. */
export type Term = {
  status: PolicyStatus
  endDate: Day
  renewalWindowDays: number
  graceDays: number
  /** The last day on which somebody can still renew, pay or issue again; null when nobody has to. */
  graceUntil: Day | null
}

/** The day on which the renewal window opens. */
export const windowOpensOn = ({ endDate, renewalWindowDays }: Pick<Term, 'endDate' | 'renewalWindowDays'>): Day =>
  addDays(endDate, -renewalWindowDays)

/** The last day of grace, counted from the end of the term unless said otherwise. */
export const lastDayOfGrace = ({ endDate, graceDays }: Pick<Term, 'endDate' | 'graceDays'>, from = endDate): Day =>
  addDays(from, graceDays)

/** The transition that the calendar makes next if nobody is first, and its day; null when no day will. */
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

/** The day on which the calendar has to look at a policy; null when no day will change it. */
export const nextMoveOn = (term: Term): Day | null => nextByCalendar(term)?.on ?? null

/** The state that a policy has to go to today; undefined when none is due. */
export function dueTransition(term: Term, today: Day): PolicyStatus | undefined {
  const next = nextByCalendar(term)
  return next && next.on <= today ? next.to : undefined
}

/** A policy with what its transitions need. */
type AgingPolicy = Term & Ids & Subject<PolicyStatus>

/** Who makes the transitions that are due. */
export const CALENDAR = { kind: 'system', job: 'policy-calendar' } as const

/**
 * A policy as it is once the calendar has run, with what its transitions leave behind: people act on that, so a worker
 * that is late changes nothing. Pure.
 */
export function afterCalendar<P extends AgingPolicy>(policy: P, today: Day): Recorded & { policy: P } {
  const to = dueTransition(policy, today)
  if (!to) return { policy, history: [], events: [] }
  const first = programTransition(policy, { to, by: CALENDAR, today })
  const { policy: after, history, events } = afterCalendar(first.policy, today)
  return { policy: after, history: [...first.history, ...history], events: [...first.events, ...events] }
}

/** Decides a transition that the program makes by itself. Pure. */
export function programTransition<P extends AgingPolicy>(
  policy: P,
  { to, by, today }: { to: PolicyStatus; by: Extract<Caller, { kind: 'system' }>; today: Day },
): Recorded & { policy: P } {
  const { history, events } = transition(POLICY_MACHINE, policy, { to, who: by.kind })
  const moved = { ...policy, status: to }
  return {
    policy: { ...moved, graceUntil: graceUntil(moved, today) },
    history: history.map((change) => ({ ...change, by })),
    events,
  }
}

type Step = { from: PolicyStatus; to: PolicyStatus }

/**
 * True when a transition would issue what is over: the term with its grace has passed, and it does not start the next
 * one.
 */
export const issuesWhatIsOver = (step: Step, term: Pick<Term, 'endDate' | 'graceDays'>, today: Day): boolean =>
  step.to === 'ISSUED' && lastDayOfGrace(term) < today && !startsNextTerm(step, { endDate: term.endDate, today })

/** The states to which a caller can lead a policy today. */
export const allowedToday = (policy: Term, { who, today }: { who: CallerKind; today: Day }): PolicyStatus[] =>
  allowedTransitions(POLICY_MACHINE.table, { from: policy.status, who }).filter(
    (to) => !issuesWhatIsOver({ from: policy.status, to }, policy, today),
  )

/**
 * The last day of grace that a state begins with. For a renewal it counts from the end of the term, for an instalment
 * missed before that from today; for a certificate that has to be issued again from the later of the two.
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

/** On the way to be issued, for the first time or anew. */
const AWAITING: readonly PolicyStatus[] = ['PENDING', 'VERIFICATION', 'APPROVED', 'REQUIRES_POLICY_REISSUANCE']

type IssueState = { status: PolicyStatus; issue: number; dependantIds: string[]; issuedDependantIds: string[] | null }

/** The last issue and whom it covers; null before the first. Once issued, always: what was handed out stays true. */
export function issuedOf({ issue, issuedDependantIds }: Omit<IssueState, 'status' | 'dependantIds'>) {
  return issuedDependantIds === null ? null : { issue, dependantIds: issuedDependantIds }
}

/** The issue that the policy is on its way to; null when it is not. */
export function awaitedOf({ status, issue, dependantIds }: Omit<IssueState, 'issuedDependantIds'>) {
  return AWAITING.includes(status) ? { issue: issue + 1, dependantIds } : null
}

/**
 * How an issued policy covers its members on a day, whether or not the calendar has been there by then; undefined
 * before its first term.
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
