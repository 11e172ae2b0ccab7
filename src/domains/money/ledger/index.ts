import { creditWallet, debitWallet } from './book.ts'
import { listUserWalletTransactions } from './list-user-wallet-transactions.ts'
import { listWalletTransactions } from './list-wallet-transactions.ts'

export { presentTransaction, TRANSACTION_TYPES, WalletTransactionRecord as WalletTransactionSchema } from './records.ts'
export { DESCRIPTION, ERASE_BOOKINGS, listTransactions } from './store.ts'
export { verifyLedger } from './verify-ledger.ts'

/** Of platforms and administrators, under `{base_url}`. */
export const bookingOperations = [creditWallet, debitWallet, listUserWalletTransactions]

/** Of wallet users, under `{wallet_base_url}`. */
export const transactionOperations = [listWalletTransactions]
