import { userScopeFrom } from '../../../access/scope.ts'
import { operation } from '../../../record/index.ts'
import { UserPath } from '../../people/users/index.ts'
import { countAgainstLimits } from '../ledger/limit-store.ts'
import { sendWithLimits, tags, WalletWithLimitsRecord } from './records.ts'
import { findWalletInScope } from './store.ts'

export const readUserWallet = operation('GET /users/:user_id/wallet', {
  access: 'readUserWallet',
  tags,
  summary: 'Read the wallet of a user',
  description:
    'Returns the wallet with its balance, for platforms that credit it, or 404 until the user has created it with `POST /wallet/v1/wallet`.',
  params: UserPath,
  versioned: true,
  response: { 200: WalletWithLimitsRecord },
  target: ({ deps, request }) => findWalletInScope(deps.db, userScopeFrom(request)),
  read: async (call) => {
    const { deps, target: wallet } = call
    return sendWithLimits(call, wallet, await countAgainstLimits(deps, wallet, deps.clock.now()))
  },
})
