import { matrix } from '../../../access/matrix.ts'
import { bookingOperation } from './booking-operation.ts'

export const debitWallet = bookingOperation('POST /users/:user_id/wallet/debits', {
  access: matrix.debitWallet,
  type: 'DEBIT',
  summary: 'Debit a wallet',
  description:
    'Moves paise from the wallet to the platform’s float. Rejected when the balance is too low or the wallet is blocked.',
})
