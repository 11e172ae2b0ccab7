import { Type } from 'typebox'
import { matrix } from '../../../access/matrix.ts'
import { paged, pageFrom, pageOf, PagingQuery } from '../../../kernel/http/paging.ts'
import { ref } from '../../../kernel/http/schemas.ts'
import { operation } from '../../../record/index.ts'
import { AccountProviderRecord, presentAccountProvider, tags } from './records.ts'
import { findAccountProviders } from './store.ts'

export const listAccountProviders = operation('GET /account_providers', {
  access: matrix.listAccountProviders,
  tags,
  summary: 'List account providers',
  description: 'Newest first.',
  querystring: PagingQuery,
  response: { 200: pageOf(Type.Array(ref(AccountProviderRecord))) },
  read: async (call) => {
    const page = pageFrom(call.query)
    const { rows, total } = await findAccountProviders(call.deps.db, page)
    return paged(call, { ...page, total }, rows.map(presentAccountProvider))
  },
})
