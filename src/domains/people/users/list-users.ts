import { toScope } from '../../../access/scope.ts'
import { paged, pageSchema, PagingQuery } from '../../../kernel/http/paging.ts'
import { operation } from '../../../record/index.ts'
import { presentUser, tags, UserRecord } from './records.ts'
import { findUsers } from './store.ts'

export const listUsers = operation('GET /users', {
  access: 'listUsers',
  tags,
  summary: 'List users',
  description: 'Newest first. Platforms see only their own.',
  querystring: PagingQuery,
  response: { 200: pageSchema(UserRecord) },
  read: (call) => paged(call, (page) => findUsers(call.deps, toScope(call.request.caller), page), presentUser),
})
