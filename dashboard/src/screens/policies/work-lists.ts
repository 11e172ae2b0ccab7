import type { PolicyState } from '../../api/policy-transitions.ts'

type WorkList = { title: string; status: readonly PolicyState[]; isSentBack?: true }

/** The lists that a day’s work consists of, each some states. */
export const WORK_LISTS: readonly WorkList[] = [
  { title: 'Applications', status: ['PENDING', 'VERIFICATION', 'APPROVED'] },
  { title: 'Sent back', status: [], isSentBack: true },
  { title: 'Reissues', status: ['REQUIRES_POLICY_REISSUANCE'] },
  { title: 'Renewals', status: ['REQUIRES_CUSTOMER_RENEWAL'] },
  { title: 'In grace', status: ['REQUIRES_CUSTOMER_RENEWAL_IN_GRACE'] },
  { title: 'All', status: [] },
]
