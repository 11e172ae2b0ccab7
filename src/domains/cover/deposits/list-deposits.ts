import { paged, pageSchema, PagingQuery } from '../../../kernel/http/paging.ts'
import { operation } from '../../../record/index.ts'
import { DepositRecord, presentDeposit, SponsorDepositsPath, tags } from './records.ts'
import { findDeposits } from './store.ts'

export const listDeposits = operation('GET /sponsors/:sponsor_id/deposits', {
  access: 'listDeposits',
  tags,
  summary: 'List the deposits of a sponsor',
  description: 'One for each benefit provider that it has paid in at. A benefit provider sees its own.',
  params: SponsorDepositsPath,
  querystring: PagingQuery,
  response: { 200: pageSchema(DepositRecord) },
  problems: ['not_found'],
  checkTargetFirst: (call) => findDeposits(call, { limit: 1, offset: 0 }),
  read: (call) => paged(call, (page) => findDeposits(call, page), presentDeposit),
})
