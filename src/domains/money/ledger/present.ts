import type { WalletTransaction } from './store.ts'

export const presentTransaction = (transaction: WalletTransaction) => ({
  id: transaction.id,
  transaction_type: transaction.type,
  amount: transaction.amountPaise,
  balance_after: transaction.balanceAfterPaise,
  reference: transaction.reference,
  description: transaction.description,
  created_at: transaction.createdAt,
})
