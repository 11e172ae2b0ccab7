import { actorOf } from '../../../access/caller.ts'
import type { OperationName } from '../../../access/matrix.ts'
import { scopeOnUser } from '../../../access/scope.ts'
import { wireTime } from '../../../kernel/clock.ts'
import type { DataKey } from '../../../kernel/crypto/vault.ts'
import type { LinkedRowOf } from '../../../kernel/db/write-statement.ts'
import { newId } from '../../../kernel/id.ts'
import { conflict, invalidState, limitReached, ProblemError } from '../../../kernel/problem-error.ts'
import {
  type Author,
  type Change,
  type Deps,
  newEvent,
  operation,
  RequiredIdempotencyKey,
  responding,
} from '../../../record/index.ts'
import { ensureUserInPath, UserPath } from '../../people/users/index.ts'
import type { Wallet } from '../wallets/index.ts'
import {
  BookingInput,
  NEEDS_WALLET,
  presentTransaction,
  tags,
  type TransactionType,
  type WalletTransaction,
  WalletTransactionRecord,
} from './records.ts'
import { BOOK, DESCRIPTION, LINKED_ENTRIES, findBookableWallet, isBooked, LINKED_TRANSACTIONS } from './store.ts'

type BookingText = { access: OperationName; type: TransactionType; summary: string; description: string }

/** Defines a credit or debit: they differ in their row of the role matrix, the sign and what is said about them. */
const bookingOperation = (
  address: `POST /users/:user_id/wallet/${string}`,
  { type, description, ...described }: BookingText,
) =>
  operation(address, {
    ...described,
    tags,
    description: `${description} ${NEEDS_WALLET}`,
    headers: RequiredIdempotencyKey,
    params: UserPath,
    body: BookingInput,
    response: { 201: WalletTransactionRecord },
    problems: ['conflict', 'invalid_state', 'idempotency_in_progress', 'idempotency_key_reused'],
    checkTargetFirst: ensureUserInPath,
    serializeBy: ({ params }) => params.user_id,
    change: ({ deps, params, body }, author) => book(deps, { userId: params.user_id, type, input: body }, author),
    present: (transaction) => responding(presentTransaction(transaction), 201),
  })

export const creditWallet = bookingOperation('POST /users/:user_id/wallet/credits', {
  access: 'creditWallet',
  type: 'CREDIT',
  summary: 'Credit a wallet',
  description:
    'Adds paise to the wallet, booked against the platform’s own account, which has no limit: what stands behind it is between the platform and the wallet operator.',
})

export const debitWallet = bookingOperation('POST /users/:user_id/wallet/debits', {
  access: 'debitWallet',
  type: 'DEBIT',
  summary: 'Debit a wallet',
  description:
    'Takes paise from the wallet, booked to the platform’s own account. Rejected when the balance is too low or the wallet is blocked.',
})

type Booking = { type: TransactionType; input: BookingInput }

/**
 * Decides a credit or debit with its two entries and the new balance. Throws 404 when there is no wallet in the
 * caller's scope, 409 `invalid_state` before it is provisioned and for a debit while it is blocked, 409 `conflict` when
 * the balance would leave its range or the reference is already booked.
 */
export async function book(
  deps: Deps,
  { userId, ...booking }: Booking & { userId: string },
  author: Author,
): Promise<Change<WalletTransaction>> {
  const bookable = await findBookableWallet(deps, scopeOnUser(author.caller, userId))
  try {
    return decideBooking(bookable, booking, author)
  } catch (error) {
    // A repeated reference is reported as such, whatever has become of the wallet since.
    const { reference } = booking.input
    if (error instanceof ProblemError && (await isBooked(deps.db, { userId, reference }))) throw referenceUsed()
    throw error
  }
}

const referenceUsed = () => conflict('A booking with this reference already exists.', { reason: 'reference_used' })

/** The same for a loaded wallet. Pure, except for the random id and the encryption of the description. */
export function decideBooking(
  { wallet, key }: { wallet: Wallet; key: DataKey },
  { type, input }: Booking,
  author: Author,
): Change<WalletTransaction> {
  const balanceAfterPaise = balanceAfter(wallet, { type, input })
  const { amount: amountPaise, reference, description } = input
  const { id: walletId, userId, platformId, revision } = wallet
  const id = newId('txn')
  const position = wallet.lastPosition + 1
  const transaction: LinkedRowOf<typeof LINKED_TRANSACTIONS> = {
    user_id: userId,
    transaction_id: id,
    transaction_type: type,
    amount_paise: amountPaise,
    balance_after_paise: balanceAfterPaise,
    position,
    reference,
    sealed: description === undefined ? null : DESCRIPTION.seal(key, { userId, id }, description),
    actor: actorOf(author.caller),
    created_at: author.at,
  }
  const signed = type === 'CREDIT' ? amountPaise : -amountPaise
  const entry = (ledger_account: string, amount_paise: number) => ({
    user_id: userId,
    transaction_id: id,
    ledger_account,
    amount_paise,
  })
  const data = { user_id: userId, wallet_id: walletId, transaction_id: id, transaction_type: type }
  return {
    result: {
      id,
      type,
      amountPaise,
      balanceAfterPaise,
      reference,
      description: description ?? null,
      createdAt: wireTime(author.at),
    },
    ...BOOK.with({
      user_id: userId,
      revision,
      balance_paise: balanceAfterPaise,
      last_position: position,
      at: author.at,
    }),
    rows: {
      ...LINKED_TRANSACTIONS.rows([transaction]),
      ...LINKED_ENTRIES.rows([entry('WALLET', signed), entry('PLATFORM_FLOAT', -signed)]),
    },
    events: [newEvent('wallet.balance_changed', { platformId, data })],
    conflicts: { ledger_transactions_reference: referenceUsed },
  }
}

function balanceAfter(wallet: Wallet, { type, input: { amount } }: Booking): number {
  if (wallet.status !== 'COMPLETED') {
    const detail = `The wallet is ${wallet.status}. It can be credited and debited once it is COMPLETED.`
    throw invalidState({ current: wallet.status, allowed: [] }, detail)
  }
  if (type === 'DEBIT' && wallet.partnerStatus === 'BLOCKED') {
    const detail = 'The operator has blocked the wallet. It takes credits, but no debits.'
    throw invalidState({ current: wallet.partnerStatus, allowed: [] }, detail)
  }
  const after = type === 'CREDIT' ? wallet.balancePaise + amount : wallet.balancePaise - amount
  if (after < 0) throw conflict('The balance is lower than the amount.', { reason: 'insufficient_balance' })
  // Both are safe integers, so their sum is exact or above the limit; either way the comparison holds.
  if (after > Number.MAX_SAFE_INTEGER) throw limitReached('The balance would exceed the maximum.')
  return after
}
