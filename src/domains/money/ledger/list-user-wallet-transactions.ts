import { userScopeFrom } from '../../../access/scope.ts'
import { toPeriod } from '../../../kernel/clock.ts'
import { paged, pageSchema } from '../../../kernel/http/paging.ts'
import { operation } from '../../../record/index.ts'
import { ensureUserInPath, UserPath } from '../../people/users/index.ts'
import { LedgerQuery, NEEDS_WALLET, presentTransaction, tags, WalletTransactionRecord } from './records.ts'
import { listTransactions } from './store.ts'

export const listUserWalletTransactions = operation('GET /users/:user_id/wallet/transactions', {
  access: 'listUserWalletTransactions',
  tags,
  summary: 'List the transactions of a user’s wallet',
  description: `Newest first. ${NEEDS_WALLET}`,
  params: UserPath,
  querystring: LedgerQuery,
  response: { 200: pageSchema(WalletTransactionRecord) },
  checkTargetFirst: ensureUserInPath,
  read: (call) => {
    const period = toPeriod(call.query)
    const scope = userScopeFrom(call.request)
    return paged(call, (page) => listTransactions(call.deps, scope, { page, ...period }), presentTransaction)
  },
})
