import type { PolicyState } from '../../api/policy-transitions.ts'

export const POLICY_STATES = [
  'PENDING',
  'VERIFICATION',
  'APPROVED',
  'ISSUED',
  'REQUIRES_POLICY_REISSUANCE',
  'REQUIRES_CUSTOMER_RENEWAL',
  'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE',
  'EXPIRED',
  'REJECTED',
] as const satisfies readonly PolicyState[]

/** The lists that a day’s work consists of, each some states. */
export const WORK_LISTS: readonly { title: string; status: readonly PolicyState[] }[] = [
  { title: 'Applications', status: ['PENDING', 'VERIFICATION', 'APPROVED'] },
  { title: 'Reissues', status: ['REQUIRES_POLICY_REISSUANCE'] },
  { title: 'Renewals', status: ['REQUIRES_CUSTOMER_RENEWAL'] },
  { title: 'In grace', status: ['REQUIRES_CUSTOMER_RENEWAL_IN_GRACE'] },
  { title: 'All', status: [] },
]

/** How far ahead the calendar’s next transition may be, by days. */
export const DUE = [
  { value: '', label: 'Any day' },
  { value: '7', label: 'Within 7 days' },
  { value: '30', label: 'Within 30 days' },
] as const
