import { paged, pageSchema, PagingQuery } from '../../../kernel/http/paging.ts'
import { operation } from '../../../record/index.ts'
import { BenefitProviderRecord, presentBenefitProvider, tags } from './records.ts'
import { findBenefitProviders } from './store.ts'

export const listBenefitProviders = operation('GET /benefit_providers', {
  access: 'listBenefitProviders',
  tags,
  summary: 'List benefit providers',
  description: 'Newest first.',
  querystring: PagingQuery,
  response: { 200: pageSchema(BenefitProviderRecord) },
  read: (call) => paged(call, (page) => findBenefitProviders(call.deps.db, page), presentBenefitProvider),
})
