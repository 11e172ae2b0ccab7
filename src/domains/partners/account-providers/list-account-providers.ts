import { paged, pageSchema, PagingQuery } from '../../../kernel/http/paging.ts'
import { operation } from '../../../record/index.ts'
import { AccountProviderRecord, presentAccountProvider, tags } from './records.ts'
import { findAccountProviders } from './store.ts'

export const listAccountProviders = operation('GET /account_providers', {
  access: 'listAccountProviders',
  tags,
  summary: 'List account providers',
  description: 'Newest first.',
  querystring: PagingQuery,
  response: { 200: pageSchema(AccountProviderRecord) },
  read: (call) => paged(call, (page) => findAccountProviders(call.deps.db, page), presentAccountProvider),
})
