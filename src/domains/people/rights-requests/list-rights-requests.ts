import { userScopeFrom } from '../../../access/scope.ts'
import { paged, pageSchema, PagingQuery } from '../../../kernel/http/paging.ts'
import { operation } from '../../../record/index.ts'
import { ensureUserInPath, UserPath } from '../users/index.ts'
import { presentRightsRequest, RightsRequestRecord, tags } from './records.ts'
import { findRequests } from './store.ts'

export const listRightsRequests = operation('GET /users/:user_id/rights_requests', {
  access: 'listRightsRequests',
  tags,
  summary: 'List what a user has asked by the law on personal data',
  description: 'Newest first.',
  params: UserPath,
  querystring: PagingQuery,
  response: { 200: pageSchema(RightsRequestRecord) },
  checkTargetFirst: ensureUserInPath,
  read: (call) =>
    paged(call, (page) => findRequests(call.deps, userScopeFrom(call.request), page), presentRightsRequest),
})
