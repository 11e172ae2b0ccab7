import type { Role } from './roles.ts'

export type PolicyState =
  | 'PENDING'
  | 'VERIFICATION'
  | 'APPROVED'
  | 'ISSUED'
  | 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE'
  | 'REQUIRES_POLICY_REISSUANCE'
  | 'REQUIRES_CUSTOMER_RENEWAL'
  | 'EXPIRED'
  | 'REJECTED'

export type PolicyTransition = {
  from: PolicyState
  to: PolicyState
  /** Names what the button does. */
  label: string
  /** What follows from it. */
  effect: string
  who: readonly Role[]
  needsReason?: true
  isDangerous?: true
}

const DESK = ['benefit_provider', 'operator', 'owner'] as const
const OFFICE = ['operator', 'owner'] as const
const OWNER = ['owner'] as const

const ISSUE = {
  to: 'ISSUED',
  label: 'Issue',
  effect: 'The certificate and health cards are made; the person is covered.',
} as const
const REJECT = {
  to: 'REJECTED',
  label: 'Reject',
  effect: 'The application ends. This cannot be undone.',
  isDangerous: true,
} as const
const END = {
  to: 'EXPIRED',
  label: 'End',
  effect: 'The cover ends. Only an owner can take it up again.',
  isDangerous: true,
} as const
const REISSUE = {
  to: 'REQUIRES_POLICY_REISSUANCE',
  label: 'Ask for a reissue',
  effect: 'It waits until it is issued again with the new details.',
} as const
const VERIFY = {
  to: 'VERIFICATION',
  label: 'Start verification',
  effect: 'The desk takes up the application.',
} as const
const GRACE = {
  to: 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE',
  label: 'Start grace',
  effect: 'It stays valid until the last day of grace, then it ends.',
} as const

/** The transitions that people make, as the service’s own table has them; the service decides in each case. */
export const POLICY_TRANSITIONS: readonly PolicyTransition[] = [
  { from: 'PENDING', who: DESK, ...VERIFY },
  { from: 'PENDING', who: DESK, ...REJECT },
  { from: 'PENDING', who: DESK, ...END, needsReason: true },
  { from: 'VERIFICATION', to: 'APPROVED', who: DESK, label: 'Approve', effect: 'It can be issued.' },
  { from: 'VERIFICATION', to: 'PENDING', who: DESK, label: 'Send back', effect: 'It waits for more details.' },
  { from: 'VERIFICATION', who: DESK, ...REJECT },
  { from: 'VERIFICATION', who: DESK, ...END, needsReason: true },
  { from: 'APPROVED', who: DESK, ...ISSUE },
  { from: 'APPROVED', who: DESK, ...REJECT },
  { from: 'APPROVED', who: DESK, ...END, needsReason: true },
  { from: 'ISSUED', who: DESK, ...REISSUE },
  { from: 'ISSUED', who: DESK, ...GRACE },
  {
    from: 'ISSUED',
    to: 'REQUIRES_CUSTOMER_RENEWAL',
    who: OWNER,
    label: 'Open renewal',
    effect: 'The renewal window opens before its day.',
    needsReason: true,
  },
  { from: 'ISSUED', who: DESK, ...END },
  { from: 'REQUIRES_POLICY_REISSUANCE', who: DESK, ...ISSUE, label: 'Issue again' },
  { from: 'REQUIRES_POLICY_REISSUANCE', who: DESK, ...VERIFY },
  { from: 'REQUIRES_POLICY_REISSUANCE', who: DESK, ...END },
  {
    from: 'REQUIRES_CUSTOMER_RENEWAL',
    who: DESK,
    ...ISSUE,
    label: 'Renew',
    effect: 'The next term begins, with a new certificate.',
  },
  { from: 'REQUIRES_CUSTOMER_RENEWAL', who: DESK, ...REISSUE, label: 'Renew, certificate later' },
  { from: 'REQUIRES_CUSTOMER_RENEWAL', who: OFFICE, ...GRACE },
  { from: 'REQUIRES_CUSTOMER_RENEWAL', who: DESK, ...END },
  { from: 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE', who: DESK, ...ISSUE, label: 'Paid', effect: 'It is in force again.' },
  { from: 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE', who: DESK, ...REISSUE, label: 'Paid, certificate later' },
  { from: 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE', who: DESK, ...END },
  { from: 'EXPIRED', who: OWNER, ...REISSUE, label: 'Take up again', needsReason: true },
]

export const transitionsFor = (state: string, role: Role): readonly PolicyTransition[] =>
  POLICY_TRANSITIONS.filter(({ from, who }) => from === state && who.includes(role))

/**
 * The steps whose opposite leaves nothing behind but the history: record, documents and card check are as before, as
 * `tests/system/dashboard/undo.test.ts` proves of each. An opposite arrow in the table is no proof: one renews, another
 * makes a certificate.
 */
const UNDOABLE = [
  { from: 'PENDING', to: 'VERIFICATION' },
  { from: 'VERIFICATION', to: 'PENDING' },
] as const satisfies readonly Pick<PolicyTransition, 'from' | 'to'>[]

/** Returns the transition that takes a step back; undefined where none is proven to. `seen`: the status before the step. */
export function undoOf(
  { from, to }: { from: string; to: PolicyState },
  role: Role,
  seen: { allowed_transitions: readonly string[] },
): PolicyTransition | undefined {
  // Only a policy that was never issued can be rejected.
  const wasIssued = !seen.allowed_transitions.includes('REJECTED')
  if (wasIssued || !UNDOABLE.some((step) => step.from === from && step.to === to)) return undefined
  return transitionsFor(to, role).find((transition) => transition.to === from)
}
