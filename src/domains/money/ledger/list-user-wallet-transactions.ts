import { userScopeFrom } from '../../../access/scope.ts'
import { paged, pageSchema, PagingQuery } from '../../../kernel/http/paging.ts'
import { operation } from '../../../record/index.ts'
import { ensureUserInPath, UserPath } from '../../people/users/index.ts'
import { NEEDS_WALLET, presentTransaction, tags, WalletTransactionRecord } from './records.ts'
import { listTransactions } from './store.ts'

export const listUserWalletTransactions = operation('GET /users/:user_id/wallet/transactions', {
  access: 'listUserWalletTransactions',
  tags,
  summary: 'List the transactions of a user’s wallet',
  description: `Newest first. ${NEEDS_WALLET}`,
  params: UserPath,
  querystring: PagingQuery,
  response: { 200: pageSchema(WalletTransactionRecord) },
  checkTargetFirst: ensureUserInPath,
  read: (call) =>
    paged(call, (page) => listTransactions(call.deps, userScopeFrom(call.request), page), presentTransaction),
})
