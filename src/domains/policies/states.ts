import type { Day } from '../../kernel/date.ts'

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
 * True when a move starts the next term: out of the renewal window, or out of grace once the term is over. Grace
 * before the end is for a missed instalment, and paying that changes no date.
 */
export function startsNextTerm(
  move: { from: PolicyStatus; to: PolicyStatus },
  term: { endDate: Day; today: Day },
): boolean {
  if (move.to !== 'ISSUED' && move.to !== 'REQUIRES_POLICY_REISSUANCE') return false
  if (move.from === 'REQUIRES_CUSTOMER_RENEWAL') return true
  return move.from === 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE' && term.endDate < term.today
}
