import { actorOf } from '../../../access/caller.ts'
import type { OperationName } from '../../../access/matrix.ts'
import { scopeOnUser } from '../../../access/scope.ts'
import { wireTime } from '../../../kernel/clock.ts'
import type { DataKey } from '../../../kernel/crypto/vault.ts'
import type { LinkedRowOf } from '../../../kernel/db/write-statement.ts'
import { newId } from '../../../kernel/id.ts'
import {
  conflict,
  invalid,
  invalidState,
  limitReached,
  ProblemError,
  refundExceeds,
  unknownReference,
} from '../../../kernel/problem-error.ts'
import {
  type Author,
  type Change,
  type Deps,
  newEvent,
  operation,
  RequiredIdempotencyKey,
  responding,
} from '../../../record/index.ts'
import { ensureUserInPath, refuseWhileErasing, UserPath } from '../../people/users/index.ts'
import type { Wallet } from '../wallets/index.ts'
import { checkLimits, type Counted } from './check-limits.ts'
import { countAgainstLimits } from './limit-store.ts'
import {
  BookingInput,
  NEEDS_WALLET,
  presentTransaction,
  tags,
  type TransactionType,
  type WalletTransaction,
  WalletTransactionRecord,
} from './records.ts'
import {
  BOOK,
  DESCRIPTION,
  LINKED_ENTRIES,
  findBookableWallet,
  findRefunded,
  isBooked,
  LINKED_TRANSACTIONS,
  type Refunded,
} from './store.ts'

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

/** A wallet, and what a booking is held against: the booking that it gives back, or the limits. */
type Bookable = { wallet: Wallet; key: DataKey; refunded?: Refunded | undefined; counted?: Counted | undefined }

/**
 * Decides a credit or debit with its two entries and the new balance. Throws 404 when there is no wallet in the
 * caller's scope, 409 `invalid_state` before it is provisioned and for a debit while it is blocked, 409 `conflict` when
 * the balance would leave its range, a limit or what is refunded would be exceeded, or the reference is already booked;
 * 422 when what it gives back is no such booking.
 */
export async function book(
  deps: Deps,
  { userId, ...booking }: Booking & { userId: string },
  author: Author,
): Promise<Change<WalletTransaction>> {
  const bookable = await findBookableWallet(deps, scopeOnUser(author.caller, userId))
  try {
    const { refund_of } = booking.input
    const against = refund_of
      ? { refunded: await findRefunded(deps.db, { userId, id: refund_of }) }
      : { counted: await countAgainstLimits(deps, bookable.wallet, author.at) }
    const change = decideBooking({ ...bookable, ...against }, booking, author)
    if (booking.type === 'CREDIT') await refuseWhileErasing(deps, userId)
    return change
  } catch (error) {
    // A repeated reference is reported as such, whatever has become of the wallet since.
    const { reference } = booking.input
    if (error instanceof ProblemError && (await isBooked(deps.db, { userId, reference }))) throw referenceUsed()
    throw error
  }
}

const referenceUsed = () => conflict('A booking with this reference already exists.', { reason: 'reference_used' })

/** The same for a loaded wallet. Pure, except for the random id and the encryption of the description. */
export function decideBooking(bookable: Bookable, { type, input }: Booking, author: Author): Change<WalletTransaction> {
  const { wallet, key } = bookable
  const balanceAfterPaise = balanceAfter(wallet, { type, input })
  checkAgainst(bookable, { type, input })
  const { amount: amountPaise, reference, description } = input
  const { id: walletId, userId, platformId, revision } = wallet
  const refundOf = input.refund_of ?? null
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
    refund_of: refundOf,
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
      refundOf,
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

function checkAgainst({ wallet, refunded, counted }: Bookable, { type, input }: Booking): void {
  const { amount, refund_of } = input
  if (refund_of) checkRefund(refunded, { type, amount })
  else if (counted) checkLimits(counted, { type, amount, balancePaise: wallet.balancePaise })
}

function checkRefund(
  refunded: Refunded | undefined,
  { type, amount }: { type: TransactionType; amount: number },
): void {
  if (!refunded || refunded.type === type || refunded.refundOf !== null) {
    const other = type === 'CREDIT' ? 'debit' : 'credit'
    const detail = `Must be the id of a ${other} of this wallet that is not a refund itself.`
    throw invalid([unknownReference('/refund_of', detail)])
  }
  const left = refunded.amountPaise - refunded.refundedPaise
  if (amount > left) throw refundExceeds(`Of this booking, ${left} paise can still be given back.`, left)
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
