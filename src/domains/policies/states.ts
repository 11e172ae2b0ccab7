import { addDays, type Day } from '../../kernel/date.ts'
import { lastDayOfGrace } from '../documents/index.ts'

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

export type PolicyMover = 'provider' | 'operator' | 'owner' | 'system'

type PolicyMove = { from: PolicyStatus; to: PolicyStatus; who: readonly PolicyMover[]; needsReason?: true }

const people = ['provider', 'operator', 'owner'] as const
/** Moves that the calendar makes; an administrator can make them by hand when something went wrong. */
const calendar = ['system', 'operator', 'owner'] as const
const anyone = ['system', ...people] as const

/** The state table of policies (completion 5). A move that is not here cannot be made by anybody. */
export const POLICY_MOVES: readonly PolicyMove[] = [
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

/**
 * True when a move starts the next term: out of the renewal window, or out of grace or expiry once the term is over.
 * Grace before the end is for a missed instalment, and paying that changes no date.
 */
export function startsNextTerm(
  move: { from: PolicyStatus; to: PolicyStatus },
  term: { endDate: Day; today: Day },
): boolean {
  if (move.to !== 'ISSUED' && move.to !== 'REQUIRES_POLICY_REISSUANCE') return false
  if (move.from === 'REQUIRES_CUSTOMER_RENEWAL') return true
  const isOver = term.endDate < term.today
  return isOver && (move.from === 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE' || move.from === 'EXPIRED')
}

/** What the calendar looks at. */
type Calendar = {
  status: PolicyStatus
  end_date: Day
  renewal_window_days: number
  grace_days: number
  /** The last day on which somebody can still renew, pay or issue again; null when nobody has to. */
  grace_until: Day | null
}

/** The day on which the calendar moves a policy if nobody does before; null when no day will. */
export function nextMoveOn({
  status,
  end_date,
  renewal_window_days,
  grace_until,
}: Omit<Calendar, 'grace_days'>): Day | null {
  switch (status) {
    case 'ISSUED':
      return addDays(end_date, -renewal_window_days)
    case 'REQUIRES_CUSTOMER_RENEWAL':
      return addDays(end_date, 1)
    case 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE':
    case 'REQUIRES_POLICY_REISSUANCE':
      return grace_until === null ? null : addDays(grace_until, 1)
    default:
      return null
  }
}

/** The move that is due today; undefined when none is. */
export function dueMove(policy: Calendar, today: Day): PolicyStatus | undefined {
  const on = nextMoveOn(policy)
  if (on === null || today < on) return undefined
  if (policy.status === 'ISSUED') return 'REQUIRES_CUSTOMER_RENEWAL'
  if (policy.status === 'REQUIRES_CUSTOMER_RENEWAL' && policy.grace_days > 0)
    return 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE'
  return 'EXPIRED'
}

/**
 * The last day of grace after a move. For a renewal it counts from the end of the term, for an instalment missed before
 * that from today; for a certificate that has to be issued again from the later of the two.
 */
export function graceUntil(policy: Omit<Calendar, 'grace_until' | 'renewal_window_days'>, today: Day): Day | null {
  const { status, end_date, grace_days } = policy
  const [earlier, later] = today <= end_date ? [today, end_date] : [end_date, today]
  if (status === 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE') return lastDayOfGrace(earlier, grace_days)
  return status === 'REQUIRES_POLICY_REISSUANCE' ? lastDayOfGrace(later, grace_days) : null
}

/** On the way to be issued, for the first time or anew. */
const AWAITING: readonly PolicyStatus[] = ['PENDING', 'VERIFICATION', 'APPROVED', 'REQUIRES_POLICY_REISSUANCE']

type Issuing = { status: PolicyStatus; issue: number; dependant_ids: string[]; issued_dependant_ids: string[] | null }

/** The last issue and whom it covers; null before the first. Once issued, always: what was handed out stays true. */
export function issuedOf({ issue, issued_dependant_ids }: Omit<Issuing, 'status' | 'dependant_ids'>) {
  return issued_dependant_ids === null ? null : { issue, dependantIds: issued_dependant_ids }
}

/** The issue that the policy is on its way to; null when it is not. */
export function awaitedOf({ status, issue, dependant_ids }: Omit<Issuing, 'issued_dependant_ids'>) {
  return AWAITING.includes(status) ? { issue: issue + 1, dependantIds: dependant_ids } : null
}

/**
 * How an issued policy covers its members on a day, whether or not the calendar has moved it by then; undefined before
 * its first term.
 */
export function coverOn(
  policy: Calendar & { covered_from: Day },
  today: Day,
): 'valid' | 'in_grace' | 'expired' | undefined {
  const { status, covered_from, end_date, grace_days } = policy
  if (today < covered_from) return undefined
  if (status === 'EXPIRED' || status === 'REJECTED') return 'expired'
  const isInGrace = status === 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE'
  if (today <= end_date && !isInGrace) return 'valid'
  return today <= (policy.grace_until ?? lastDayOfGrace(end_date, grace_days)) ? 'in_grace' : 'expired'
}
