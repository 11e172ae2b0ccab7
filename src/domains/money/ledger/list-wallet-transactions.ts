import { scopeOnUser } from '../../../access/scope.ts'
import { toPeriod } from '../../../kernel/clock.ts'
import type { Page } from '../../../kernel/db/page.ts'
import { paged, pageSchema } from '../../../kernel/http/paging.ts'
import { foundOrUndefined } from '../../../kernel/problem-error.ts'
import { operation } from '../../../record/index.ts'
import { noWallet, ownerFrom } from '../wallets/index.ts'
import { LedgerQuery, NEEDS_WALLET, presentTransaction, tags, WalletTransactionRecord } from './records.ts'
import { listTransactions } from './store.ts'

export const listWalletTransactions = operation('GET /wallet/transactions', {
  access: 'listWalletTransactions',
  tags,
  summary: 'List the transactions of the wallet',
  description: `Newest first. ${NEEDS_WALLET}`,
  querystring: LedgerQuery,
  response: { 200: pageSchema(WalletTransactionRecord) },
  read: (call) => {
    const caller = ownerFrom(call.request)
    const period = toPeriod(call.query)
    const find = async (page: Page) => {
      const scope = scopeOnUser(caller, caller.userId)
      const transactions = await foundOrUndefined(listTransactions(call.deps, scope, { page, ...period }))
      if (!transactions) throw noWallet()
      return transactions
    }
    return paged(call, find, presentTransaction)
  },
})
