import { WRITING_ADMINISTRATORS } from '../../access/caller.ts'
import { machine, type Transition } from '../../record/index.ts'

export const ACCOUNT_STATUSES = ['ACTIVE', 'INACTIVE', 'PENDING'] as const
export type AccountStatus = (typeof ACCOUNT_STATUSES)[number]

/** Only the account provider's response makes an account ACTIVE for the first time, because it brings the number. */
const TRANSITIONS: readonly Transition<AccountStatus>[] = [
  { from: 'PENDING', to: 'ACTIVE', who: ['system'] },
  { from: 'PENDING', to: 'INACTIVE', who: ['system', ...WRITING_ADMINISTRATORS] },
  { from: 'ACTIVE', to: 'INACTIVE', who: WRITING_ADMINISTRATORS },
  { from: 'INACTIVE', to: 'ACTIVE', who: WRITING_ADMINISTRATORS },
]

/** The states of an account (completion 5). */
export const ACCOUNT_MACHINE = machine({
  table: TRANSITIONS,
  event: 'account.status_changed',
  ids: (account: { userId: string; id: string }) => ({ user_id: account.userId, account_id: account.id }),
})
