import { userScopeFrom } from '../../../access/scope.ts'
import { paged, pageSchema, PagingQuery } from '../../../kernel/http/paging.ts'
import { operation } from '../../../record/index.ts'
import { ensureUserInPath, UserPath } from '../users/index.ts'
import { DependantRecord, presentDependant, tags } from './records.ts'
import { findDependants } from './store.ts'

export const listDependants = operation('GET /users/:user_id/dependants', {
  access: 'listDependants',
  tags,
  summary: 'List dependants',
  description: 'Lists the current versions, newest first.',
  params: UserPath,
  querystring: PagingQuery,
  response: { 200: pageSchema(DependantRecord) },
  checkTargetFirst: ensureUserInPath,
  read: (call) => paged(call, (page) => findDependants(call.deps, userScopeFrom(call.request), page), presentDependant),
})
