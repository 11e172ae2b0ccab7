import { Type } from 'typebox'
import { matrix } from '../../../access/matrix.ts'
import { scopeOf } from '../../../access/scope.ts'
import { paged, pageFrom, pageOf, PagingQuery } from '../../../kernel/http/paging.ts'
import { ref } from '../../../kernel/http/schemas.ts'
import { operation } from '../../../record/index.ts'
import { presentUser, tags, UserRecord } from './records.ts'
import { findUsers } from './store.ts'

export const listUsers = operation('GET /users', {
  access: matrix.listUsers,
  tags,
  summary: 'List users',
  description: 'Newest first. Platforms see only their own.',
  querystring: PagingQuery,
  response: { 200: pageOf(Type.Array(ref(UserRecord))) },
  read: async (call) => {
    const page = pageFrom(call.query)
    const { rows, total } = await findUsers(call.deps, scopeOf(call.request.caller), page)
    return paged(call, { ...page, total }, rows.map(presentUser))
  },
})
