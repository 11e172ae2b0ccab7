import { READ_AGAIN, sendRecord } from '../../../kernel/http/conditional.ts'
import { operation } from '../../../record/index.ts'
import { PlatformPath, tags, versionOfLimits, WalletLimitsRecord } from './records.ts'
import { limitsInPath } from './store.ts'

export const readWalletLimits = operation('GET /platforms/:platform_id/wallet_limits', {
  access: 'readWalletLimits',
  tags,
  summary: 'Read the limits of a platform’s wallets',
  description: READ_AGAIN,
  params: PlatformPath,
  versioned: true,
  response: { 200: WalletLimitsRecord },
  problems: ['not_found'],
  target: limitsInPath,
  read: (call) => sendRecord(call, versionOfLimits(call.target)),
})
