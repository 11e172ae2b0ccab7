import { Type } from 'typebox'
import { toScope } from '../../../access/scope.ts'
import { paged, pageSchema, PagingQuery } from '../../../kernel/http/paging.ts'
import { operation } from '../../../record/index.ts'
import { type ListedUser, presentUser, tags, UserRecord, UserReferenceRecord } from './records.ts'
import { findUsers } from './store.ts'

const { employee_number } = UserReferenceRecord.properties

export const listUsers = operation('GET /users', {
  access: 'listUsers',
  tags,
  summary: 'List users',
  description: 'Newest first. Platforms see only their own. The CSV also has the `employee_number` of each.',
  querystring: PagingQuery,
  response: { 200: pageSchema(UserRecord) },
  read: (call) => paged(call, (page) => findUsers(call.deps, toScope(call.request.caller), page), presentUser),
  csv: {
    item: Type.Object({ ...UserRecord.properties, employee_number }),
    read: (call) => paged(call, (page) => findUsers(call.deps, toScope(call.request.caller), page), presentWithNumber),
  },
})

const presentWithNumber = (user: ListedUser) => ({ ...presentUser(user), employee_number: user.employeeNumber() })
