import { scopeOf } from '../../../access/scope.ts'
import { paged, pageOf, PagingQuery } from '../../../kernel/http/paging.ts'
import { operation } from '../../../record/index.ts'
import { presentUser, tags, UserRecord } from './records.ts'
import { findUsers } from './store.ts'

export const listUsers = operation('GET /users', {
  access: 'listUsers',
  tags,
  summary: 'List users',
  description: 'Newest first. Platforms see only their own.',
  querystring: PagingQuery,
  response: { 200: pageOf(UserRecord) },
  read: (call) => paged(call, (page) => findUsers(call.deps, scopeOf(call.request.caller), page), presentUser),
})
