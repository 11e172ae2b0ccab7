import { type Static, Type } from 'typebox'
import { columns, integer, nullable, oneOf, type RecordOf, text, time } from '../../../kernel/db/columns.ts'
import { pagingQuery } from '../../../kernel/http/paging.ts'
import {
  DayText,
  Lines,
  Nullable,
  OneOf,
  OrNull,
  PaiseAmount,
  record,
  Text,
  Timestamp,
} from '../../../kernel/http/schemas.ts'

export const TRANSACTION_TYPES = ['CREDIT', 'DEBIT'] as const
export type TransactionType = (typeof TRANSACTION_TYPES)[number]

export const TRANSACTION = columns('t', {
  id: text('transaction_id'),
  type: oneOf('transaction_type', TRANSACTION_TYPES),
  amountPaise: integer('amount_paise'),
  balanceAfterPaise: integer('balance_after_paise'),
  reference: text('reference'),
  sealed: nullable(text('sealed')),
  refundOf: nullable(text('refund_of')),
  createdAt: time('created_at'),
})

export type WalletTransaction = Omit<RecordOf<typeof TRANSACTION>, 'sealed'> & { description: string | null }

export const WalletTransactionRecord = record(
  'WalletTransaction',
  {
    id: Type.String(),
    transaction_type: OneOf(TRANSACTION_TYPES),
    amount: PaiseAmount(),
    balance_after: PaiseAmount(),
    reference: Type.String(),
    description: Nullable(Type.String()),
    refund_of: Type.Optional(Nullable(Type.String({ description: 'Id of the booking that it gives back' }))),
    created_at: Timestamp('Time of booking'),
  },
  {
    description: 'A booking on a wallet',
    examples: [
      {
        id: 'txn_06bnv3m2r8f1s4k7q9t3v6w0y2',
        transaction_type: 'CREDIT',
        amount: 50_000,
        balance_after: 50_000,
        reference: 'payroll-2026-04',
        description: 'Wellness allowance',
        refund_of: null,
        created_at: '2026-04-01T12:00:00',
      },
    ],
  },
)

export const presentTransaction = (transaction: WalletTransaction): Static<typeof WalletTransactionRecord> => ({
  id: transaction.id,
  transaction_type: transaction.type,
  amount: transaction.amountPaise,
  balance_after: transaction.balanceAfterPaise,
  reference: transaction.reference,
  description: transaction.description,
  refund_of: transaction.refundOf,
  created_at: transaction.createdAt,
})

/** The days of a list of bookings. */
export const LedgerQuery = Type.Object(
  {
    ...pagingQuery,
    from: Type.Optional(DayText({ description: 'Only bookings of this day (India) and later ones.' })),
    to: Type.Optional(DayText({ description: 'Only bookings of this day (India) and earlier ones.' })),
  },
  { additionalProperties: false },
)

export const tags = ['Wallet']
export const NEEDS_WALLET = 'Returns 404 until the user has created the wallet with `POST /wallet/v1/wallet`.'

export const BookingInput = Type.Object(
  {
    amount: PaiseAmount({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
    reference: Text({ description: 'Your id of the booking, unique per user' }),
    description: OrNull(Lines({ maxLength: 200 })),
    refund_of: OrNull(
      Text({
        description:
          'Id of the booking of this wallet that this one gives back, in whole or in part: a debit gives back a credit, a credit a debit',
      }),
    ),
  },
  { examples: [{ amount: 50_000, reference: 'payroll-2026-04', description: 'Wellness allowance' }] },
)
export type BookingInput = Static<typeof BookingInput>
