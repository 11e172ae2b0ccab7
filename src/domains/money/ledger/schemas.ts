import { type Static, Type } from 'typebox'
import { RequiredIdempotencyKey } from '../../../record/index.ts'
import { pageOf, PagingQuery } from '../../../kernel/http/paging.ts'
import { Lines, Nullable, OneOf, OrNull, record, ref, Text, Timestamp } from '../../../kernel/http/schemas.ts'
import { UserPath } from '../../people/users/index.ts'

export const TRANSACTION_TYPES = ['CREDIT', 'DEBIT'] as const

export const WalletTransaction = record(
  'WalletTransaction',
  {
    id: Type.String(),
    transaction_type: OneOf(TRANSACTION_TYPES),
    amount: Type.Integer({ description: 'Paise' }),
    balance_after: Type.Integer({ description: 'Paise' }),
    reference: Type.String(),
    description: Nullable(Type.String()),
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
        created_at: '2026-04-01T12:00:00',
      },
    ],
  },
)

export const records = [WalletTransaction]

const BookingInput = Type.Object(
  {
    amount: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Paise' }),
    reference: Text({ description: 'Your id of the booking, unique per user' }),
    description: OrNull(Lines({ maxLength: 200 })),
  },
  { examples: [{ amount: 50_000, reference: 'payroll-2026-04', description: 'Wellness allowance' }] },
)
export type BookingInput = Static<typeof BookingInput>

const tags = ['Wallet']

const NEEDS_WALLET = 'Returns 404 until the user has created the wallet with `POST /wallet/v1/wallet`.'

export const creditSchema = {
  tags,
  summary: 'Credit a wallet',
  description: `Moves paise from the platform’s float to the wallet. ${NEEDS_WALLET}`,
  headers: RequiredIdempotencyKey,
  params: UserPath,
  body: BookingInput,
  response: { 201: ref(WalletTransaction) },
}

export const debitSchema = {
  tags,
  summary: 'Debit a wallet',
  description:
    'Moves paise from the wallet to the platform’s float. Rejected when the balance is too low or the wallet is ' +
    `blocked. ${NEEDS_WALLET}`,
  headers: RequiredIdempotencyKey,
  params: UserPath,
  body: BookingInput,
  response: { 201: ref(WalletTransaction) },
}

export const listUserTransactionsSchema = {
  tags,
  summary: 'List the transactions of a user’s wallet',
  description: `Newest first. ${NEEDS_WALLET}`,
  params: UserPath,
  querystring: PagingQuery,
  response: { 200: pageOf(Type.Array(ref(WalletTransaction))) },
}

export const listTransactionsSchema = {
  tags,
  summary: 'List the transactions of the wallet',
  description: `Newest first. ${NEEDS_WALLET}`,
  querystring: PagingQuery,
  response: { 200: pageOf(Type.Array(ref(WalletTransaction))) },
}
