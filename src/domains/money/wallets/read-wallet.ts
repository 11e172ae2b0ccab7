import { sendRecord } from '../../../kernel/http/conditional.ts'
import { operation } from '../../../record/index.ts'
import { ownerFrom, tags, versionOf, WalletRecord } from './records.ts'
import { existingWallet } from './store.ts'

export const readWallet = operation('GET /wallet', {
  access: 'readWallet',
  tags,
  summary: 'Read the wallet',
  description: 'Returns the caller’s wallet, or 404 until it is created.',
  versioned: true,
  response: { 200: WalletRecord },
  read: async (call) => sendRecord(call, versionOf(await existingWallet(call.deps.db, ownerFrom(call.request).userId))),
})
