import { addDepositEntry } from './add-deposit-entry.ts'
import { listDepositEntries } from './list-deposit-entries.ts'
import { listDeposits } from './list-deposits.ts'
import { setDepositLowBelow } from './set-deposit-low-below.ts'

export { announceLow } from './announce-low.ts'
export { everyEntry, findBalanceOn, type NumberedEntry } from './entries-store.ts'
export { ENTRY_KINDS, PAID_KINDS } from './records.ts'
export { findDeposit } from './store.ts'
export { verifyDeposits } from './verify-deposits.ts'

export const depositOperations = [listDeposits, listDepositEntries, addDepositEntry, setDepositLowBelow]
