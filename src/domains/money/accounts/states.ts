import { type CallerKind, WRITING_ADMINISTRATORS } from '../../../access/caller.ts'
import { allowedTransitions, machine, type Transition } from '../../../record/index.ts'

export const ACCOUNT_STATUSES = ['ACTIVE', 'INACTIVE', 'PENDING'] as const
export type AccountStatus = (typeof ACCOUNT_STATUSES)[number]

/** Only the account provider's response makes an account ACTIVE for the first time, because it contains the number. */
const TRANSITIONS: readonly Transition<AccountStatus>[] = [
  { from: 'PENDING', to: 'ACTIVE', who: ['system'] },
  { from: 'PENDING', to: 'INACTIVE', who: ['system', ...WRITING_ADMINISTRATORS] },
  { from: 'ACTIVE', to: 'INACTIVE', who: WRITING_ADMINISTRATORS },
  { from: 'INACTIVE', to: 'ACTIVE', who: WRITING_ADMINISTRATORS },
]

export const ACCOUNT_MACHINE = machine({
  table: TRANSITIONS,
  event: 'account.status_changed',
  ids: (account: { userId: string; id: string }) => ({ user_id: account.userId, account_id: account.id }),
})

type AccountState = { status: AccountStatus; externalAccountId: string | null; hasOther: boolean }

/**
 * Returns true when an account can have a status now. One deactivated before it was opened has no number, so it cannot
 * be active, nor can one where another of its type is that is not INACTIVE.
 */
export const canBe = ({ externalAccountId, hasOther }: AccountState, to: AccountStatus): boolean =>
  to !== 'ACTIVE' || (externalAccountId !== null && !hasOther)

/** Returns the statuses a caller may set. */
export const allowedNow = (account: AccountState, who: CallerKind): AccountStatus[] =>
  allowedTransitions(ACCOUNT_MACHINE.table, { from: account.status, who }).filter((to) => canBe(account, to))
