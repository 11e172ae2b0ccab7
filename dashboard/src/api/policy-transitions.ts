import { TRANSITIONS } from '../generated/tables.ts'
import type { Role } from './roles.ts'
import { described, type Transition } from './transitions.ts'

export type PolicyState = (typeof TRANSITIONS.insurance_policy)[number]['from' | 'to']
export type PolicyTransition = Transition<PolicyState>

const ISSUE = {
  label: 'Issue',
  effect: 'The certificate and health cards are made; the person is covered.',
} as const
const REJECT = {
  label: 'Reject',
  effect: 'The application ends. This cannot be undone.',
  isDangerous: true,
} as const
const END = {
  label: 'End',
  effect: 'The cover ends. Only an owner can take it up again.',
  isDangerous: true,
} as const
const REISSUE = {
  label: 'Ask for a reissue',
  effect: 'It waits until it is issued again with the new details.',
} as const
const VERIFY = { label: 'Start verification', effect: 'The desk takes up the application.' } as const
const GRACE = { label: 'Start grace', effect: 'It stays valid until the last day of grace, then it ends.' } as const

/** The transitions that people make, with their words; the service decides in each case. */
export const POLICY_TRANSITIONS = described(TRANSITIONS.insurance_policy, {
  'PENDING → VERIFICATION': VERIFY,
  'PENDING → REJECTED': REJECT,
  'PENDING → EXPIRED': END,
  'VERIFICATION → APPROVED': { label: 'Approve', effect: 'It can be issued.' },
  'VERIFICATION → PENDING': {
    label: 'Send back',
    effect: 'It waits for the partner, who reads the reason: say what is missing.',
    needsReason: true,
  },
  'VERIFICATION → REJECTED': REJECT,
  'VERIFICATION → EXPIRED': END,
  'APPROVED → ISSUED': ISSUE,
  'APPROVED → REJECTED': REJECT,
  'APPROVED → EXPIRED': END,
  'ISSUED → REQUIRES_POLICY_REISSUANCE': { ...REISSUE, isExceptional: true },
  'ISSUED → REQUIRES_CUSTOMER_RENEWAL_IN_GRACE': { ...GRACE, isExceptional: true },
  'ISSUED → REQUIRES_CUSTOMER_RENEWAL': {
    label: 'Open renewal',
    effect: 'The renewal window opens before its day.',
    isExceptional: true,
  },
  'ISSUED → EXPIRED': END,
  'REQUIRES_POLICY_REISSUANCE → ISSUED': { ...ISSUE, label: 'Issue again' },
  'REQUIRES_POLICY_REISSUANCE → VERIFICATION': VERIFY,
  'REQUIRES_POLICY_REISSUANCE → EXPIRED': END,
  'REQUIRES_CUSTOMER_RENEWAL → ISSUED': {
    label: 'Renew',
    effect: 'The next term begins, with a new certificate.',
  },
  'REQUIRES_CUSTOMER_RENEWAL → REQUIRES_POLICY_REISSUANCE': { ...REISSUE, label: 'Renew, certificate later' },
  'REQUIRES_CUSTOMER_RENEWAL → REQUIRES_CUSTOMER_RENEWAL_IN_GRACE': GRACE,
  'REQUIRES_CUSTOMER_RENEWAL → EXPIRED': END,
  'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE → ISSUED': { label: 'Paid', effect: 'It is in force again.' },
  'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE → REQUIRES_POLICY_REISSUANCE': { ...REISSUE, label: 'Paid, certificate later' },
  'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE → EXPIRED': END,
  'EXPIRED → REQUIRES_POLICY_REISSUANCE': { ...REISSUE, label: 'Take up again', isExceptional: true },
})

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
  seen: { allowed_transitions: readonly string[]; is_sent_back: boolean },
): PolicyTransition | undefined {
  // Only a policy that was never issued can be rejected.
  const wasIssued = !seen.allowed_transitions.includes('REJECTED')
  // What was sent back has lost that mark by being taken up.
  if (wasIssued || seen.is_sent_back || !UNDOABLE.some((step) => step.from === from && step.to === to)) return undefined
  return transitionsFor(to, role).find((transition) => transition.to === from)
}
