import { scopeOnUser } from '../../../access/scope.ts'
import type { Page } from '../../../kernel/db/page.ts'
import { paged, pageSchema, PagingQuery } from '../../../kernel/http/paging.ts'
import { foundOrUndefined } from '../../../kernel/problem-error.ts'
import { operation } from '../../../record/index.ts'
import { noWallet, ownerFrom } from '../wallets/index.ts'
import { NEEDS_WALLET, presentTransaction, tags, WalletTransactionRecord } from './records.ts'
import { listTransactions } from './store.ts'

export const listWalletTransactions = operation('GET /wallet/transactions', {
  access: 'listWalletTransactions',
  tags,
  summary: 'List the transactions of the wallet',
  description: `Newest first. ${NEEDS_WALLET}`,
  querystring: PagingQuery,
  response: { 200: pageSchema(WalletTransactionRecord) },
  read: (call) => {
    const caller = ownerFrom(call.request)
    const find = async (page: Page) => {
      const transactions = await foundOrUndefined(listTransactions(call.deps, scopeOnUser(caller, caller.userId), page))
      if (!transactions) throw noWallet()
      return transactions
    }
    return paged(call, find, presentTransaction)
  },
})
