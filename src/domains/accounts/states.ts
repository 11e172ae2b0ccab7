import { machine, type Transition } from '../../record/index.ts'

export const ACCOUNT_STATUSES = ['ACTIVE', 'INACTIVE', 'PENDING'] as const
export type AccountStatus = (typeof ACCOUNT_STATUSES)[number]

const administrators = ['operator', 'owner'] as const

/** Only the account provider's response makes an account ACTIVE for the first time, because it brings the number. */
const TRANSITIONS: readonly Transition<AccountStatus>[] = [
  { from: 'PENDING', to: 'ACTIVE', who: ['system'] },
  { from: 'PENDING', to: 'INACTIVE', who: ['system', ...administrators] },
  { from: 'ACTIVE', to: 'INACTIVE', who: administrators },
  { from: 'INACTIVE', to: 'ACTIVE', who: administrators },
]

/** The states of an account (completion 5). */
export const ACCOUNT_MACHINE = machine({
  table: TRANSITIONS,
  event: 'account.status_changed',
  ids: (account: { userId: string; id: string }) => ({ user_id: account.userId, account_id: account.id }),
})
