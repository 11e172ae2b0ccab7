import { type CallerKind, WRITING_ADMINISTRATORS } from '../../access/caller.ts'
import { allowedTransitions, machine, type Transition } from '../../record/index.ts'

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

type AccountState = { status: AccountStatus; externalAccountId: string | null }

/**
 * The states to which a caller can lead an account; one that was given up before it was opened has no number to be
 * active with.
 */
export const allowedNow = ({ status, externalAccountId }: AccountState, who: CallerKind): AccountStatus[] =>
  allowedTransitions(ACCOUNT_MACHINE.table, { from: status, who }).filter(
    (to) => to !== 'ACTIVE' || externalAccountId !== null,
  )
