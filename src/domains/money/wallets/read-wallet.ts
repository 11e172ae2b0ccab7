import { operation } from '../../../record/index.ts'
import { ownerFrom, sendWithLimits, tags, WalletWithLimitsRecord } from './records.ts'
import { countAgainstLimits } from '../ledger/limit-store.ts'
import { existingWallet } from './store.ts'

export const readWallet = operation('GET /wallet', {
  access: 'readWallet',
  tags,
  summary: 'Read the wallet',
  description: 'Returns the caller’s wallet, or 404 until it is created.',
  versioned: true,
  response: { 200: WalletWithLimitsRecord },
  read: async (call) => {
    const wallet = await existingWallet(call.deps.db, ownerFrom(call.request).userId)
    return sendWithLimits(call, wallet, await countAgainstLimits(call.deps, wallet, call.deps.clock.now()))
  },
})
