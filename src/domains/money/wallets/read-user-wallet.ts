import { userScopeFrom } from '../../../access/scope.ts'
import { sendRecord } from '../../../kernel/http/conditional.ts'
import { operation } from '../../../record/index.ts'
import { UserPath } from '../../people/users/index.ts'
import { tags, versionOf, WalletRecord } from './records.ts'
import { findWalletInScope } from './store.ts'

export const readUserWallet = operation('GET /users/:user_id/wallet', {
  access: 'readUserWallet',
  tags,
  summary: 'Read the wallet of a user',
  description:
    'Returns the wallet with its balance, for platforms that credit it, or 404 until the user has created it with `POST /wallet/v1/wallet`.',
  params: UserPath,
  versioned: true,
  response: { 200: WalletRecord },
  target: ({ deps, request }) => findWalletInScope(deps.db, userScopeFrom(request)),
  read: (call) => sendRecord(call, versionOf(call.target)),
})
