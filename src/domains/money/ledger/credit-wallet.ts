import { matrix } from '../../../access/matrix.ts'
import { bookingOperation } from './booking-operation.ts'

export const creditWallet = bookingOperation('POST /users/:user_id/wallet/credits', {
  access: matrix.creditWallet,
  type: 'CREDIT',
  summary: 'Credit a wallet',
  description: 'Moves paise from the platform’s float to the wallet.',
})
