import { type Actor, actorOf } from '../../access/caller.ts'
import { scopeOnUser } from '../../access/scope.ts'
import type { Vault } from '../../kernel/crypto/vault.ts'
import type { Tx } from '../../kernel/db/database.ts'
import { conflict, invalidState } from '../../kernel/refusal.ts'
import { emit } from '../events/index.ts'
import { findUser } from '../users/index.ts'
import { lockWallet, setBalance, type Wallet } from '../wallets/index.ts'
import type { BookingForm } from './schemas.ts'
import { insertTransaction, type TransactionType, type WalletTransaction } from './store.ts'

type Booking = { userId: string; type: TransactionType; form: BookingForm; by: Actor }

/**
 * Books a credit or a debit with its two entries and the new balance, the wallet locked. 404 when there is no wallet in the
 * caller's scope; 409 `invalid_state` before it is provisioned and for a debit while it is blocked; 409 `conflict` when
 * the balance would leave what can be kept, or the reference is booked already.
 */
export async function book(tx: Tx, vault: Vault, { userId, type, form, by }: Booking): Promise<WalletTransaction> {
  const user = await findUser(tx, vault, scopeOnUser(by.caller, userId))
  const wallet = await lockWallet(tx, user.id)
  checkTakes(wallet, type)
  const { amount: amountPaise, reference, description } = form
  const balanceAfterPaise = type === 'CREDIT' ? wallet.balancePaise + amountPaise : wallet.balancePaise - amountPaise
  if (balanceAfterPaise < 0) throw conflict('The balance is lower than the amount.')
  // Both are safe integers, so their sum is exact or above the limit; either way the comparison is right.
  if (balanceAfterPaise > Number.MAX_SAFE_INTEGER)
    throw conflict('The balance would be larger than can be kept exactly.')

  const booking = {
    userId: user.id,
    key: user.key,
    type,
    amountPaise,
    balanceAfterPaise,
    reference,
    description,
    actor: actorOf(by.caller),
  }
  const transaction = await insertTransaction(tx, booking)
  await setBalance(tx, { userId: user.id, balancePaise: balanceAfterPaise })
  const data = { user_id: user.id, wallet_id: wallet.id, transaction_id: transaction.id, transaction_type: type }
  await emit(tx, 'wallet.balance_changed', { platformId: user.platformId, subject: wallet.id, data })
  return transaction
}

function checkTakes(wallet: Wallet, type: TransactionType): void {
  if (wallet.status !== 'COMPLETED') throw invalidState({ current: wallet.status, allowed: [] })
  if (type === 'DEBIT' && wallet.partnerStatus === 'BLOCKED') {
    throw invalidState({ current: wallet.partnerStatus, allowed: ['ACTIVE'] })
  }
}
