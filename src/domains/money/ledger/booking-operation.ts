import type { AccessRow } from '../../../access/matrix.ts'
import { ref } from '../../../kernel/http/schemas.ts'
import { operation, RequiredIdempotencyKey, responding } from '../../../record/index.ts'
import { ensureUserInPath, UserPath } from '../../people/users/index.ts'
import { book } from './book.ts'
import {
  BookingInput,
  NEEDS_WALLET,
  presentTransaction,
  tags,
  type TransactionType,
  WalletTransactionRecord,
} from './records.ts'

type BookingText = { access: AccessRow; type: TransactionType; summary: string; description: string }

/** Defines a credit or debit: they differ in their row of the role matrix, the sign and what is said about them. */
export const bookingOperation = (
  address: `POST /users/:user_id/wallet/${string}`,
  { access, type, summary, description }: BookingText,
) =>
  operation(address, {
    access,
    tags,
    summary,
    description: `${description} ${NEEDS_WALLET}`,
    headers: RequiredIdempotencyKey,
    params: UserPath,
    body: BookingInput,
    response: { 201: ref(WalletTransactionRecord) },
    problems: ['conflict', 'invalid_state', 'idempotency_in_progress', 'idempotency_key_reused'],
    checkTargetFirst: ensureUserInPath,
    serializeBy: ({ params }) => params.user_id,
    decide: ({ deps, params, body }, by) => book(deps, { userId: params.user_id, type, input: body }, by),
    present: (transaction) => responding(presentTransaction(transaction), 201),
  })
