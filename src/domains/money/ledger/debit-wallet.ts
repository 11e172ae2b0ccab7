import { matrix } from '../../../access/matrix.ts'
import { userScopeFrom } from '../../../access/scope.ts'
import { ref } from '../../../kernel/http/schemas.ts'
import { operation, RequiredIdempotencyKey, responding } from '../../../record/index.ts'
import { ensureUserInScope, UserPath } from '../../people/users/index.ts'
import { book } from './book.ts'
import { BookingInput, NEEDS_WALLET, presentTransaction, tags, WalletTransactionRecord } from './records.ts'

export const debitWallet = operation('POST /users/:user_id/wallet/debits', {
  access: matrix.debitWallet,
  tags,
  summary: 'Debit a wallet',
  description:
    'Moves paise from the wallet to the platform’s float. Rejected when the balance is too low or the wallet is ' +
    `blocked. ${NEEDS_WALLET}`,
  headers: RequiredIdempotencyKey,
  params: UserPath,
  body: BookingInput,
  response: { 201: ref(WalletTransactionRecord) },
  problems: ['conflict', 'invalid_state', 'idempotency_in_progress', 'idempotency_key_reused'],
  checkTargetFirst: ({ deps, request }) => ensureUserInScope(deps.db, userScopeFrom(request)),
  serializeBy: ({ params }) => params.user_id,
  decide: ({ deps, params, body }, by) => book(deps, { userId: params.user_id, type: 'DEBIT', input: body }, by),
  present: (transaction) => responding(presentTransaction(transaction), 201),
})
