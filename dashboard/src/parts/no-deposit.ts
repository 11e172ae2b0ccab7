import { type Deposit, Money } from '@banyan/client'

type Shown = Pick<Deposit, 'balance' | 'low_below'> & { last_modified_at: Date | null }

/** What stands where nothing was entered, and no level set. */
export const NO_DEPOSIT: Shown = { balance: Money.paise(0), low_below: null, last_modified_at: null }
